/* The digest is that of the input as it is written in the record, and not of the same value written by
 * another library. So the texts of inputs are found in that of the record. All texts are valid JSON. */
#include "wfsm/asked_digests.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/record.h"

static const char blanks[] = " \t\r\n";

static const char *string_end(const char *at)
{
    for (at++; *at != '"'; at++)
        if (*at == '\\')
            at++;
    return at + 1;
}

static const char *value_end(const char *at)
{
    int depth = 0;
    do {
        if (*at == '"') {
            at = string_end(at);
            continue;
        }
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        at++;
    } while (depth > 0 ||
             (at[-1] != '}' && at[-1] != ']' && at[-1] != '"' && !strchr(" \t\r\n,:]}", *at)));
    return at;
}

/* The next member or item behind `at`, which is behind a brace, a bracket or a value. */
static const char *next_of(const char *at)
{
    at += strspn(at, " \t\r\n,:");
    return *at == '}' || *at == ']' ? NULL : at;
}

/* The value of a member; NULL if there is none. */
static const char *member(const char *object, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = next_of(object + 1), *value; at; at = next_of(value_end(value))) {
        const char *end = string_end(at);
        value = next_of(end);
        if ((size_t)(end - at) == length + 2 && memcmp(at + 1, key, length) == 0)
            return value;
    }
    return NULL;
}

static void add(json_t *digests, const json_t *invocation, const char *text)
{
    char key[64], digest[WFSM_DIGEST_SIZE] = "";
    const char *input = member(text, "input");
    if (!input)
        input = "null";
    wfsm_digest(input, (size_t)(value_end(input) - input), digest);
    snprintf(key, sizeof key, "%" JSON_INTEGER_FORMAT "/%" JSON_INTEGER_FORMAT,
             json_integer_value(json_object_get(invocation, "revision")),
             json_integer_value(json_object_get(invocation, "ordinal")));
    json_object_set_new(digests, key, cli_need(json_string(digest)));
}

static bool is_new(const json_t *invocation, const json_t *record)
{
    return json_is_object(invocation) && json_equal(json_object_get(invocation, "revision"),
                                                    json_object_get(record, "revision"));
}

void asked_digests_add(json_t *digests, const json_t *record, const char *text)
{
    const json_t *list = json_object_get(record, "invocations"), *one;
    const char *at = member(text + strspn(text, blanks), "invocations");
    size_t index;
    if (!at || !json_is_array(list))
        return;
    at = next_of(at + 1);
    json_array_foreach(list, index, one)
    {
        if (!at)
            return;
        if (is_new(one, record))
            add(digests, one, at);
        at = next_of(value_end(at));
    }
}

/* "INSTANCE/REVISION/ORDINAL", and what may be behind it. */
static const char *number(const char *at, json_int_t *value)
{
    char *end;
    if (*at != '/' || at[1] < '1' || at[1] > '9')
        return NULL;
    *value = strtoll(at + 1, &end, 10);
    return end;
}

static bool parse(const char *instance, const char *invocation, json_int_t *revision,
                  json_int_t *ordinal)
{
    size_t length = strlen(instance);
    const char *at = invocation + length;
    if (strncmp(invocation, instance, length) != 0)
        return false;
    at = number(at, revision);
    at = at ? number(at, ordinal) : NULL;
    return at && (*at == '\0' || *at == '-');
}

bool asked_is_of(const char *instance, const char *invocation, json_int_t *revision)
{
    json_int_t ordinal;
    return parse(instance, invocation, revision, &ordinal);
}

const char *asked_digests_of(const json_t *digests, const char *instance,
                             const char *invocation)
{
    char key[64];
    json_int_t revision, ordinal;
    if (!parse(instance, invocation, &revision, &ordinal))
        return NULL;
    snprintf(key, sizeof key, "%" JSON_INTEGER_FORMAT "/%" JSON_INTEGER_FORMAT, revision,
             ordinal);
    return json_string_value(json_object_get(digests, key));
}
