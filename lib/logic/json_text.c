/* logic/json_text.c: the characters of JSON strings, and lines and columns. */
#include "logic/json_scan.h"

#include <string.h>
#include "base/invariant.h"
#include "base/plain.h"
#include "base/utf8.h"

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* \uXXXX at `at`, or -1. */
static long hex_unit(const char *text, size_t length, size_t at)
{
    long unit = 0;

    if (length < 6 || at > length - 6 || text[at] != '\\' || text[at + 1] != 'u')
        return -1;
    for (size_t i = at + 2; i < at + 6; i++) {
        int digit = hex_digit(text[i]);

        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

static int encode(long point, char out[4])
{
    WF_INVARIANT(point > 0 && point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF));
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (char)(0xC0 | point >> 6);
        out[1] = (char)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (char)(0xE0 | point >> 12);
        out[1] = (char)(0x80 | (point >> 6 & 0x3F));
        out[2] = (char)(0x80 | (point & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | point >> 18);
    out[1] = (char)(0x80 | (point >> 12 & 0x3F));
    out[2] = (char)(0x80 | (point >> 6 & 0x3F));
    out[3] = (char)(0x80 | (point & 0x3F));
    return 4;
}

static int unicode_escape(const char *text, size_t length, size_t *at, char out[4])
{
    long unit = hex_unit(text, length, *at), low;

    if (unit <= 0 || (unit >= 0xDC00 && unit <= 0xDFFF))
        return -1;
    if (unit < 0xD800 || unit > 0xDBFF) {
        *at += 6;
        return encode(unit, out);
    }
    low = hex_unit(text, length, *at + 6);
    if (low < 0xDC00 || low > 0xDFFF)
        return -1;
    *at += 12;
    return encode(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00), out);
}

static int escape(const char *text, size_t length, size_t *at, char out[4])
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char *letter;

    if (*at + 1 >= length)
        return -1;
    if (text[*at + 1] == 'u')
        return unicode_escape(text, length, at, out);
    letter = text[*at + 1] ? strchr(letters, text[*at + 1]) : NULL;
    if (!letter)
        return -1;
    out[0] = meanings[letter - letters];
    *at += 2;
    return 1;
}

static int sequence(const char *text, size_t length, size_t *at, char out[4])
{
    for (size_t count = 1; count <= 4 && *at + count <= length; count++) {
        if (!wf_utf8_valid(text + *at, count))
            continue;
        memcpy(out, text + *at, count);
        *at += count;
        return (int)count;
    }
    return -1;
}

int wf_json_character(const char *text, size_t length, size_t *at, char out[4])
{
    if (*at >= length || (unsigned char)text[*at] < 0x20)
        return -1;
    if (text[*at] == '"')
        return 0;
    if (text[*at] == '\\')
        return escape(text, length, at, out);
    return sequence(text, length, at, out);
}

char *wf_json_unescape(char *text, size_t size, size_t begin, size_t *at, size_t *length)
{
    size_t to = *at;
    char bytes[4];
    int count;

    while ((count = wf_json_character(text, size, at, bytes)) > 0) {
        size_t from = *at;

        WF_INVARIANT(to + (size_t)count <= from); /* no character is longer than its escape */
        memcpy(text + to, bytes, (size_t)count);
        to += (size_t)count;
        *at = wf_skip_plain(text, from, size);
        memmove(text + to, text + from, *at - from);
        to += *at - from;
    }
    if (count < 0)
        return NULL;
    ++*at;
    text[to] = '\0';
    *length = to - begin;
    return text + begin;
}

void wf_json_position_next(wf_json_lines *lines, const char *text, size_t length, size_t offset,
                           int32_t *line, int32_t *column)
{
    if (offset < lines->counted)
        *lines = (wf_json_lines){0};
    for (; lines->counted < offset && lines->counted < length; lines->counted++)
        if (text[lines->counted] == '\n') {
            lines->lines++;
            lines->start = lines->counted + 1;
        }
    *line = lines->lines < INT32_MAX ? (int32_t)(lines->lines + 1) : INT32_MAX;
    *column =
        offset - lines->start < INT32_MAX ? (int32_t)(offset - lines->start + 1) : INT32_MAX;
}

void wf_json_position(const char *text, size_t length, size_t offset, int32_t *line,
                      int32_t *column)
{
    wf_json_lines lines = {0};

    wf_json_position_next(&lines, text, length, offset, line, column);
}
