/* base/error.c */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/invariant.h"
#include "base/memory.h"

enum { WF_MESSAGE_BYTES = 512, WF_POINTER_BYTES = 512 };

struct wfsm_error {
    wfsm_allocator allocator;
    int32_t status;
    int32_t line;
    int32_t column;
    char message[WF_MESSAGE_BYTES];
    char pointer[WF_POINTER_BYTES];
};

wfsm_error *wfsm_error_new(const wfsm_allocator *allocator)
{
    wfsm_allocator own;
    wfsm_error *error;

    if (!wf_allocator_init(&own, allocator))
        return NULL;
    error = wf_new(&own, sizeof *error);
    if (error)
        error->allocator = own;
    return error;
}

void wfsm_error_free(wfsm_error *error)
{
    wfsm_allocator own;

    if (!error)
        return;
    own = error->allocator;
    wf_free(&own, error);
}

int32_t wfsm_error_status(const wfsm_error *error)
{
    return error ? error->status : WFSM_OK;
}

const char *wfsm_error_message(const wfsm_error *error)
{
    return error ? error->message : "";
}

const char *wfsm_error_pointer(const wfsm_error *error)
{
    return error ? error->pointer : "";
}

int32_t wfsm_error_line(const wfsm_error *error)
{
    return error ? error->line : 0;
}

int32_t wfsm_error_column(const wfsm_error *error)
{
    return error ? error->column : 0;
}

/* Copies what fits and never ends inside a UTF-8 sequence. `from` may overlap. */
static void copy_cut(char *to, size_t size, const char *from)
{
    size_t length = 0;

    while (length < size && from[length])
        length++;
    if (length == size) {
        length--;
        while (length && ((unsigned char)from[length] & 0xC0) == 0x80)
            length--;
    }
    WF_INVARIANT(length < size);
    memmove(to, from, length);
    to[length] = '\0';
}

static void fill(wfsm_error *error, int32_t status, const char *message)
{
    copy_cut(error->message, sizeof error->message, message);
    error->pointer[0] = '\0';
    error->status = status;
    error->line = 0;
    error->column = 0;
}

int32_t wfsm_error_set(wfsm_error *error, int32_t status, const char *message)
{
    if (error)
        fill(error, status, message ? message : "");
    return status;
}

/* Through a buffer of its own: the arguments may be texts of the error itself. One byte
 * more than fits, so that copy_cut sees where a cut falls. */
static void fill_format(wfsm_error *error, int32_t status, const char *format, va_list args)
    WF_PRINTF(3, 0);

static void fill_format(wfsm_error *error, int32_t status, const char *format, va_list args)
{
    char message[WF_MESSAGE_BYTES + 1];

    if (vsnprintf(message, sizeof message, format, args) < 0)
        message[0] = '\0';
    fill(error, status, message);
}

int32_t wf_fail(wfsm_error *error, int32_t status, const char *format, ...)
{
    va_list args;

    if (!error)
        return status;
    va_start(args, format);
    fill_format(error, status, format, args);
    va_end(args);
    return status;
}

int32_t wf_fail_at(wfsm_error *error, const wf_place *place, int32_t status, const char *format,
                   ...)
{
    va_list args;

    if (!error)
        return status;
    va_start(args, format);
    fill_format(error, status, format, args);
    va_end(args);
    wf_place_pointer(place, error->pointer, sizeof error->pointer);
    return status;
}

int32_t wf_no_memory(wfsm_error *error)
{
    return wfsm_error_set(error, WFSM_NO_MEMORY, "out of memory");
}

void wf_error_set_pointer(wfsm_error *error, const char *pointer)
{
    if (error)
        copy_cut(error->pointer, sizeof error->pointer, pointer);
}

void wf_error_copy(wfsm_error *to, const wfsm_error *from)
{
    if (!to)
        return;
    wfsm_error_set(to, wfsm_error_status(from), wfsm_error_message(from));
    wf_error_set_pointer(to, wfsm_error_pointer(from));
}

void wf_error_set_position(wfsm_error *error, int32_t line, int32_t column)
{
    if (!error)
        return;
    error->line = line;
    error->column = column;
}
