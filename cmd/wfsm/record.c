#include "wfsm/record.h"

#include <stdint.h>
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
    bool past =
        json_is_true(json_object_get(input, "past")) ||
        (strcmp(record_string(input, "kind"), "restore") == 0 && !json_object_get(input, "id"));
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

static json_t *changed_object(const json_t *value, const json_t *change)
{
    const char *key;
    json_t *part, *made = cli_need(json_copy((json_t *)(uintptr_t)value));
    json_object_foreach(json_object_get(change, "unset"), key, part) json_object_del(made, key);
    json_object_update(made, json_object_get(change, "set"));
    json_object_foreach(json_object_get(change, "changed"), key, part)
        json_object_set_new(made, key, record_changed(json_object_get(made, key), part));
    return made;
}

static json_t *spliced(const json_t *value, const json_t *change)
{
    size_t at = (size_t)json_integer_value(json_object_get(change, "at"));
    size_t behind = at + (size_t)json_integer_value(json_object_get(change, "removed"));
    json_t *made = cli_need(json_array());
    for (size_t i = 0; i < at; i++)
        json_array_append(made, json_array_get(value, i));
    json_array_extend(made, json_object_get(change, "inserted"));
    for (size_t i = behind; i < json_array_size(value); i++)
        json_array_append(made, json_array_get(value, i));
    return made;
}

static json_t *changed_array(const json_t *value, const json_t *change)
{
    size_t at = (size_t)json_integer_value(json_object_get(change, "at"));
    json_t *element = json_object_get(change, "changed");
    if (!element)
        return spliced(value, change);
    json_t *made = cli_need(json_copy((json_t *)(uintptr_t)value));
    json_array_set_new(made, at, record_changed(json_array_get(value, at), element));
    return made;
}

json_t *record_changed(const json_t *value, const json_t *change)
{
    if (json_is_array(value))
        return changed_array(value, change);
    return json_is_object(value) ? changed_object(value, change) : json_null();
}
