#include "text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 256 };

static int make_room(host_text *text, size_t needed)
{
    size_t room = text->room > 0 ? text->room : FIRST_ROOM;
    char *grown;

    if (needed <= text->room)
        return 0;
    while (room < needed)
        room *= 2;
    grown = realloc(text->data, room);
    if (!grown)
        return -1;
    text->data = grown;
    text->room = room;
    return 0;
}

int host_text_add(host_text *text, const char *bytes, size_t length)
{
    if (length > SIZE_MAX / 4 - text->length || make_room(text, text->length + length + 1) != 0)
        return -1;
    if (length > 0)
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
    return 0;
}

void host_text_free(host_text *text)
{
    free(text->data);
    memset(text, 0, sizeof *text);
}

/* Bytes of the character that begins here; 0 if none does. Overlong forms, surrogates and
 * what lies beyond U+10FFFF are none. */
static size_t character(const unsigned char *at, size_t left)
{
    static const unsigned long least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = at[0] < 0x80   ? 1
                    : at[0] < 0xC2 ? 0
                    : at[0] < 0xE0 ? 2
                    : at[0] < 0xF0 ? 3
                    : at[0] < 0xF5 ? 4
                                   : 0;
    unsigned long code;
    size_t index;

    if (length < 2 || length > left)
        return length == 1 && at[0] != 0 ? 1 : 0;
    code = at[0] & (0x7FU >> length);
    for (index = 1; index < length; index++) {
        if ((at[index] & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (at[index] & 0x3FU);
    }
    if (code < least[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        return 0;
    return length;
}

void host_text_make_plain(char *text, size_t length)
{
    size_t at = 0;

    while (at < length) {
        size_t good = character((const unsigned char *)text + at, length - at);
        if (good == 0)
            text[at++] = '?';
        at += good;
    }
}

size_t host_text_whole(const char *text, size_t length)
{
    size_t back = 1;

    while (back < 4 && back <= length && (text[length - back] & 0xC0) == 0x80)
        back++;
    if (back <= length && (text[length - back] & 0xC0) == 0xC0 && length > back)
        return length - back;
    return length;
}
