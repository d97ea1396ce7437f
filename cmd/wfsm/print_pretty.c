/* Indents JSON without reading it: numbers and strings stay as they were written. */
#include "wfsm/print.h"

#include <stdlib.h>
#include <string.h>

typedef struct pretty {
    FILE *out;
    const char *margin;
    int depth;
    bool in_string, escaped;
} pretty;

static void new_line(const pretty *state)
{
    fprintf(state->out, "\n%s", state->margin);
    for (int i = 0; i < state->depth; i++)
        fputs("  ", state->out);
}

static void string_byte(pretty *state, char byte)
{
    fputc(byte, state->out);
    if (!state->escaped && byte == '"')
        state->in_string = false;
    state->escaped = !state->escaped && byte == '\\';
}

static void byte_outside(pretty *state, char byte)
{
    if (strchr(" \t\r\n", byte))
        return;
    if (byte == '}' || byte == ']') {
        state->depth--;
        new_line(state);
    }
    fputc(byte, state->out);
    if (byte == '{' || byte == '[')
        state->depth++;
    if (byte == '{' || byte == '[' || byte == ',')
        new_line(state);
    if (byte == ':')
        fputc(' ', state->out);
    state->in_string = byte == '"';
}

/* "{}" and "[]" stay together. */
static size_t empty_pair(const char *json, size_t length, size_t at)
{
    char close = json[at] == '{' ? '}' : json[at] == '[' ? ']' : '\0';
    size_t next = at + 1;
    while (close && next < length && strchr(" \t\r\n", json[next]))
        next++;
    return close && next < length && json[next] == close ? next : 0;
}

static void print_escaped(FILE *out, const char *json, size_t length, const char *margin)
{
    pretty state = {.out = out, .margin = margin};
    for (size_t i = 0; i < length; i++) {
        size_t pair = state.in_string ? 0 : empty_pair(json, length, i);
        if (pair > 0) {
            fprintf(out, "%c%c", json[i], json[pair]);
            i = pair;
        } else if (state.in_string) {
            string_byte(&state, json[i]);
        } else {
            byte_outside(&state, json[i]);
        }
    }
}

void print_json_pretty(FILE *out, const char *json, size_t length, const char *margin)
{
    size_t room = wfsm_text_escape(WFSM_ESCAPE_TEXT, json, length, NULL, 0) + 1;
    char *shown = cli_need(malloc(room));
    wfsm_text_escape(WFSM_ESCAPE_TEXT, json, length, shown, room);
    print_escaped(out, shown, room - 1, margin);
    free(shown);
}
