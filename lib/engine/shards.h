/* engine/shards.h: which shards are an engine's, when several engines share them. */
#ifndef WF_ENGINE_SHARDS_H
#define WF_ENGINE_SHARDS_H

#include <stdbool.h>
#include <wfsm/store.h>

enum { WF_SHARD_BYTES = WFSM_SHARDS / 8 };

/* A session that takes part. */
typedef struct wf_sharer {
    const char *name;
    uint64_t hash;  /* of the name; wf_shards_divide() sets it, and the next one */
    uint32_t count; /* of its shards */
} wf_sharer;

static inline bool wf_shard_is_in(const uint8_t *shards, uint32_t shard)
{
    return shards[shard / 8] >> shard % 8 & 1;
}

/*
 * Sets the bits of the shards that are those of `name`, which is one of the sessions. Every engine that
 * knows the same sessions, in whatever order, divides in the same way: nobody is asked. No session has
 * more than WFSM_SHARDS / count shards, rounded up. When a session comes or goes, most of the others'
 * shards stay where they are.
 */
void wf_shards_divide(wf_sharer *sessions, size_t count, const char *name, uint8_t *shards);
#endif
