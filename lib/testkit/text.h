/* testkit/text.h: a growing text. */
#ifndef TESTKIT_TEXT_H
#define TESTKIT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__)
#define TK_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TK_PRINTF(text, first)
#endif

/* Starts as {0}. NUL-terminated once text was added. */
typedef struct tk_text {
    char *data;
    size_t length, capacity;
    bool failed; /* memory ran out: the text is incomplete */
} tk_text;

void tk_text_bytes(tk_text *text, const char *bytes, size_t length);
void tk_text_add(tk_text *text, const char *format, ...) TK_PRINTF(2, 3);
/* The text, or "". */
const char *tk_text_read(const tk_text *text);
void tk_text_clear(tk_text *text);
void tk_text_free(tk_text *text);
#endif
