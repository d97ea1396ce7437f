/* base/buffer.c */
#include "base/buffer.h"

#include <stdio.h>
#include <string.h>
#include "base/invariant.h"
#include "base/memory.h"

void wf_buffer_init(wf_buffer *buffer, const wfsm_allocator *allocator)
{
    *buffer = (wf_buffer){.allocator = allocator};
}

void wf_buffer_fini(wf_buffer *buffer)
{
    wf_free(buffer->allocator, buffer->data);
    wf_buffer_init(buffer, buffer->allocator);
}

void wf_buffer_clear(wf_buffer *buffer)
{
    buffer->length = 0;
    buffer->failed = false;
    if (buffer->data)
        buffer->data[0] = '\0';
}

static bool grow(wf_buffer *buffer, size_t need)
{
    char *moved =
        wf_grow(buffer->allocator, buffer->data, &buffer->capacity, need < 64 ? 64 : need, 1);

    if (moved)
        buffer->data = moved;
    return moved != NULL;
}

char *wf_buffer_make_room(wf_buffer *buffer, size_t length)
{
    size_t need = buffer->length + length + 1;

    if (!buffer->failed && need > length && grow(buffer, need))
        return buffer->data + buffer->length;
    buffer->failed = true;
    return NULL;
}

void wf_buffer_add(wf_buffer *buffer, const char *bytes, size_t length)
{
    char *at = wf_buffer_room(buffer, length);

    if (!at)
        return;
    if (length)
        memcpy(at, bytes, length);
    at[length] = '\0';
    buffer->length += length;
    /* The NUL has its place, too. */
    WF_INVARIANT(buffer->length < buffer->capacity);
}

void wf_buffer_text(wf_buffer *buffer, const char *text)
{
    wf_buffer_add(buffer, text, strlen(text));
}

void wf_buffer_format(wf_buffer *buffer, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0) {
        buffer->failed = true;
        return;
    }
    if (!wf_buffer_room(buffer, (size_t)length))
        return;
    va_start(args, format);
    vsnprintf(buffer->data + buffer->length, (size_t)length + 1, format, args);
    va_end(args);
    buffer->length += (size_t)length;
}
