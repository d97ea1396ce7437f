/* base/utf8.c */
#include "base/utf8.h"

#include <string.h>
#include "base/plain.h"

/* Length of the well-formed sequence at p, 0 if there is none (Unicode table 3-7). */
static size_t sequence(const unsigned char *p, size_t left)
{
    unsigned char low = 0x80, high = 0xBF;
    size_t need;

    if (p[0] < 0x80)
        return 1;
    if (p[0] < 0xC2 || p[0] > 0xF4)
        return 0;
    need = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    if (left < need)
        return 0;
    if (p[0] == 0xE0)
        low = 0xA0;
    if (p[0] == 0xED)
        high = 0x9F;
    if (p[0] == 0xF0)
        low = 0x90;
    if (p[0] == 0xF4)
        high = 0x8F;
    if (p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < need; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    return need;
}

bool wf_utf8_valid(const char *text, size_t length)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t at = 0;

    while ((at = wf_skip_plain(text, at, length)) < length) {
        size_t step = sequence(p + at, length - at);

        if (!step)
            return false;
        at += step;
    }
    return true;
}

static bool starts_point(char byte)
{
    return ((unsigned char)byte & 0xC0) != 0x80;
}

size_t wf_utf8_count(const char *text, size_t length)
{
    size_t count = 0;

    for (size_t i = 0; i < length; i++)
        count += starts_point(text[i]);
    return count;
}

size_t wf_utf8_offset(const char *text, size_t length, size_t index)
{
    size_t at = 0;

    for (; at < length; at++) {
        if (!starts_point(text[at]))
            continue;
        if (!index)
            return at;
        index--;
    }
    return length;
}

bool wf_id_valid(const char *id)
{
    const char *end = id ? memchr(id, '\0', 256) : NULL;

    return end && end > id && wf_utf8_valid(id, (size_t)(end - id));
}
