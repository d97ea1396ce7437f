/* base/error.h: filling in a wfsm_error, and the place in a JSON document it is about. */
#ifndef WF_BASE_ERROR_H
#define WF_BASE_ERROR_H

#include <wfsm/base.h>
#include "base/private.h"

#if defined(__GNUC__)
#define WF_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define WF_PRINTF(text, first)
#endif

/*
 * A path down a document, as a chain on the stack of the function that walks it. `key` NULL
 * means an array element; the root has no `up`, and neither key nor index counts.
 */
typedef struct wf_place {
    const struct wf_place *up;
    const char *key;
    size_t key_length;
    size_t index;
} wf_place;

/* Writes the JSON pointer of a place, cut at size - 1 bytes; returns its full length. */
size_t wf_place_pointer(const wf_place *place, char *out, size_t size);

/* Fill in *error (NULL is fine) and return status. Never allocate. */
WF_PRIVATE_API int32_t wf_fail(wfsm_error *error, int32_t status, const char *format, ...)
    WF_PRINTF(3, 4);
int32_t wf_fail_at(wfsm_error *error, const wf_place *place, int32_t status, const char *format,
                   ...) WF_PRINTF(4, 5);
WF_PRIVATE_API int32_t wf_no_memory(wfsm_error *error);
/* Adds the place to an error that is already filled in. */
void wf_error_set_pointer(wfsm_error *error, const char *pointer);
/* The same error; `to` may be NULL. */
void wf_error_copy(wfsm_error *to, const wfsm_error *from);
void wf_error_set_position(wfsm_error *error, int32_t line, int32_t column);
#endif
