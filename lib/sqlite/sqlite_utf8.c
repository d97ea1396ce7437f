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

/* Skips ASCII without NUL eight bytes at a time. */
static bool are_ascii(const unsigned char *eight)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t word;
    memcpy(&word, eight, sizeof word);
    return (((word - each) | word) & each * 0x80) == 0;
}

bool wf_sqlite_utf8(const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text;
    while (length) {
        if (length >= 8 && are_ascii(at)) {
            at += 8;
            length -= 8;
            continue;
        }
        size_t bytes = character(at, length);
        if (!bytes)
            return false;
        at += bytes;
        length -= bytes;
    }
    return true;
}
