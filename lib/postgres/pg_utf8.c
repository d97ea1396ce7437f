#include "pg.h"

#include <string.h>

/* Bytes behind the first one, and the least character that needs them; -1: no first byte. */
static int rest_of(unsigned char first, uint32_t *least, uint32_t *character)
{
    static const struct {
        unsigned char mask, bits;
        uint32_t least;
    } forms[] = {
        {0x80, 0x00, 0x01}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}};

    for (int i = 0; i < 4; i++)
        if ((first & forms[i].mask) == forms[i].bits) {
            *least = forms[i].least;
            *character = first & (unsigned char)~forms[i].mask;
            return i;
        }
    return -1;
}

static bool is_character(uint32_t character, uint32_t least)
{
    return character >= least && character <= 0x10FFFF &&
           (character < 0xD800 || character > 0xDFFF);
}

/* Most texts are ASCII: eight bytes at a time, none of which is NUL or has its highest bit set. */
static const unsigned char *skip_ascii(const unsigned char *at, const unsigned char *end)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), highest = ones << 7;
    uint64_t eight;

    while (end - at >= 8) {
        memcpy(&eight, at, sizeof eight);
        if (((eight - ones) | eight) & highest)
            break;
        at += 8;
    }
    return at;
}

bool wf_pg_utf8(const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + length;

    for (at = skip_ascii(at, end); at < end; at = skip_ascii(at, end)) {
        uint32_t least = 0, character = 0;
        int rest = rest_of(*at++, &least, &character);

        if (rest < 0 || end - at < rest)
            return false;
        for (; rest > 0; rest--, at++) {
            if ((*at & 0xC0) != 0x80)
                return false;
            character = character << 6 | (*at & 0x3Fu);
        }
        if (!is_character(character, least))
            return false;
    }
    return true;
}
