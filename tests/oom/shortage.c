#include "oom/shortage.h"

#include <sqlite3.h>
#include <stdlib.h>

static struct {
    long calls, at, alive;
    sqlite3_mem_methods below, methods;
} state;

static bool refuses(void)
{
    return state.at && ++state.calls == state.at;
}

static void *allocate(void *user, size_t bytes)
{
    (void)user;
    void *block = refuses() ? NULL : malloc(bytes);
    state.alive += block != NULL;
    return block;
}

static void *resize(void *user, void *block, size_t bytes)
{
    (void)user;
    void *moved = refuses() ? NULL : realloc(block, bytes);
    state.alive += moved && !block;
    return moved;
}

static void release(void *user, void *block)
{
    (void)user;
    state.alive -= block != NULL;
    free(block);
}

static void *sqlite_allocate(int bytes)
{
    void *block = refuses() ? NULL : state.below.xMalloc(bytes);
    state.alive += block != NULL;
    return block;
}

static void *sqlite_resize(void *block, int bytes)
{
    return refuses() ? NULL : state.below.xRealloc(block, bytes);
}

static void sqlite_release(void *block)
{
    state.alive -= block != NULL;
    state.below.xFree(block);
}

void shortage_install(void)
{
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &state.below);
    state.methods = state.below;
    state.methods.xMalloc = sqlite_allocate;
    state.methods.xRealloc = sqlite_resize;
    state.methods.xFree = sqlite_release;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &state.methods);
    /* No memory set aside, so that each request is one. */
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
    sqlite3_initialize();
}

wfsm_allocator *shortage_allocator(void)
{
    static wfsm_allocator allocator = {sizeof allocator, NULL, allocate, resize, release};
    return &allocator;
}

void shortage_arm(long n)
{
    state.calls = 0;
    state.at = n;
}

bool shortage_disarm(void)
{
    bool hit = state.at && state.calls >= state.at;
    state.at = 0;
    return hit;
}

long shortage_alive(void)
{
    return state.alive;
}
