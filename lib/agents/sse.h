/* Server-sent events (the text/event-stream of the HTML standard), read in whatever pieces
 * they arrive. Each event is passed on when its empty line has come. Text after the
 * last one when the stream ends was cut off, and is not an event.
 *
 * Only "event" and "data" are looked at; "id", "retry", comments and unknown fields are
 * skipped, as the standard says. */
#ifndef WFA_SSE_H
#define WFA_SSE_H

#include <stddef.h>

#include "agent_error.h"
#include "text_buffer.h"

/* The name of an event is cut after so many bytes. */
#define WFA_SSE_NAME 64

/* One event: `name` is "message" if it was not given; `data` is NUL-terminated at its
 * length, and borrowed until the sink returns. Something other than 0 ends the reading. */
typedef int (*wfa_sse_sink)(void *user, const char *name, const char *data, size_t length);

typedef struct wfa_sse {
    wfa_sse_sink sink;
    void *user;
    size_t limit;  /* bytes of one line, and of the data of one event */
    wfa_text line;  /* so far */
    wfa_text data;  /* of the event so far, each line with a line break behind it */
    char name[WFA_SSE_NAME];
    int begun;     /* the first line is over: no byte order mark is looked for */
    int after_cr;  /* the last byte was a CR: an LF would belong to it */
} wfa_sse;

/* Must be freed. */
void wfa_sse_begin(wfa_sse *sse, size_t limit, wfa_sse_sink sink, void *user);
/* 0; what the sink returned if that was not 0; or -1 and an error: a line or the data of an
 * event are longer than the limit, or there is no memory. */
int wfa_sse_feed(wfa_sse *sse, const char *bytes, size_t length, wfa_error *error);
void wfa_sse_free(wfa_sse *sse);

#endif
