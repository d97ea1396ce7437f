/* A text that grows, up to a limit. All zero is an empty one. */
#ifndef HOST_TEXT_H
#define HOST_TEXT_H

#include <stddef.h>

typedef struct host_text {
    char *data; /* a NUL behind `length` bytes, once something was added; or NULL */
    size_t length, room;
} host_text;

/* -1 when out of memory; the text is then as it was. */
int host_text_add(host_text *text, const char *bytes, size_t length);
void host_text_free(host_text *text);

/* Replaces each NUL and each byte that is not UTF-8 by '?', in place. */
void host_text_make_plain(char *text, size_t length);
/* The length without a character of which only the beginning is there. */
size_t host_text_whole(const char *text, size_t length);

#endif
