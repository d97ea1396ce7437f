#include "pg.h"

#include <stdlib.h>
#include <string.h>

void *wf_pg_take(const wf_pg *db, size_t bytes)
{
    if (db->allocator.allocate)
        return db->allocator.allocate(db->allocator.user, bytes ? bytes : 1);
    return malloc(bytes ? bytes : 1);
}

void *wf_pg_grow(const wf_pg *db, void *block, size_t bytes)
{
    if (db->allocator.allocate)
        return db->allocator.resize(db->allocator.user, block, bytes);
    return realloc(block, bytes);
}

void wf_pg_give(const wf_pg *db, void *block)
{
    if (db->allocator.allocate)
        db->allocator.release(db->allocator.user, block);
    else
        free(block);
}

char *wf_pg_copy(const wf_pg *db, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = wf_pg_take(db, bytes);

    if (copy)
        memcpy(copy, text, bytes);
    return copy;
}

int32_t wf_pg_no_memory(wfsm_error *error)
{
    if (error)
        wfsm_error_set(error, WFSM_NO_MEMORY, "out of memory, or the parameters are too large");
    return WFSM_NO_MEMORY;
}
