/* tests/failing_allocator.h: an allocator that fails on demand and knows what is alive.
 */
#ifndef FAILING_ALLOCATOR_H
#define FAILING_ALLOCATOR_H

#include <stdlib.h>
#include <wfsm/base.h>

typedef struct failing {
    wfsm_allocator allocator;
    long left; /* allocations until all fail; negative: never */
    long alive;
    long asked;
} failing;

static inline int failing_now(failing *f)
{
    f->asked++;
    if (f->left == 0)
        return 1;
    f->left -= f->left > 0;
    return 0;
}

static inline void *failing_allocate(void *user, size_t bytes)
{
    failing *f = user;
    void *block = failing_now(f) ? NULL : malloc(bytes);

    f->alive += block != NULL;
    return block;
}

static inline void *failing_resize(void *user, void *block, size_t bytes)
{
    failing *f = user;
    void *moved = failing_now(f) ? NULL : realloc(block, bytes);

    f->alive += moved && !block;
    return moved;
}

static inline void failing_release(void *user, void *block)
{
    failing *f = user;

    f->alive -= block != NULL;
    free(block);
}

static inline void failing_init(failing *f, long left)
{
    *f = (failing){{sizeof f->allocator, f, failing_allocate, failing_resize, failing_release},
                   left,
                   0,
                   0};
}
#endif
