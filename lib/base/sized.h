/*
 * base/sized.h: the one checker of structs that begin with their size: what a caller
 * hands in, and what it gets back. Functions in a header, because the companion
 * libraries, which see nothing else of the inside, use them too.
 */
#ifndef WF_BASE_SIZED_H
#define WF_BASE_SIZED_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* No struct of this interface will ever be larger: a size beyond it was not set. */
enum { WF_STRUCT_MOST = 4096 };

/* The size of a struct that ends with this member. */
#define WF_SIZE_UP_TO(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))

static inline bool wf_struct_size(const void *given, size_t least, size_t *size)
{
    if (!given)
        return false;
    memcpy(size, given, sizeof *size);
    return *size >= least && *size >= sizeof *size && *size <= WF_STRUCT_MOST;
}

/*
 * Whether a struct that was handed in may be read as one of `known` bytes: not NULL,
 * not smaller than `least`, and zero beyond what is known here, because a caller of a
 * newer library may not expect what this one does not know.
 */
static inline bool wf_struct_fits(const void *given, size_t known, size_t least)
{
    size_t size;

    if (!wf_struct_size(given, least, &size))
        return false;
    for (size_t i = known; i < size; i++)
        if (((const unsigned char *)given)[i])
            return false;
    return true;
}

/* Copies what fits to `out` of `known` bytes, the rest zero. False if it does not fit.
 */
static inline bool wf_struct_check(void *out, size_t known, const void *given, size_t least)
{
    size_t size;

    if (!wf_struct_fits(given, known, least) || !wf_struct_size(given, least, &size))
        return false;
    memset(out, 0, known);
    memcpy(out, given, size < known ? size : known);
    return true;
}

/*
 * The same for a hot path: a struct of the known size is read where it is, because a copy would
 * wait for what the caller has just written. NULL if it does not fit.
 */
static inline const void *wf_struct_view(void *room, size_t known, const void *given,
                                         size_t least)
{
    size_t size;

    if (!wf_struct_size(given, least, &size))
        return NULL;
    if (size == known)
        return given;
    return wf_struct_check(room, known, given, least) ? room : NULL;
}

/* Whether what is to be filled in at the end is NULL, or had its size set. */
static inline bool wf_struct_can_be_given(const void *to)
{
    size_t size;
    return !to || wf_struct_size(to, sizeof size, &size);
}

/*
 * Fills in a struct of the caller's, as far as it goes and but for its size, from
 * `full` of `known` bytes; what is not known here becomes zero. False, and untouched,
 * if it is NULL or smaller than `least`.
 */
static inline bool wf_struct_give(void *to, const void *full, size_t known, size_t least)
{
    size_t size;

    if (!wf_struct_size(to, least, &size))
        return false;
    memset((char *)to + sizeof size, 0, size - sizeof size);
    memcpy((char *)to + sizeof size, (const char *)full + sizeof size,
           (size < known ? size : known) - sizeof size);
    return true;
}

#endif
