/* base/names.c */
#include "base/invariant.h"
#include "base/names.h"

#include <string.h>
#include "base/memory.h"

uint32_t wf_hash_kept(const char *text, size_t length)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

static uint64_t word_at(const char *text)
{
    uint64_t word;

    memcpy(&word, text, sizeof word);
    return word;
}

static uint64_t half_at(const char *text)
{
    uint32_t half;

    memcpy(&half, text, sizeof half);
    return half;
}

/* The last 8 bytes, some of which were in the word before; of less than 8 all. */
static uint64_t last_word(const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;

    if (length >= 8)
        return word_at(text + length - 8);
    if (length >= 4)
        return half_at(text) | half_at(text + length - 4) << 32;
    if (length == 0)
        return 0;
    return (uint64_t)bytes[0] | (uint64_t)bytes[length / 2] << 8 |
           (uint64_t)bytes[length - 1] << 16;
}

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

uint32_t wf_hash(const char *text, size_t length)
{
    uint64_t hash = length;

    for (size_t at = 0; at + 8 < length; at += 8)
        hash = mixed(hash, word_at(text + at));
    hash = mixed(hash, last_word(text, length));
    return (uint32_t)(mixed(hash, length) >> 16);
}

void wf_names_init(wf_names *names, const wfsm_allocator *allocator)
{
    *names = (wf_names){.allocator = allocator};
}

void wf_names_fini(wf_names *names)
{
    for (uint32_t i = 0; i < names->count; i++)
        wf_free(names->allocator, (void *)(uintptr_t)names->list[i].text);
    wf_free(names->allocator, names->list);
    wf_free(names->allocator, names->slots);
    wf_names_init(names, names->allocator);
}

/* The slot that holds the name, or the empty one where it belongs. */
static uint32_t slot_of(const wf_names *names, const char *text, size_t length, uint32_t hash)
{
    uint32_t at = hash & names->mask;

    for (; names->slots[at]; at = (at + 1) & names->mask) {
        const wf_name *name = &names->list[names->slots[at] - 1];

        if (name->hash == hash && name->length == length &&
            memcmp(name->text, text, length) == 0)
            break;
    }
    return at;
}

uint32_t wf_names_find(const wf_names *names, const char *text, size_t length)
{
    uint32_t slot;

    if (!names->mask)
        return WF_NONE;
    slot = slot_of(names, text, length, wf_hash(text, length));
    return names->slots[slot] ? names->slots[slot] - 1 : WF_NONE;
}

static void fill_slots(const wf_names *names, uint32_t *slots, uint32_t mask)
{
    for (uint32_t i = 0; i < names->count; i++) {
        uint32_t at = names->list[i].hash & mask;

        while (slots[at])
            at = (at + 1) & mask;
        slots[at] = i + 1;
    }
}

/* Twice the slots, so that they are never more than half full. */
static bool rehash(wf_names *names)
{
    uint32_t size = names->mask ? (names->mask + 1) * 2 : 16;
    uint32_t *slots = size ? wf_new(names->allocator, size * sizeof *slots) : NULL;

    if (!slots)
        return false;
    fill_slots(names, slots, size - 1);
    wf_free(names->allocator, names->slots);
    names->slots = slots;
    names->mask = size - 1;
    return true;
}

static bool make_room(wf_names *names)
{
    wf_name *list = wf_grow(names->allocator, names->list, &names->capacity,
                            (size_t)names->count + 1, sizeof *list);

    if (!list)
        return false;
    names->list = list;
    return (names->mask && names->count < names->mask / 2) || rehash(names);
}

uint32_t wf_names_add(wf_names *names, const char *text, size_t length)
{
    uint32_t number = wf_names_find(names, text, length);
    char *copy;

    if (number != WF_NONE)
        return number;
    if (length >= UINT32_MAX || !make_room(names))
        return WF_NONE;
    /* An empty slot ends every search. */
    WF_INVARIANT(names->count < names->mask);
    copy = wf_copy_text(names->allocator, text, length);
    if (!copy)
        return WF_NONE;
    number = names->count;
    names->list[number] = (wf_name){copy, (uint32_t)length, wf_hash(text, length)};
    names->slots[slot_of(names, text, length, names->list[number].hash)] = number + 1;
    names->count++;
    return number;
}

/* Nothing was added after the last one, so no search leads over its slot. */
static void drop_last(wf_names *names)
{
    const wf_name *last = &names->list[names->count - 1];
    uint32_t slot = slot_of(names, last->text, last->length, last->hash);

    WF_INVARIANT(names->slots[slot] == names->count);
    names->slots[slot] = 0;
    wf_free(names->allocator, (void *)(uintptr_t)last->text);
    names->count--;
}

void wf_names_cut(wf_names *names, uint32_t count)
{
    while (names->count > count)
        drop_last(names);
}

void wf_names_filter(wf_names *names, wf_names_stay *stays, const void *user)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < names->count; i++) {
        if (stays(user, i))
            names->list[kept++] = names->list[i];
        else
            wf_free(names->allocator, (void *)(uintptr_t)names->list[i].text);
    }
    if (kept == names->count)
        return;
    names->count = kept;
    memset(names->slots, 0, ((size_t)names->mask + 1) * sizeof *names->slots);
    fill_slots(names, names->slots, names->mask);
}

static bool is_another(const void *user, uint32_t number)
{
    return number != *(const uint32_t *)user;
}

void wf_names_remove(wf_names *names, uint32_t number)
{
    wf_names_filter(names, is_another, &number);
}
