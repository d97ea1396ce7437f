/* base/memory.c */
#include "base/invariant.h"
#include "base/memory.h"

#include "base/sized.h"

#include <stdlib.h>
#include <string.h>

static void *libc_allocate(void *user, size_t bytes)
{
    (void)user;
    return malloc(bytes);
}

static void *libc_resize(void *user, void *block, size_t bytes)
{
    (void)user;
    return realloc(block, bytes);
}

static void libc_release(void *user, void *block)
{
    (void)user;
    free(block);
}

bool wf_allocator_init(wfsm_allocator *out, const wfsm_allocator *given)
{
    if (!given) {
        *out = (wfsm_allocator){sizeof *out, NULL, libc_allocate, libc_resize, libc_release};
        return true;
    }
    return wf_struct_check(out, sizeof *out, given, sizeof *out) && out->allocate &&
           out->resize && out->release;
}

void *wf_new(const wfsm_allocator *allocator, size_t bytes)
{
    void *block = allocator->allocate(allocator->user, bytes ? bytes : 1);

    if (block)
        memset(block, 0, bytes);
    return block;
}

void wf_free(const wfsm_allocator *allocator, void *block)
{
    if (block)
        allocator->release(allocator->user, block);
}

char *wf_copy_text(const wfsm_allocator *allocator, const char *text, size_t length)
{
    char *copy;

    if (length == SIZE_MAX)
        return NULL;
    copy = allocator->allocate(allocator->user, length + 1);
    if (!copy)
        return NULL;
    if (length)
        memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* The capacity to ask for, or 0 when no object can be that large: PTRDIFF_MAX is the end
 * of pointer arithmetic, and allocators that check their caller refuse more than that. */
static size_t grown(size_t capacity, size_t need, size_t element)
{
    size_t most = PTRDIFF_MAX / element;

    if (need > most)
        return 0;
    if (capacity < 8)
        capacity = 8;
    while (capacity < need)
        capacity = capacity > most / 2 ? need : capacity * 2;
    return capacity > most ? need : capacity;
}

void *wf_grow(const wfsm_allocator *allocator, void *array, size_t *capacity, size_t need,
              size_t element)
{
    size_t wanted;
    void *moved;

    if (array && need <= *capacity)
        return array;
    wanted = grown(*capacity, need, element);
    if (!wanted)
        return NULL;
    WF_INVARIANT(wanted >= need);
    moved = allocator->resize(allocator->user, array, wanted * element);
    if (moved)
        *capacity = wanted;
    return moved;
}
