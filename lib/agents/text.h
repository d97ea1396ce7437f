/* A text that grows, up to a limit. All zero is an empty one. */
#ifndef HK_TEXT_H
#define HK_TEXT_H

#include <stddef.h>

typedef struct hk_text {
    char *data; /* a NUL behind `length` bytes, once something was added; or NULL */
    size_t length, room;
} hk_text;

/* -1 when out of memory; the text is then as it was. */
int hk_text_add(hk_text *text, const char *bytes, size_t length);
/* Empties it, and keeps the memory. */
void hk_text_empty(hk_text *text);
void hk_text_free(hk_text *text);

/* Replaces what is no UTF-8, and NULs, by '?', in place. */
void hk_text_make_plain(char *text, size_t length);
/* Makes one line that cannot steer a terminal: control characters, those of C1 too, and what is
 * no UTF-8 are replaced by '?', in place. */
void hk_text_make_line(char *text);

#endif
