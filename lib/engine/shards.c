/* engine/shards.c: shards are divided by rendezvous hashing with a bound: each shard is that of the session
 * with the highest weight for it, among those that do not have their share yet. Releases that run at the
 * same time must agree, so what is computed here never changes. */
#include "engine/shards.h"

#include <string.h>

/* FNV-1a of 64 bits. */
static uint64_t hash_of(const char *name)
{
    uint64_t hash = 14695981039346656037U;

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 1099511628211U;
    return hash;
}

/* The finalizer of splitmix64. */
static uint64_t weight_of(uint64_t hash, uint32_t shard)
{
    uint64_t mixed = hash + (shard + 1) * 0x9E3779B97F4A7C15U;

    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBU;
    return mixed ^ mixed >> 31;
}

/* Names differ, so two sessions are never the same. */
static bool is_before(const wf_sharer *one, const wf_sharer *two, uint32_t shard)
{
    uint64_t first = weight_of(one->hash, shard), second = weight_of(two->hash, shard);

    return first != second ? first > second : strcmp(one->name, two->name) < 0;
}

static wf_sharer *winner(wf_sharer *sessions, size_t count, uint32_t most, uint32_t shard)
{
    wf_sharer *best = NULL;

    for (size_t i = 0; i < count; i++)
        if (sessions[i].count < most && (!best || is_before(&sessions[i], best, shard)))
            best = &sessions[i];
    return best;
}

void wf_shards_divide(wf_sharer *sessions, size_t count, const char *name, uint8_t *shards)
{
    uint32_t most = (uint32_t)((WFSM_SHARDS + count - 1) / count);

    memset(shards, 0, WF_SHARD_BYTES);
    for (size_t i = 0; i < count; i++) {
        sessions[i].hash = hash_of(sessions[i].name);
        sessions[i].count = 0;
    }
    for (uint32_t shard = 0; shard < WFSM_SHARDS; shard++) {
        wf_sharer *holder = winner(sessions, count, most, shard);

        holder->count++;
        if (strcmp(holder->name, name) == 0)
            shards[shard / 8] |= (uint8_t)(1U << shard % 8);
    }
}
