#include "said.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wfsm/shown.h"

/* Adds a line to the text, which is freed when memory is short. */
static char *add_line(char *text, const char *mark, const char *line)
{
    size_t length = text ? strlen(text) : 0;
    size_t room = length + strlen(mark) + strlen(line) + 2;
    char *longer = realloc(text, room);

    if (!longer) {
        free(text);
        return NULL;
    }
    (void)snprintf(longer + length, room - length, "%s%s%s", length > 0 ? "\n" : "", mark,
                   line);
    return longer;
}

static char *with_objections(const char *words, const json_t *objections)
{
    char *text = add_line(NULL, "", words);
    const char *one;
    size_t index;

    for (index = 0; text && index < json_array_size(objections); index++) {
        one = json_string_value(json_array_get(objections, index));
        if (one)
            text = add_line(text, "objection: ", one);
    }
    return text;
}

char *said_text(const json_t *said)
{
    const json_t *says = json_object_get(said, "says");
    const char *words = json_string_value(says);

    if (!words)
        words = json_string_value(json_object_get(says, "text"));
    if (words)
        return with_objections(words, json_object_get(says, "objections"));
    return json_dumps(says, JSON_ENCODE_ANY | JSON_INDENT(2));
}

static void print_lines(const char *text)
{
    while (*text) {
        int length = (int)strcspn(text, "\n");

        shown_printf("    | %.*s\n", length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_one(const json_t *said)
{
    char *text = said_text(said);

    shown_printf("  %s:\n", json_string_value(json_object_get(said, "agent")));
    print_lines(text ? text : "");
    free(text);
}

void said_print(const task *shown)
{
    const json_t *discussion = json_object_get(shown->context, "discussion");
    size_t index;

    for (index = 0; index < json_array_size(discussion); index++)
        print_one(json_array_get(discussion, index));
}
