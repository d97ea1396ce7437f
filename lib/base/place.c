/* base/place.c: JSON pointers (RFC 6901) of places. */
#include "base/error.h"

#include <stdio.h>
#include <string.h>

typedef struct pointer_out {
    char *text;
    size_t size;
    size_t length;
} pointer_out;

static void put(pointer_out *out, char byte)
{
    if (out->length + 1 < out->size)
        out->text[out->length] = byte;
    out->length++;
}

static void put_key(pointer_out *out, const char *key, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (key[i] == '~' || key[i] == '/') {
            put(out, '~');
            put(out, key[i] == '~' ? '0' : '1');
        } else {
            put(out, key[i]);
        }
    }
}

static void put_index(pointer_out *out, size_t index)
{
    char digits[32];

    snprintf(digits, sizeof digits, "%zu", index);
    put_key(out, digits, strlen(digits));
}

static size_t count_ups(const wf_place *place)
{
    size_t count = 0;

    for (; place && place->up; place = place->up)
        count++;
    return count;
}

/* The chain runs from leaf to root and a pointer the other way; walking it once for
 * each level needs neither memory nor recursion, and chains are short. */
static const wf_place *ancestor(const wf_place *place, size_t ups)
{
    while (ups--)
        place = place->up;
    return place;
}

size_t wf_place_pointer(const wf_place *place, char *out, size_t size)
{
    pointer_out to = {out, size, 0};
    size_t levels = count_ups(place);

    while (levels--) {
        const wf_place *at = ancestor(place, levels);

        put(&to, '/');
        if (at->key)
            put_key(&to, at->key, at->key_length);
        else
            put_index(&to, at->index);
    }
    if (size) {
        size_t end = to.length < size ? to.length : size - 1;

        /* Never end inside a UTF-8 sequence. */
        if (end < to.length)
            while (end && ((unsigned char)out[end - 1] & 0x80))
                end--;
        out[end] = '\0';
    }
    return to.length;
}
