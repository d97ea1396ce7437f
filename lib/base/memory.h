/* base/memory.h: the allocator that every object keeps, and growing of arrays. */
#ifndef WF_BASE_MEMORY_H
#define WF_BASE_MEMORY_H

#include <stdbool.h>
#include <wfsm/base.h>
#include "base/private.h"

/* Fills in *out from what a caller gave: NULL is the C library's. False when the struct is
 * of a wrong size or a member is missing. */
bool wf_allocator_init(wfsm_allocator *out, const wfsm_allocator *given);

/* Zeroed memory, NULL when out of memory. 0 bytes give a block, too. */
WF_PRIVATE_API void *wf_new(const wfsm_allocator *allocator, size_t bytes);
WF_PRIVATE_API void wf_free(const wfsm_allocator *allocator, void *block);
/* Copies; NUL-terminated. */
char *wf_copy_text(const wfsm_allocator *allocator, const char *text, size_t length);

/*
 * Makes room for `need` elements of `element` bytes in an array of capacity *capacity,
 * doubling. The array may move: returns its place, or NULL when out of memory (it is as it
 * was then). New elements are not initialised.
 */
WF_PRIVATE_API void *wf_grow(const wfsm_allocator *allocator, void *array, size_t *capacity,
                             size_t need, size_t element);
#endif
