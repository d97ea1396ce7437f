#include "database.h"

#include <string.h>

static bool continues(const unsigned char *text, size_t left, size_t count)
{
    if (left < count)
        return false;
    for (size_t i = 0; i < count; i++)
        if ((text[i] & 0xC0) != 0x80)
            return false;
    return true;
}

/* Returns the length of the well-formed character at the start of text, or 0. */
static size_t character(const unsigned char *text, size_t left)
{
    unsigned char first = text[0];
    unsigned char second = left > 1 ? text[1] : 0;
    if (first < 0x80)
        return first != 0;
    if (first >= 0xC2 && first < 0xE0)
        return continues(text + 1, left - 1, 1) ? 2 : 0;
    bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    bool surrogate = first == 0xED && second > 0x9F;
    bool beyond = first == 0xF4 && second > 0x8F;
    if (first < 0xE0 || first > 0xF4 || overlong || surrogate || beyond)
        return 0;
    size_t more = first < 0xF0 ? 2 : 3;
    return continues(text + 1, left - 1, more) ? more + 1 : 0;
}

/* Bits of those of eight bytes that are not ASCII, or NUL. */
static uint64_t not_ascii(const unsigned char *eight)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t word;
    memcpy(&word, eight, sizeof word);
    return ((word - each) | word) & each * 0x80;
}

/* ASCII without NUL is skipped in large pieces. */
static size_t ascii_bytes(const unsigned char *at, size_t length)
{
    size_t from = 0;
    while (length - from >= 32 && !(not_ascii(at + from) | not_ascii(at + from + 8) |
                                    not_ascii(at + from + 16) | not_ascii(at + from + 24)))
        from += 32;
    while (length - from >= 8 && !not_ascii(at + from))
        from += 8;
    return from;
}

bool wf_sqlite_utf8(const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text;
    while (length) {
        size_t bytes = ascii_bytes(at, length);
        if (!bytes)
            bytes = character(at, length);
        if (!bytes)
            return false;
        at += bytes;
        length -= bytes;
    }
    return true;
}
