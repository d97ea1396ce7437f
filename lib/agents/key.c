#include "key.h"

#include <stdlib.h>
#include <string.h>

#include "files.h"

enum { MOST_KEY = 4096 };

/* Not optimised away, as memset() before free() may be. */
static void wipe(char *text, size_t length)
{
    volatile char *at = text;

    while (length-- > 0)
        *at++ = '\0';
}

static int is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/* Anything else could end the header that carries it, and begin another one. */
static int is_fit(const char *text, size_t length)
{
    size_t index;

    for (index = 0; index < length; index++)
        if (text[index] <= ' ' || text[index] > '~')
            return 0;
    return length > 0;
}

static int take(wfa_key *key, const char *text, size_t length, const char *where,
                wfa_error *error)
{
    while (length > 0 && is_blank(text[length - 1]))
        length--;
    while (length > 0 && is_blank(*text)) {
        text++;
        length--;
    }
    if (!is_fit(text, length))
        return wfa_fail(error, "%s: expected a key of printable characters without blanks",
                        where);
    key->text = strndup(text, length);
    return key->text ? 0 : wfa_no_memory(error);
}

static int read_variable(wfa_key *key, const char *variable, wfa_error *error)
{
    const char *text = getenv(variable);

    if (!text || !*text)
        return wfa_fail(error, "the environment variable %s, which holds the key, is not set",
                        variable);
    return take(key, text, strlen(text), variable, error);
}

static int read_file(wfa_key *key, const char *file, wfa_error *error)
{
    char *text;
    size_t length;
    int answer;

    if (wfa_file_read(file, MOST_KEY, &text, &length, error) != 0)
        return -1;
    answer = take(key, text, length, file, error);
    wipe(text, length);
    free(text);
    return answer;
}

int wfa_key_read(wfa_key *key, const char *variable, const char *file, wfa_error *error)
{
    key->text = NULL;
    if (variable)
        return read_variable(key, variable, error);
    return file ? read_file(key, file, error) : 0;
}

void wfa_key_clear(wfa_key *key)
{
    if (key->text)
        wipe(key->text, strlen(key->text));
    free(key->text);
    key->text = NULL;
}

static size_t common(const char *one, const char *other)
{
    size_t length = 0;

    while (one[length] && one[length] == other[length])
        length++;
    return length;
}

/* The longest part of the key with which the text begins. */
static size_t part_at(const char *key, const char *text)
{
    size_t longest = 0;

    for (; *key; key++) {
        size_t length = common(key, text);
        if (length > longest)
            longest = length;
    }
    return longest;
}

void wfa_key_hide(const wfa_key *key, char *text)
{
    if (!key->text || strlen(key->text) < WFA_KEY_SECRET)
        return;
    while (*text) {
        size_t length = part_at(key->text, text);
        if (length >= WFA_KEY_SECRET)
            memset(text, '*', length);
        text += length >= WFA_KEY_SECRET ? length : 1;
    }
}

int wfa_key_is_in(const wfa_key *key, const char *bytes, size_t length)
{
    size_t size = key->text ? strlen(key->text) : 0, at;

    if (size < WFA_KEY_SECRET)
        return 0;
    for (at = 0; at + size <= length; at++)
        if (memcmp(bytes + at, key->text, size) == 0)
            return 1;
    return 0;
}
