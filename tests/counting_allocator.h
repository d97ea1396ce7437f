/* tests/counting_allocator.h: an allocator that knows how many bytes are alive, and the most that were. */
#ifndef COUNTING_ALLOCATOR_H
#define COUNTING_ALLOCATOR_H

#include <stdlib.h>
#include <string.h>
#include <wfsm/base.h>

enum { COUNTED_BEFORE = 16 }; /* bytes before each block; the first have its size */

static size_t alive, peak;

static inline void *counted_allocate(void *user, size_t bytes)
{
    size_t *made = malloc(bytes + COUNTED_BEFORE);

    (void)user;
    if (!made)
        return NULL;
    *made = bytes;
    alive += bytes;
    if (alive > peak)
        peak = alive;
    return (char *)made + COUNTED_BEFORE;
}

static inline void counted_release(void *user, void *block)
{
    (void)user;
    if (!block)
        return;
    alive -= *(size_t *)(void *)((char *)block - COUNTED_BEFORE);
    free((char *)block - COUNTED_BEFORE);
}

/* Both blocks are alive for a moment, which is the worst that may happen. */
static inline void *counted_resize(void *user, void *block, size_t bytes)
{
    void *made = counted_allocate(user, bytes);
    size_t before;

    if (!made || !block)
        return made;
    before = *(size_t *)(void *)((char *)block - COUNTED_BEFORE);
    memcpy(made, block, before < bytes ? before : bytes);
    counted_release(user, block);
    return made;
}

static const wfsm_allocator counting = {sizeof counting, NULL, counted_allocate, counted_resize,
                                        counted_release};
#endif
