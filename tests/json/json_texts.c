#include "json/json_texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 6, LONGEST = 4000 };

/* What JSON is made of, and what is nearly that. */
static const char *const pieces[] = {"{",
                                     "}",
                                     "[",
                                     "]",
                                     ",",
                                     ":",
                                     "\"",
                                     "\\",
                                     "\\u",
                                     "\\u0",
                                     "\\u0000",
                                     "\\ud800",
                                     "\\udc00",
                                     "\\n",
                                     "\\x",
                                     "true",
                                     "false",
                                     "null",
                                     "nul",
                                     "0",
                                     "00",
                                     "-",
                                     "+",
                                     ".",
                                     "e",
                                     "E+",
                                     "1e999",
                                     "1e-999",
                                     "-0",
                                     "\"a\":1",
                                     "\"a\":1",
                                     "9007199254740993",
                                     "\n",
                                     "\t",
                                     " ",
                                     "\x01",
                                     "\x1f",
                                     "\x7f",
                                     "\xc3\xa9",
                                     "\xc3",
                                     "\xff",
                                     "\xf0\x9f\x98\x80",
                                     "\xed\xa0\x80",
                                     "\xc0\x80",
                                     "\xef\xbb\xbf",
                                     "/",
                                     "'",
                                     "[[[[[[[["};

static void make_room(json_text *text, size_t more)
{
    if (text->bytes && text->length + more <= text->room)
        return;
    text->room = (text->length + more) * 2 + 64;
    text->bytes = realloc(text->bytes, text->room);
    if (!text->bytes)
        abort();
}

static void add(json_text *text, const char *bytes, size_t length)
{
    make_room(text, length);
    if (length)
        memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
}

static void add_z(json_text *text, const char *bytes)
{
    add(text, bytes, strlen(bytes));
}

void json_text_free(json_text *text)
{
    free(text->bytes);
    *text = (json_text){0};
}

void json_texts_add(json_texts *texts, const char *bytes, size_t length)
{
    if (texts->count == texts->room) {
        texts->room = texts->room * 2 + 64;
        texts->list = realloc(texts->list, texts->room * sizeof *texts->list);
        if (!texts->list)
            abort();
    }
    texts->list[texts->count] = (json_text){0};
    add(&texts->list[texts->count++], bytes, length);
}

void json_texts_free(json_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        json_text_free(&texts->list[i]);
    free(texts->list);
    *texts = (json_texts){0};
}

/* ---- generated ---- */

static void add_space(json_text *text, chance *random)
{
    static const char *const spaces[] = {" ", "\n", "\t", "\r\n", "   "};

    if (draw_percent(random, 15))
        add_z(text, DRAW_FROM(random, spaces));
}

static void add_character(json_text *text, chance *random)
{
    static const char *const odd[] = {"\\\"",
                                      "\\\\",
                                      "\\/",
                                      "\\b",
                                      "\\f",
                                      "\\n",
                                      "\\r",
                                      "\\t",
                                      "\x7f",
                                      "\xc3\xa9",
                                      "\xe2\x82\xac",
                                      "\xf0\x9f\x98\x80",
                                      "\\ud83d\\ude00",
                                      "\\u20AC",
                                      "\\u0001",
                                      "\\uffff"};
    char one[8];

    if (draw_percent(random, 30)) {
        add_z(text, DRAW_FROM(random, odd));
        return;
    }
    snprintf(one, sizeof one, draw_percent(random, 5) ? "\\u%04x" : "%c",
             'a' + draw(random, 26));
    add_z(text, one);
}

static void add_string(json_text *text, chance *random)
{
    add_z(text, "\"");
    for (uint32_t left = draw(random, 14); left; left--)
        add_character(text, random);
    add_z(text, "\"");
}

static void add_digits(json_text *text, chance *random, uint32_t most)
{
    for (uint32_t left = 1 + draw(random, most); left; left--)
        add(text, &"0123456789"[draw(random, 10)], 1);
}

/* Up to 25 digits: also integers that one of the readers, or both, find too large. */
static void add_number(json_text *text, chance *random)
{
    static const char *const signs[] = {"", "+", "-"};

    if (draw_percent(random, 30))
        add_z(text, "-");
    add(text, &"123456789"[draw(random, 9)], 1);
    if (draw_percent(random, 50))
        add_digits(text, random, draw_percent(random, 5) ? 24 : 8);
    if (draw_percent(random, 40)) {
        add_z(text, ".");
        add_digits(text, random, 20);
    }
    if (draw_percent(random, 20)) {
        add_z(text, draw_percent(random, 50) ? "e" : "E");
        add_z(text, DRAW_FROM(random, signs));
        add_digits(text, random, 3);
    }
}

static void add_value(json_text *text, chance *random, unsigned depth);

static void add_array(json_text *text, chance *random, unsigned depth)
{
    uint32_t count = draw(random, 6);

    add_z(text, "[");
    for (uint32_t i = 0; i < count; i++) {
        add_z(text, i ? "," : "");
        add_value(text, random, depth + 1);
    }
    add_space(text, random);
    add_z(text, "]");
}

/* One key in forty comes again. */
static void add_object(json_text *text, chance *random, unsigned depth)
{
    uint32_t count = draw(random, 6);
    char key[24];

    add_z(text, "{");
    for (uint32_t i = 0; i < count; i++) {
        snprintf(key, sizeof key, "%s\"k%u\"", i ? "," : "",
                 i && draw_percent(random, 1) ? 0U : (unsigned)i);
        add_z(text, key);
        add_space(text, random);
        add_z(text, ":");
        add_value(text, random, depth + 1);
    }
    add_space(text, random);
    add_z(text, "}");
}

static void add_value(json_text *text, chance *random, unsigned depth)
{
    static const char *const words[] = {"true", "false", "null", "0", "-0", "0.0", "\"\""};
    uint32_t kind = draw(random, depth < DEEPEST ? 10 : 6);

    add_space(text, random);
    if (kind < 2)
        add_z(text, DRAW_FROM(random, words));
    else if (kind < 4)
        add_number(text, random);
    else if (kind < 6)
        add_string(text, random);
    else if (kind < 8)
        add_array(text, random, depth);
    else
        add_object(text, random, depth);
    add_space(text, random);
}

void json_text_generate(json_text *text, chance *random)
{
    *text = (json_text){0};
    add_value(text, random, 0);
}

/* ---- mutated ---- */

static void cut(json_text *text, size_t at, size_t count)
{
    memmove(text->bytes + at, text->bytes + at + count, text->length - at - count);
    text->length -= count;
}

static void insert(json_text *text, size_t at, const char *bytes, size_t count)
{
    make_room(text, count);
    memmove(text->bytes + at + count, text->bytes + at, text->length - at);
    memcpy(text->bytes + at, bytes, count);
    text->length += count;
}

static size_t place(const json_text *text, chance *random)
{
    return draw(random, (uint32_t)text->length + 1);
}

/* A part of the text, put somewhere else once more. */
static void repeat(json_text *text, chance *random)
{
    size_t from = place(text, random), count = draw(random, 40);
    char part[40];

    if (count > text->length - from)
        count = text->length - from;
    memcpy(part, text->bytes + from, count);
    insert(text, place(text, random), part, count);
}

static void change(json_text *text, chance *random)
{
    const char *piece = DRAW_FROM(random, pieces);
    size_t at = place(text, random);

    make_room(text, 0);
    switch (draw(random, 6)) {
    case 0:
        insert(text, at, piece, strlen(piece));
        break;
    case 1:
        cut(text, at, at < text->length);
        break;
    case 2:
        if (at < text->length)
            text->bytes[at] = (char)draw(random, 256);
        break;
    case 3:
        if (at < text->length)
            text->bytes[at] = *piece;
        break;
    case 4:
        repeat(text, random);
        break;
    default:
        if (draw_percent(random, 20))
            text->length = at;
    }
}

void json_text_mutate(json_text *text, const json_texts *from, chance *random)
{
    const json_text *one = &from->list[draw(random, (uint32_t)from->count)];
    size_t begin = one->length > LONGEST ? draw(random, (uint32_t)(one->length - LONGEST)) : 0;

    *text = (json_text){0};
    add(text, one->bytes + begin, one->length > LONGEST ? LONGEST : one->length);
    for (uint32_t left = 1 + draw(random, 4); left; left--)
        change(text, random);
}
