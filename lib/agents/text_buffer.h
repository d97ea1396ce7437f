/* A text that grows, up to a limit. All zero is an empty one. */
#ifndef WFA_TEXT_BUFFER_H
#define WFA_TEXT_BUFFER_H

#include <stddef.h>

typedef struct wfa_text {
    char *data; /* a NUL behind `length` bytes, once something was added; or NULL */
    size_t length, room;
} wfa_text;

/* -1 when out of memory; the text is then as it was. */
int wfa_text_add(wfa_text *text, const char *bytes, size_t length);
/* Empties it, and keeps the memory. */
void wfa_text_empty(wfa_text *text);
void wfa_text_free(wfa_text *text);

/* Replaces each NUL and each byte that is not UTF-8 by '?', in place. */
void wfa_text_make_plain(char *text, size_t length);

#endif
