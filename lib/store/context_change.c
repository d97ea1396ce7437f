/* store/context_change.c: compares the context with what it was before the step. Most of it is
 * shared with the former value, and so need not be looked at. */
#include "store/context_change.h"

#include <string.h>
#include "base/invariant.h"
#include "logic/json.h"

/* Changes nest no deeper. Comparing takes the size of the value for each level. */
enum { CHANGE_LEVELS = 32 };
/* Those of a record: the record, and its member "changed". */
enum { OUTER_LEVELS = 2 };

static bool same_key(const wf_member *a, const wf_member *b)
{
    return a->hash == b->hash && a->length == b->length &&
           (a->key == b->key || memcmp(a->key, b->key, a->length) == 0);
}

/* ---- members ---- */

static void add(wf_arena *arena, wf_members *members, const wf_member *key,
                const wf_value *value)
{
    if (members->count == members->capacity) {
        size_t capacity = members->capacity > 0 ? members->capacity * 2 : 8;
        wf_member *list = wf_arena_take(arena, capacity * sizeof *list);
        if (!list)
            return;
        if (members->count > 0)
            memcpy(list, members->list, members->count * sizeof *list);
        members->list = list;
        members->capacity = capacity;
    }
    members->list[members->count] = *key;
    members->list[members->count++].value = *value;
}

static void add_difference(wf_arena *arena, wf_object_change *to, const wf_member *key,
                           const wf_value *old, const wf_value *now, unsigned level)
{
    wf_value change;
    enum wf_difference difference = wf_change_of(arena, old, now, level, &change);
    if (difference == WF_OTHER_VALUE)
        add(arena, &to->set, key, now);
    else if (difference == WF_OTHER_PARTS)
        add(arena, &to->changed, key, &change);
}

static void add_part(wf_member *parts, size_t *count, const char *name,
                     const wf_members *members)
{
    if (members->count > 0)
        wf_member_set(&parts[(*count)++], name, strlen(name),
                      wf_object(members->list, members->count));
}

static wf_value object_change(wf_arena *arena, const wf_object_change *change)
{
    size_t count = 0;
    wf_member *parts = wf_arena_take(arena, 3 * sizeof *parts);
    if (!parts)
        return wf_absent();
    add_part(parts, &count, "set", &change->set);
    add_part(parts, &count, "unset", &change->unset);
    add_part(parts, &count, "changed", &change->changed);
    return wf_object(parts, count);
}

/* The place of the key in the object, from `at` on; its length if it is not there. */
static uint32_t find_from(const wf_value *object, uint32_t at, const wf_member *key)
{
    while (at < object->length && !same_key(&object->as.members[at], key))
        at++;
    return at;
}

/* Members that are left out are unset. From the first new key on, everything is appended, even a
 * key that was there before: so the order comes out right. */
static wf_value change_of_object(wf_arena *arena, const wf_value *old, const wf_value *now,
                                 unsigned level)
{
    const wf_value null = wf_null();
    wf_object_change change = {{0}, {0}, {0}};
    uint32_t from = 0, to = 0;
    for (; to < now->length; to++) {
        const wf_member *member = &now->as.members[to];
        uint32_t found = find_from(old, from, member);
        if (found == old->length)
            break;
        for (; from < found; from++)
            add(arena, &change.unset, &old->as.members[from], &null);
        add_difference(arena, &change, member, &old->as.members[from++].value, &member->value,
                       level + 2);
    }
    for (; from < old->length; from++)
        add(arena, &change.unset, &old->as.members[from], &null);
    for (; to < now->length; to++)
        add(arena, &change.set, &now->as.members[to], &now->as.members[to].value);
    return object_change(arena, &change);
}

/* ---- elements ---- */

static wf_value splice(wf_arena *arena, uint32_t at, uint32_t removed, const wf_value *items,
                       uint32_t inserted)
{
    wf_member *parts = wf_arena_take(arena, 3 * sizeof *parts);
    if (!parts)
        return wf_absent();
    wf_member_set(&parts[0], "at", 2, wf_number(at));
    wf_member_set(&parts[1], "removed", 7, wf_number(removed));
    wf_member_set(&parts[2], "inserted", 8, wf_array(items, inserted));
    return wf_object(parts, 3);
}

static wf_value change_at(wf_arena *arena, uint32_t at, const wf_value *change)
{
    wf_member *parts = wf_arena_take(arena, 2 * sizeof *parts);
    if (!parts)
        return wf_absent();
    wf_member_set(&parts[0], "at", 2, wf_number(at));
    wf_member_set(&parts[1], "changed", 7, *change);
    return wf_object(parts, 2);
}

/* One place, between what both begin with and what both end with. */
static wf_value change_of_array(wf_arena *arena, const wf_value *old, const wf_value *now,
                                unsigned level)
{
    const wf_value *was = old->as.items, *is = now->as.items;
    uint32_t most = old->length < now->length ? old->length : now->length;
    uint32_t at = 0, behind = 0;
    while (at < most && wf_same_value(&was[at], &is[at]))
        at++;
    while (behind < most - at &&
           wf_same_value(&was[old->length - 1 - behind], &is[now->length - 1 - behind]))
        behind++;
    WF_INVARIANT(at + behind <= most); /* no element is left out twice */
    uint32_t removed = old->length - at - behind, inserted = now->length - at - behind;
    wf_value change;
    if (removed == 0 && inserted == 0)
        return wf_object(NULL, 0);
    if (removed == 1 && inserted == 1 &&
        wf_change_of(arena, &was[at], &is[at], level + 1, &change) == WF_OTHER_PARTS)
        return change_at(arena, at, &change);
    return splice(arena, at, removed, is + at, inserted);
}

/* ---- the difference ---- */

/* Whether the text of a change can be read back: it nests one level deeper than the value. */
static bool fits(const wf_value *now, unsigned level)
{
    return level + now->depth + 1 <= WF_MAX_DEPTH && level <= OUTER_LEVELS + 2 * CHANGE_LEVELS;
}

enum wf_difference wf_change_of(wf_arena *arena, const wf_value *old, const wf_value *now,
                                unsigned level, wf_value *change)
{
    if (old->type != now->type || now->type < WF_ARRAY || !fits(now, level))
        return wf_same_value(old, now) ? WF_NO_DIFFERENCE : WF_OTHER_VALUE;
    if (old->length == now->length && old->as.items == now->as.items)
        return WF_NO_DIFFERENCE;
    *change = now->type == WF_ARRAY ? change_of_array(arena, old, now, level)
                                    : change_of_object(arena, old, now, level);
    if (change->type == WF_ABSENT) /* heavier than a value may be, or out of memory */
        return WF_OTHER_VALUE;
    if (change->length == 0)
        return WF_NO_DIFFERENCE;
    size_t bytes = wf_json_length(change, SIZE_MAX);
    return wf_json_length(now, bytes) > bytes ? WF_OTHER_PARTS : WF_OTHER_VALUE;
}

void wf_context_change(wf_arena *arena, const wf_step *step, wf_object_change *change)
{
    const wf_snapshot *snapshot = step->snapshot;
    const wf_value null = wf_null();
    *change = (wf_object_change){{0}, {0}, {0}};
    for (size_t i = 0; i < step->before.undo_count; i++) {
        uint32_t slot = step->before.undo[i].slot;
        const wf_name *name = &wf_snapshot_keys(snapshot)->list[slot];
        const wf_value *old = &step->before.undo[i].old, *now = &snapshot->slots[slot];
        const wf_member key = {.key = name->text, .length = name->length, .hash = name->hash};
        if (now->type != WF_ABSENT)
            add_difference(arena, change, &key, old, now, OUTER_LEVELS);
        else if (old->type != WF_ABSENT)
            add(arena, &change->unset, &key, &null);
    }
}
