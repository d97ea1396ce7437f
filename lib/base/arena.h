/*
 * The part base: what every other part needs and C does not have. Nothing here knows what a
 * machine or a store is. No function does I/O, reads a clock or has global state, and memory
 * comes only from the allocator of the object that is built.
 *
 * The files, in the order to read them:
 *   memory.c      the allocator that every object keeps; growing of arrays
 *   arena.c       memory that is freed as a whole
 *   buffer.c      growing bytes
 *   error.c       fills in a wfsm_error; place.c writes the JSON pointer in it
 *   sized.h       checks structs that begin with their size
 *   names.c       a hash table from names to numbers
 *   digest.c      BLAKE2b
 *   escape.c      makes text of others harmless to show
 *   utf8.c        checks and counts UTF-8; plain.h skips plain ASCII quickly
 *   status.c, version.c
 *                 the names of statuses; the version and the options of this build
 *   invariant.h   assertions about the library's own state
 *   private.h     marks the functions that libwfsm-tools calls
 *
 * base/arena.h: memory for things that are freed together: a compiled machine, the values of
 * one step. A failed arena (out of memory, or beyond its limit) returns NULL until it is reset,
 * so that long builders can check once, at the end.
 */
#ifndef WF_BASE_ARENA_H
#define WF_BASE_ARENA_H

#include <stdbool.h>
#include <wfsm/base.h>
#include "base/private.h"

struct wf_chunk;
typedef struct wf_arena {
    const wfsm_allocator *allocator; /* borrowed */
    struct wf_chunk *chunk;          /* the one in use; older ones behind it */
    size_t used;                     /* bytes of that chunk */
    size_t total;                    /* bytes taken and charged since the last reset */
    size_t limit;                    /* of total; 0: none */
    bool failed;                     /* out of memory */
    bool exceeded;                   /* beyond the limit */
} wf_arena;

WF_PRIVATE_API void wf_arena_init(wf_arena *arena, const wfsm_allocator *allocator,
                                  size_t limit);
WF_PRIVATE_API void wf_arena_fini(wf_arena *arena);
/* Takes everything back, keeps one chunk for the next round: the common path allocates
 * nothing. */
WF_PRIVATE_API void wf_arena_reset(wf_arena *arena);
/* Not initialised, aligned for anything. */
WF_PRIVATE_API void *wf_arena_take(wf_arena *arena, size_t bytes);
WF_PRIVATE_API void *wf_arena_zero(wf_arena *arena, size_t bytes);
WF_PRIVATE_API char *wf_arena_text(wf_arena *arena, const char *text, size_t length);
/* Counts bytes that are allocated elsewhere. False beyond the limit, as if they had been taken. */
bool wf_arena_charge(wf_arena *arena, size_t bytes);
/* WFSM_NO_MEMORY or WFSM_LIMIT, with the error filled in, of a failed arena. */
int32_t wf_arena_error(const wf_arena *arena, wfsm_error *error);
#endif
