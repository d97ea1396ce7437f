/*
 * base/buffer.h: growing bytes. A failed allocation makes the buffer failed and all further
 * appends do nothing, so that writers check once, at the end.
 */
#ifndef WF_BASE_BUFFER_H
#define WF_BASE_BUFFER_H

#include <stdarg.h>
#include <stdbool.h>
#include <wfsm/base.h>
#include "base/error.h"
#include "base/private.h"

typedef struct wf_buffer {
    const wfsm_allocator *allocator; /* borrowed; must outlive the buffer */
    char *data;                      /* NUL-terminated once anything was appended */
    size_t length;
    size_t capacity;
    bool failed;
} wf_buffer;

WF_PRIVATE_API void wf_buffer_init(wf_buffer *buffer, const wfsm_allocator *allocator);
WF_PRIVATE_API void wf_buffer_fini(wf_buffer *buffer);
/* Empties, keeps the memory, forgets a failure. */
WF_PRIVATE_API void wf_buffer_clear(wf_buffer *buffer);
WF_PRIVATE_API void wf_buffer_add(wf_buffer *buffer, const char *bytes, size_t length);
WF_PRIVATE_API void wf_buffer_text(wf_buffer *buffer, const char *text);
WF_PRIVATE_API void wf_buffer_format(wf_buffer *buffer, const char *format, ...)
    WF_PRINTF(2, 3);
/* The slow way of what follows. */
WF_PRIVATE_API char *wf_buffer_make_room(wf_buffer *buffer, size_t length);
/* Room for so many more bytes and the NUL behind them: where they go, or NULL. The caller
 * writes them and then the NUL, and adds to the length. */
static inline char *wf_buffer_room(wf_buffer *buffer, size_t length)
{
    if (!buffer->failed && length < buffer->capacity - buffer->length)
        return buffer->data + buffer->length;
    return wf_buffer_make_room(buffer, length);
}

static inline void wf_buffer_byte(wf_buffer *buffer, char byte)
{
    char *at = wf_buffer_room(buffer, 1);
    if (!at)
        return;
    at[0] = byte;
    at[1] = '\0';
    buffer->length++;
}
#endif
