/* json/json_texts.h: JSON texts by chance: generated ones, which are JSON, and mutations, most of
 * which are not. */
#ifndef JSON_TEXTS_H
#define JSON_TEXTS_H

#include <stddef.h>
#include "laws/chance.h"

typedef struct json_text {
    char *bytes; /* no NUL behind them */
    size_t length, room;
} json_text;

typedef struct json_texts {
    json_text *list;
    size_t count, room;
} json_texts;

/* A copy of the bytes becomes the last of the list. */
void json_texts_add(json_texts *texts, const char *bytes, size_t length);
void json_texts_free(json_texts *texts);

/* A new text, to be freed: some value, with spaces, escapes and numbers of every form. */
void json_text_generate(json_text *text, chance *random);
/* A new text, to be freed: one of the list, with one to four changes. */
void json_text_mutate(json_text *text, const json_texts *from, chance *random);
void json_text_free(json_text *text);
#endif
