/* What this connection knows of heads without asking the file again. It holds as long
 * as nobody else has written, of which SQLite tells inside a transaction; whatever this
 * connection writes itself is kept here too, and all of it goes when a transaction does
 * not end well. */
#include "database.h"

#include <string.h>

enum { FIRST_SLOTS = 64, MOST_BYTES = 1 << 23 };

struct wf_sqlite_entry {
    wf_sqlite_entry *next; /* in the same slot */
    uint64_t hash, generation;
    wf_sqlite_place place;
    size_t room;
    char text[]; /* of the head, the id first */
};

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

void wf_sqlite_forget_places(wf_sqlite *db)
{
    db->places.generation++;
}

static bool version_of(const wf_sqlite *db, uint32_t *version)
{
    return !sqlite3_file_control(db->connection, "main", SQLITE_FCNTL_DATA_VERSION, version);
}

void wf_sqlite_check_places(wf_sqlite *db)
{
    uint32_t version = 0;
    if (!version_of(db, &version) || version != db->places.version)
        wf_sqlite_forget_places(db);
    db->places.version = version;
}

void wf_sqlite_settle_places(wf_sqlite *db)
{
    if (!version_of(db, &db->places.version))
        wf_sqlite_forget_places(db);
}

static wf_sqlite_entry **find_entry(wf_sqlite_places *places, const char *instance,
                                    uint64_t hash)
{
    wf_sqlite_entry **at = &places->slots[hash & (places->slot_count - 1)];
    while (*at && ((*at)->hash != hash || strcmp((*at)->text, instance) != 0))
        at = &(*at)->next;
    return at;
}

bool wf_sqlite_known_place(wf_sqlite *db, const char *instance, wf_sqlite_place *place)
{
    wf_sqlite_places *places = &db->places;
    if (!places->slot_count)
        return false;
    const wf_sqlite_entry *entry = *find_entry(places, instance, hash_of(instance));
    if (!entry || entry->generation != places->generation)
        return false;
    *place = entry->place;
    return true;
}

void wf_sqlite_forget_place(wf_sqlite *db, const char *instance)
{
    wf_sqlite_places *places = &db->places;
    wf_sqlite_entry *entry =
        places->slot_count ? *find_entry(places, instance, hash_of(instance)) : NULL;
    if (entry)
        entry->generation = places->generation - 1;
}

void wf_sqlite_free_places(wf_sqlite *db)
{
    wf_sqlite_places *places = &db->places;
    for (size_t i = 0; i < places->slot_count; i++)
        while (places->slots[i]) {
            wf_sqlite_entry *entry = places->slots[i];
            places->slots[i] = entry->next;
            wf_sqlite_give(db, entry);
        }
    places->count = places->bytes = 0;
}

static bool grow(wf_sqlite *db)
{
    wf_sqlite_places *places = &db->places;
    size_t slot_count = places->slot_count ? places->slot_count * 2 : FIRST_SLOTS;
    wf_sqlite_entry **slots = wf_sqlite_take(db, slot_count * sizeof *slots);
    if (!slots)
        return false;
    memset(slots, 0, slot_count * sizeof *slots);
    for (size_t i = 0; i < places->slot_count; i++)
        while (places->slots[i]) {
            wf_sqlite_entry *entry = places->slots[i];
            places->slots[i] = entry->next;
            entry->next = slots[entry->hash & (slot_count - 1)];
            slots[entry->hash & (slot_count - 1)] = entry;
        }
    wf_sqlite_give(db, places->slots);
    places->slots = slots;
    places->slot_count = slot_count;
    return true;
}

static void drop(wf_sqlite *db, wf_sqlite_entry **at)
{
    wf_sqlite_entry *entry = *at;
    *at = entry->next;
    db->places.count--;
    db->places.bytes -= sizeof *entry + entry->room;
    wf_sqlite_give(db, entry);
}

static wf_sqlite_entry *add(wf_sqlite *db, uint64_t hash, size_t room)
{
    wf_sqlite_places *places = &db->places;
    size_t bytes = sizeof(wf_sqlite_entry) + room;
    if (places->bytes + bytes > MOST_BYTES) /* they begin anew */
        wf_sqlite_free_places(db);
    if (places->count == places->slot_count && !grow(db))
        return NULL;
    wf_sqlite_entry *entry = wf_sqlite_take(db, bytes);
    if (!entry)
        return NULL;
    wf_sqlite_entry **slot = &places->slots[hash & (places->slot_count - 1)];
    entry->next = *slot;
    entry->hash = hash;
    entry->room = room;
    *slot = entry;
    places->count++;
    places->bytes += bytes;
    return entry;
}

/* The entry of that id, with room for so many bytes of text. */
static wf_sqlite_entry *entry_for(wf_sqlite *db, const char *instance, size_t bytes)
{
    wf_sqlite_places *places = &db->places;
    uint64_t hash = hash_of(instance);
    wf_sqlite_entry **at = places->slot_count ? find_entry(places, instance, hash) : NULL;
    if (at && *at && (*at)->room >= bytes)
        return *at;
    if (at && *at)
        drop(db, at);
    return add(db, hash, bytes);
}

bool wf_sqlite_keep_place(wf_sqlite *db, wf_sqlite_place *place)
{
    wfsm_head *head = &place->head;
    const char **texts[] = {&head->instance, &head->machine, &head->fingerprint,
                            &head->owner,    &head->token,   &head->tags};
    enum { TEXTS = sizeof texts / sizeof *texts };
    size_t lengths[TEXTS], bytes = 0;
    for (int i = 0; i < TEXTS; i++)
        bytes += lengths[i] = strlen(*texts[i]) + 1;
    wf_sqlite_entry *entry = entry_for(db, head->instance, bytes);
    if (!entry)
        return false;
    char *text = entry->text;
    for (int i = 0; i < TEXTS; i++) {
        *texts[i] = memmove(text, *texts[i], lengths[i]); /* perhaps its own */
        text += lengths[i];
    }
    entry->generation = db->places.generation;
    entry->place = *place;
    return true;
}
