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
/* Empties it, and keeps the memory. */
void host_text_empty(host_text *text);
void host_text_free(host_text *text);

/* Replaces what is no UTF-8, and NULs, by '?', in place. */
void host_text_make_plain(char *text, size_t length);
/* Makes one line that cannot steer a terminal: control characters, those of C1 too, and what is
 * no UTF-8 are replaced by '?', in place. */
void host_text_make_line(char *text);

#endif
