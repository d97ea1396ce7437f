#include "wfsm/record.h"

#include <stdio.h>
#include <string.h>

const char *record_string(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void add_word(cli_text *text, const char *word)
{
    if (text->length > 0 && *word)
        cli_text_add(text, " ", 1);
    cli_text_add(text, word, strlen(word));
}

/* "revision 7" of a restore or a fork that names no checkpoint. */
static void add_revision(cli_text *text, const json_t *input)
{
    char word[40];
    const json_t *revision = json_object_get(input, "revision");
    bool past = json_is_true(json_object_get(input, "past")) ||
                strcmp(record_string(input, "kind"), "restore") == 0;
    if (!past || !json_is_integer(revision))
        return;
    snprintf(word, sizeof word, "revision %" JSON_INTEGER_FORMAT, json_integer_value(revision));
    add_word(text, word);
}

void record_input(cli_text *text, const json_t *record)
{
    const json_t *input = json_object_get(record, "input");
    const char *kind = record_string(input, "kind");
    const char *name = record_string(input, "event"), *more = record_string(input, "class");
    if (strcmp(kind, "fork") == 0) {
        name = record_string(input, "source");
        more = record_string(input, "checkpoint");
    }
    if (strcmp(kind, "approval") == 0) {
        name = record_string(json_object_get(input, "data"), "by");
        more = record_string(input, "verdict");
    }
    if (!*name)
        name = record_string(input, "budget");
    if (!*name)
        name = record_string(input, "invocation");
    if (!*name || strcmp(kind, "restore") == 0)
        name = record_string(input, "id");
    add_word(text, kind);
    add_word(text, name);
    add_word(text, more);
    add_revision(text, input);
}

void record_joined(cli_text *text, const json_t *list, const char *between)
{
    size_t index;
    const json_t *item;
    json_array_foreach(list, index, item)
    {
        const char *value = json_string_value(item);
        cli_text_add(text, between, index > 0 ? strlen(between) : 0);
        cli_text_add(text, value ? value : "?", value ? strlen(value) : 1);
    }
}
