/* logic/json_locate.c: from a JSON pointer to a line and column. */
#include "logic/json_scan.h"

#include <string.h>

#include "base/invariant.h"

typedef struct cursor {
    const char *text;
    size_t length;
    size_t at;
} cursor;

static char here(const cursor *c)
{
    return c->at < c->length ? c->text[c->at] : '\0';
}

static char skip_space(cursor *c)
{
    while (here(c) && wf_json_space(here(c)))
        c->at++;
    return here(c);
}

static void skip_string(cursor *c)
{
    c->at++;
    while (c->at < c->length && here(c) != '"')
        c->at += here(c) == '\\' ? 2 : 1;
    c->at = c->at < c->length ? c->at + 1 : c->length;
    WF_INVARIANT(c->at <= c->length);
}

static void skip_scalar(cursor *c)
{
    while (here(c) && !strchr(",]} \t\n\r", here(c)))
        c->at++;
}

static void skip_value(cursor *c)
{
    size_t depth = 0;

    do {
        char byte = skip_space(c);

        if (byte == '"') {
            skip_string(c);
        } else if (byte == '{' || byte == '[') {
            depth++;
            c->at++;
        } else if (byte == '}' || byte == ']') {
            depth -= depth > 0;
            c->at++;
        } else if (byte == ',' || byte == ':') {
            c->at++;
        } else if (byte) {
            skip_scalar(c);
        } else {
            c->at = c->length; /* a NUL is in no JSON: give up */
        }
    } while (depth && c->at < c->length);
}

/* The next character of a pointer token, 0 at its end. */
static char token_byte(const char **token)
{
    char byte = **token;

    if (byte == '\0' || byte == '/')
        return '\0';
    (*token)++;
    if (byte != '~' || **token == '\0')
        return byte;
    return *(*token)++ == '1' ? '/' : '~';
}

static bool key_matches(const cursor *c, const char *token)
{
    size_t at = c->at + 1;
    char bytes[4];
    int count;

    while ((count = wf_json_character(c->text, c->length, &at, bytes)) > 0)
        for (int i = 0; i < count; i++)
            if (token_byte(&token) != bytes[i])
                return false;
    return count == 0 && token_byte(&token) == '\0';
}

/* Into the member that the token names, of those that begin before `end`; *key is where its key begins. */
static bool seek_member(cursor *c, const char *token, size_t end, size_t *key)
{
    while (c->at < end && skip_space(c) == '"') {
        bool found = key_matches(c, token);

        *key = c->at;
        skip_string(c);
        if (skip_space(c) == ':')
            c->at++;
        skip_space(c);
        if (found)
            return true;
        skip_value(c);
        if (skip_space(c) == ',')
            c->at++;
    }
    return false;
}

/* `level` is that of the finder, or NULL. */
static bool enter_object(cursor *c, const char *token, wf_json_level *level, size_t *key)
{
    const size_t first = ++c->at;
    const bool known = level && level->after_open == first;
    bool found;

    if (known)
        c->at = level->key;
    found = seek_member(c, token, c->length, key);
    if (!found && known) {
        c->at = first;
        found = seek_member(c, token, level->key, key);
    }
    if (found && level)
        *level = (wf_json_level){first, *key};
    return found;
}

static bool parse_index(const char *token, size_t *index)
{
    *index = 0;
    if (*token < '0' || *token > '9')
        return false;
    for (; *token >= '0' && *token <= '9'; token++) {
        if (*index > SIZE_MAX / 16)
            return false;
        *index = *index * 10 + (size_t)(*token - '0');
    }
    return *token == '\0' || *token == '/';
}

static bool enter_array(cursor *c, const char *token, size_t *key)
{
    size_t index;

    if (!parse_index(token, &index))
        return false;
    c->at++;
    for (; skip_space(c) && here(c) != ']'; index--) {
        *key = c->at;
        if (index == 0)
            return true;
        skip_value(c);
        if (skip_space(c) == ',')
            c->at++;
    }
    return false;
}

bool wf_json_find(wf_json_finder *finder, const char *pointer, bool key, int32_t *line,
                  int32_t *column)
{
    cursor c = {finder->text, finder->length, 0};
    size_t key_at, depth = 0;
    char first = skip_space(&c);

    key_at = c.at;
    for (; first && *pointer == '/'; first = here(&c), depth++) {
        const char *token = pointer + 1;
        wf_json_level *level = depth < WF_JSON_FINDER_DEPTH ? &finder->levels[depth] : NULL;
        bool found = first == '{'   ? enter_object(&c, token, level, &key_at)
                     : first == '[' ? enter_array(&c, token, &key_at)
                                    : false;

        if (!found)
            return false;
        pointer = token + strcspn(token, "/");
    }
    if (*pointer || !first)
        return false;
    wf_json_position_next(&finder->lines, c.text, c.length, key ? key_at : c.at, line, column);
    return true;
}

bool wf_json_locate(const char *text, size_t length, const char *pointer, bool key,
                    int32_t *line, int32_t *column)
{
    wf_json_finder finder = {.text = text, .length = length};

    return wf_json_find(&finder, pointer, key, line, column);
}
