/* sqlite/head_cache.c: the heads that this connection knows without reading the file
 * again. They are valid as long as no other connection has written, which SQLite's data
 * version tells inside a transaction. What this connection writes is cached, too. The
 * cache is cleared when a transaction fails. */
#include "database.h"
#include "../base/invariant.h"

#include <string.h>

enum { FIRST_SLOTS = 64, MOST_BYTES = 1 << 23 };

struct wf_sqlite_entry {
    wf_sqlite_entry *next; /* in the same slot */
    uint64_t hash, generation;
    wf_sqlite_found found;
    size_t room;
    char text[]; /* the texts of the head; the id comes first */
};

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

void wf_sqlite_cache_clear(wf_sqlite *db)
{
    db->cache.generation++;
}

static bool version_of(const wf_sqlite *db, uint32_t *version)
{
    return !sqlite3_file_control(db->connection, "main", SQLITE_FCNTL_DATA_VERSION, version);
}

void wf_sqlite_cache_validate(wf_sqlite *db)
{
    uint32_t version = 0;
    if (!version_of(db, &version) || version != db->cache.version) {
        wf_sqlite_cache_clear(db);
        db->changed = true;
    }
    db->cache.version = version;
}

void wf_sqlite_cache_settle(wf_sqlite *db)
{
    if (!version_of(db, &db->cache.version))
        wf_sqlite_cache_clear(db);
}

static wf_sqlite_entry **find_entry(wf_sqlite_cache *cache, const char *instance, uint64_t hash)
{
    /* The mask below needs a power of two. */
    WF_INVARIANT(!(cache->slot_count & (cache->slot_count - 1)));
    wf_sqlite_entry **at = &cache->slots[hash & (cache->slot_count - 1)];
    while (*at && ((*at)->hash != hash || strcmp((*at)->text, instance) != 0))
        at = &(*at)->next;
    return at;
}

bool wf_sqlite_cache_find(wf_sqlite *db, const char *instance, wf_sqlite_found *found)
{
    wf_sqlite_cache *cache = &db->cache;
    if (!cache->slot_count)
        return false;
    const wf_sqlite_entry *entry = *find_entry(cache, instance, hash_of(instance));
    if (!entry || entry->generation != cache->generation)
        return false;
    *found = entry->found;
    return true;
}

void wf_sqlite_cache_forget(wf_sqlite *db, const char *instance)
{
    wf_sqlite_cache *cache = &db->cache;
    wf_sqlite_entry *entry =
        cache->slot_count ? *find_entry(cache, instance, hash_of(instance)) : NULL;
    if (entry)
        entry->generation = cache->generation - 1;
}

void wf_sqlite_cache_free(wf_sqlite *db)
{
    wf_sqlite_cache *cache = &db->cache;
    for (size_t i = 0; i < cache->slot_count; i++)
        while (cache->slots[i]) {
            wf_sqlite_entry *entry = cache->slots[i];
            cache->slots[i] = entry->next;
            wf_sqlite_give(db, entry);
        }
    cache->count = cache->bytes = 0;
}

static bool grow(wf_sqlite *db)
{
    wf_sqlite_cache *cache = &db->cache;
    size_t slot_count = cache->slot_count ? cache->slot_count * 2 : FIRST_SLOTS;
    wf_sqlite_entry **slots = wf_sqlite_take(db, slot_count * sizeof *slots);
    if (!slots)
        return false;
    memset(slots, 0, slot_count * sizeof *slots);
    for (size_t i = 0; i < cache->slot_count; i++)
        while (cache->slots[i]) {
            wf_sqlite_entry *entry = cache->slots[i];
            cache->slots[i] = entry->next;
            entry->next = slots[entry->hash & (slot_count - 1)];
            slots[entry->hash & (slot_count - 1)] = entry;
        }
    wf_sqlite_give(db, cache->slots);
    cache->slots = slots;
    cache->slot_count = slot_count;
    return true;
}

static void drop(wf_sqlite *db, wf_sqlite_entry **at)
{
    wf_sqlite_entry *entry = *at;
    WF_INVARIANT(db->cache.bytes >= sizeof *entry + entry->room);
    *at = entry->next;
    db->cache.count--;
    db->cache.bytes -= sizeof *entry + entry->room;
    wf_sqlite_give(db, entry);
}

static wf_sqlite_entry *add(wf_sqlite *db, uint64_t hash, size_t room)
{
    wf_sqlite_cache *cache = &db->cache;
    size_t bytes = sizeof(wf_sqlite_entry) + room;
    if (cache->bytes + bytes > MOST_BYTES) /* the cache is full: start again */
        wf_sqlite_cache_free(db);
    if (cache->count == cache->slot_count && !grow(db))
        return NULL;
    wf_sqlite_entry *entry = wf_sqlite_take(db, bytes);
    if (!entry)
        return NULL;
    wf_sqlite_entry **slot = &cache->slots[hash & (cache->slot_count - 1)];
    entry->next = *slot;
    entry->hash = hash;
    entry->room = room;
    *slot = entry;
    cache->count++;
    cache->bytes += bytes;
    WF_INVARIANT(cache->count <= cache->slot_count);
    return entry;
}

/* Returns the entry of this id, with room for `bytes` bytes of text. */
static wf_sqlite_entry *entry_for(wf_sqlite *db, const char *instance, size_t bytes)
{
    wf_sqlite_cache *cache = &db->cache;
    uint64_t hash = hash_of(instance);
    wf_sqlite_entry **at = cache->slot_count ? find_entry(cache, instance, hash) : NULL;
    if (at && *at && (*at)->room >= bytes)
        return *at;
    if (at && *at)
        drop(db, at);
    return add(db, hash, bytes);
}

bool wf_sqlite_cache_keep(wf_sqlite *db, wf_sqlite_found *found)
{
    wfsm_head *head = &found->head;
    const char **texts[] = {&head->instance, &head->machine, &head->fingerprint, &head->owner,
                            &head->token,    &head->tags,    &head->attributes};
    enum { TEXTS = sizeof texts / sizeof *texts };
    size_t lengths[TEXTS], bytes = 0;
    for (int i = 0; i < TEXTS; i++)
        bytes += lengths[i] = strlen(*texts[i]) + 1;
    wf_sqlite_entry *entry = entry_for(db, head->instance, bytes);
    if (!entry)
        return false;
    char *text = entry->text;
    for (int i = 0; i < TEXTS; i++) {
        *texts[i] = memmove(text, *texts[i], lengths[i]); /* may overlap */
        text += lengths[i];
    }
    WF_INVARIANT(text <= entry->text + entry->room);
    entry->generation = db->cache.generation;
    entry->found = *found;
    return true;
}
