/* base/arena.c */
#include "base/arena.h"

#include <stdalign.h>
#include <string.h>
#include "base/error.h"
#include "base/invariant.h"
#include "base/memory.h"

/* Under the address sanitizer, memory that is not in use is out of
 * bounds: a value that is used beyond the reset of its arena shows. */
#if defined(__SANITIZE_ADDRESS__)
#define WF_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WF_SANITIZED 1
#endif
#endif
#if defined(WF_SANITIZED)
#include <sanitizer/asan_interface.h>
#define hide(at, bytes) ASAN_POISON_MEMORY_REGION(at, bytes)
#define show(at, bytes) ASAN_UNPOISON_MEMORY_REGION(at, bytes)
#else
#define hide(at, bytes) ((void)(at), (void)(bytes))
#define show(at, bytes) ((void)(at), (void)(bytes))
#endif

enum {
    WF_CHUNK_FIRST = 1024,
    WF_CHUNK_MOST = 1 << 20,
    WF_CHUNK_LARGE = WF_CHUNK_MOST / 8,
    WF_CHUNK_KEEP = 1 << 18 /* an arena at rest holds no more than this */
};

typedef struct wf_chunk {
    struct wf_chunk *older;
    size_t capacity;
    alignas(max_align_t) unsigned char bytes[];
} wf_chunk;

void wf_arena_init(wf_arena *arena, const wfsm_allocator *allocator, size_t limit)
{
    *arena = (wf_arena){.allocator = allocator, .limit = limit};
}

static void drop_newest(wf_arena *arena)
{
    wf_chunk *chunk = arena->chunk;

    arena->chunk = chunk->older;
    show(chunk->bytes, chunk->capacity);
    wf_free(arena->allocator, chunk);
}

void wf_arena_fini(wf_arena *arena)
{
    while (arena->chunk)
        drop_newest(arena);
    wf_arena_init(arena, arena->allocator, arena->limit);
}

void wf_arena_reset(wf_arena *arena)
{
    wf_chunk *kept;

    while (arena->chunk && arena->chunk->capacity > WF_CHUNK_KEEP)
        drop_newest(arena);
    kept = arena->chunk;
    if (kept) {
        arena->chunk = kept->older;
        kept->older = NULL;
        hide(kept->bytes, kept->capacity);
    }
    while (arena->chunk)
        drop_newest(arena);
    *arena = (wf_arena){.allocator = arena->allocator, .chunk = kept, .limit = arena->limit};
}

static size_t chunk_capacity(const wf_arena *arena, size_t bytes)
{
    size_t capacity = arena->chunk ? arena->chunk->capacity * 2 : WF_CHUNK_FIRST;

    if (capacity > WF_CHUNK_MOST)
        capacity = WF_CHUNK_MOST;
    return capacity < bytes ? bytes : capacity;
}

static bool add_chunk(wf_arena *arena, size_t bytes)
{
    size_t capacity = chunk_capacity(arena, bytes);
    wf_chunk *chunk =
        arena->allocator->allocate(arena->allocator->user, sizeof *chunk + capacity);

    if (!chunk) {
        arena->failed = true;
        return false;
    }
    chunk->older = arena->chunk;
    chunk->capacity = capacity;
    hide(chunk->bytes, capacity);
    arena->chunk = chunk;
    arena->used = 0;
    return true;
}

/* A large block has a chunk of its own, behind the one in use, whose rest stays available. */
static void *take_large(wf_arena *arena, size_t bytes)
{
    wf_chunk *chunk = arena->allocator->allocate(arena->allocator->user, sizeof *chunk + bytes);

    if (!chunk) {
        arena->failed = true;
        return NULL;
    }
    chunk->older = arena->chunk->older;
    chunk->capacity = bytes;
    arena->chunk->older = chunk;
    return chunk->bytes;
}

bool wf_arena_charge(wf_arena *arena, size_t bytes)
{
    if (arena->limit && (arena->total > arena->limit || bytes > arena->limit - arena->total))
        arena->exceeded = true;
    if (arena->exceeded)
        return false;
    arena->total += bytes;
    return true;
}

void *wf_arena_take(wf_arena *arena, size_t bytes)
{
    const size_t unit = alignof(max_align_t), asked = bytes;
    void *taken;

    if (arena->failed || arena->exceeded)
        return NULL;
    if (bytes > SIZE_MAX / 4) {
        arena->failed = true;
        return NULL;
    }
    bytes = bytes ? (bytes + unit - 1) / unit * unit : unit;
    if (!wf_arena_charge(arena, bytes))
        return NULL;
    if (arena->chunk && bytes >= WF_CHUNK_LARGE)
        return take_large(arena, bytes);
    if ((!arena->chunk || arena->chunk->capacity - arena->used < bytes) &&
        !add_chunk(arena, bytes))
        return NULL;
    taken = arena->chunk->bytes + arena->used;
    show(taken, asked);
    arena->used += bytes;
    WF_INVARIANT(arena->used <= arena->chunk->capacity);
    return taken;
}

void *wf_arena_zero(wf_arena *arena, size_t bytes)
{
    void *taken = wf_arena_take(arena, bytes);

    if (taken)
        memset(taken, 0, bytes);
    return taken;
}

char *wf_arena_text(wf_arena *arena, const char *text, size_t length)
{
    char *copy = length < SIZE_MAX ? wf_arena_take(arena, length + 1) : NULL;

    if (!copy)
        return NULL;
    if (length)
        memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

int32_t wf_arena_error(const wf_arena *arena, wfsm_error *error)
{
    if (arena->exceeded && !arena->failed)
        return wf_fail(error, WFSM_LIMIT, "more than %zu bytes of memory are needed",
                       arena->limit);
    return wf_no_memory(error);
}
