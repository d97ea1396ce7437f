/* store/shard.c: the shard of an instance. */
#include <wfsm/store.h>

#include <stdbool.h>
#include <string.h>

#include "base/names.h"

/* A child's id is that of its root, a slash and so many digits (engine/child_search.h). */
enum { CHILD_DIGITS = 16 };

static bool is_digest(const char *text)
{
    return strspn(text, "0123456789abcdef") == CHILD_DIGITS && text[CHILD_DIGITS] == '\0';
}

static size_t root_length(const char *instance)
{
    const char *slash = strrchr(instance, '/');

    return slash && is_digest(slash + 1) ? (size_t)(slash - instance) : strlen(instance);
}

uint32_t wfsm_shard(const char *instance)
{
    size_t length = instance ? root_length(instance) : 0;
    uint32_t hash = wf_hash_kept(instance, length);

    hash ^= hash >> 16;
    return instance ? (hash ^ hash >> 8) % WFSM_SHARDS : 0;
}
