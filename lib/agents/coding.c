/* What the readers of the programs' output share, and strict schemas. */
#include "coding.h"

#include <stdlib.h>
#include <string.h>

static const json_int_t most_count = (json_int_t)1 << 53;

void wfa_coding_keep(char **text, const json_t *found)
{
    const char *value = json_string_value(found);
    char *copy = value && *value ? strdup(value) : NULL;

    if (!copy)
        return;
    free(*text);
    *text = copy;
}

void wfa_coding_keep_json(char **text, const json_t *found)
{
    char *copy = found && !json_is_null(found)
                     ? json_dumps(found, JSON_COMPACT | JSON_ENCODE_ANY)
                     : NULL;

    if (!copy)
        return;
    free(*text);
    *text = copy;
}

int64_t wfa_coding_count(const json_t *object, const char *key)
{
    json_int_t count = json_integer_value(json_object_get(object, key));

    return count > 0 && count <= most_count ? count : 0;
}

void wfa_coding_each_line(void *self, const char *text, size_t length,
                          void (*read)(void *self, const json_t *event))
{
    const char *end = text + length;

    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t line = newline ? (size_t)(newline - text) : (size_t)(end - text);
        json_t *event = *text == '{' ? json_loadb(text, line, 0, NULL) : NULL;
        if (*text == '{')
            read(self, event);
        json_decref(event);
        text += newline ? line + 1 : line;
    }
}

void wfa_coding_drop(char **text)
{
    free(*text);
    *text = NULL;
}

void wfa_coding_output_clear(wfa_coding_output *output)
{
    free(output->answer);
    free(output->session);
    free(output->failure);
    memset(output, 0, sizeof *output);
}

/* ---- strict schemas ---- */

static int is_required(const json_t *required, const char *name)
{
    const json_t *one;
    size_t index;

    json_array_foreach(required, index, one)
    {
        const char *text = json_string_value(one);
        if (text && strcmp(text, name) == 0)
            return 1;
    }
    return 0;
}

static int is_strict_object(const json_t *schema)
{
    json_t *members = json_object_get(schema, "properties"), *member;
    const char *name;

    if (!json_is_object(members) ||
        !json_is_false(json_object_get(schema, "additionalProperties")))
        return 0;
    json_object_foreach(members, name, member)
    {
        if (!is_required(json_object_get(schema, "required"), name) ||
            !wfa_schema_is_strict(member))
            return 0;
    }
    return 1;
}

/* Schemas within schemas are those of members and items; any other form is not known to be taken. */
int wfa_schema_is_strict(const json_t *schema)
{
    const char *type = json_string_value(json_object_get(schema, "type"));

    if (!type)
        return json_is_array(json_object_get(schema, "enum"));
    if (strcmp(type, "object") == 0)
        return is_strict_object(schema);
    if (strcmp(type, "array") == 0)
        return wfa_schema_is_strict(json_object_get(schema, "items"));
    return 1;
}
