/* store/decode_change.c: applies a change to a value. What it leaves is shared with the old value,
 * not copied. */
#include "store/decode_parts.h"

#include <string.h>
#include "base/invariant.h"

/* Where the new parts go. They stay valid as long as what they are put into. */
static wf_arena *arena_of(const wf_decoder *decoder)
{
    return decoder->stored->reader ? &decoder->stored->reader->values : decoder->arena;
}

static wf_value part_of(const wf_decoder *decoder, const wf_value *part)
{
    return decoder->stored->reader ? wf_value_clone(arena_of(decoder), part) : *part;
}

static int32_t finish(const wf_decoder *decoder, const wf_value *made, wf_value *result)
{
    *result = *made;
    if (arena_of(decoder)->failed || decoder->arena->failed)
        return wf_no_memory(decoder->error);
    if (made->type == WF_ABSENT || made->depth > WF_KEPT_DEPTH)
        return wf_corrupt(decoder, "\"changed\" makes a value that is too deep or too large");
    return WFSM_OK;
}

/* ---- objects ---- */

/* A copy of the members that is being changed. One that is removed is ABSENT. */
typedef struct editing {
    wf_decoder *decoder;
    wf_member *members;
    uint32_t known; /* members that were there before */
    uint32_t count; /* with those that were appended */
    uint32_t *places; /* a hash table of the known ones: place + 1; NULL: there are few */
    uint32_t mask;
} editing;

/* Below, looking at each member costs no more than a table. */
enum { FEW_MEMBERS = 16 };

static bool has_key(const wf_member *member, const wf_member *key)
{
    return member->hash == key->hash && member->length == key->length &&
           memcmp(member->key, key->key, key->length) == 0;
}

static void make_table(editing *self)
{
    uint32_t size = 2 * FEW_MEMBERS;
    while (size / 2 < self->known)
        size *= 2;
    self->places = wf_arena_zero(self->decoder->arena, size * sizeof *self->places);
    self->mask = size - 1;
    WF_INVARIANT(self->known < size); /* an empty place ends every search */
    for (uint32_t i = 0; i < self->known && self->places; i++) {
        uint32_t at = self->members[i].hash & self->mask;
        while (self->places[at] != 0)
            at = (at + 1) & self->mask;
        self->places[at] = i + 1;
    }
}

/* The known member of this key, or NULL. */
static wf_member *find(const editing *self, const wf_member *key)
{
    for (uint32_t i = 0; !self->places && i < self->known; i++)
        if (has_key(&self->members[i], key))
            return &self->members[i];
    if (!self->places)
        return NULL;
    uint32_t at = key->hash & self->mask;
    for (; self->places[at] != 0; at = (at + 1) & self->mask) {
        wf_member *member = &self->members[self->places[at] - 1];
        if (has_key(member, key))
            return member;
    }
    return NULL;
}

static int32_t need_member(const editing *self, const wf_member *key, wf_member **member)
{
    *member = find(self, key);
    if (*member && (*member)->value.type != WF_ABSENT)
        return WFSM_OK;
    return wf_corrupt(self->decoder, "\"changed\" names the member \"%.60s\", which is missing",
                      key->key);
}

static int32_t unset_member(editing *self, const wf_member *key)
{
    wf_member *member;
    int32_t status = need_member(self, key, &member);
    if (status == WFSM_OK && key->value.type != WF_NULL)
        return wf_corrupt(self->decoder, "expected null in \"unset\" of \"changed\"");
    if (status == WFSM_OK)
        member->value = wf_absent();
    return status;
}

static int32_t set_member(editing *self, const wf_member *key)
{
    wf_member *member = find(self, key);
    if (!member || member->value.type == WF_ABSENT) {
        const wf_value text = wf_string(key->key, key->length);
        member = &self->members[self->count++];
        *member = *key;
        member->key = part_of(self->decoder, &text).as.text;
    }
    member->value = part_of(self->decoder, &key->value);
    return WFSM_OK;
}

static int32_t change_member(editing *self, const wf_member *key)
{
    wf_member *member;
    int32_t status = need_member(self, key, &member);
    if (status != WFSM_OK)
        return status;
    const wf_value old = member->value;
    return wf_decode_change(self->decoder, &old, &key->value, &member->value);
}

enum { SET, UNSET, CHANGED };
static const char *const object_keys[] = {"set", "unset", "changed", NULL};

static int32_t each_member(editing *self, const wf_fields *fields, int key,
                           int32_t (*apply)(editing *, const wf_member *))
{
    const wf_value *object = fields->found[key];
    if (object && object->type != WF_OBJECT)
        return wf_corrupt(self->decoder, "expected an object as \"%s\" of \"changed\"",
                          object_keys[key]);
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; object && i < object->length && status == WFSM_OK; i++)
        status = apply(self, &object->as.members[i]);
    return status;
}

static uint32_t members_in(const wf_fields *fields, int key)
{
    const wf_value *object = wf_found(fields, key, WF_OBJECT);
    return object ? object->length : 0;
}

static bool open_members(editing *self, const wf_value *old, const wf_fields *fields)
{
    uint32_t more = members_in(fields, SET);
    uint32_t looked_up = more + members_in(fields, UNSET) + members_in(fields, CHANGED);
    self->members = wf_arena_take(arena_of(self->decoder),
                                  ((size_t)old->length + more) * sizeof *self->members);
    if (!self->members)
        return false;
    if (old->length > 0)
        memcpy(self->members, old->as.members, old->length * sizeof *self->members);
    self->known = self->count = old->length;
    if (old->length > FEW_MEMBERS && looked_up > FEW_MEMBERS) {
        make_table(self);
        return self->places != NULL;
    }
    return true;
}

static int32_t close_members(const editing *self, wf_value *result)
{
    size_t kept = 0;
    for (uint32_t i = 0; i < self->count; i++)
        if (self->members[i].value.type != WF_ABSENT)
            self->members[kept++] = self->members[i];
    wf_value made = wf_object(self->members, kept);
    return finish(self->decoder, &made, result);
}

/* Removals come first, because a member that moves to the end is removed and set. */
static int32_t change_object(wf_decoder *decoder, const wf_value *old, const wf_value *change,
                             wf_value *result)
{
    editing self = {.decoder = decoder};
    wf_fields fields;
    int32_t status = wf_read_fields(decoder, change, object_keys, &fields);
    if (status == WFSM_OK && !open_members(&self, old, &fields))
        return wf_no_memory(decoder->error);
    if (status == WFSM_OK)
        status = each_member(&self, &fields, UNSET, unset_member);
    if (status == WFSM_OK)
        status = each_member(&self, &fields, SET, set_member);
    if (status == WFSM_OK)
        status = each_member(&self, &fields, CHANGED, change_member);
    return status == WFSM_OK ? close_members(&self, result) : status;
}

/* ---- arrays ---- */

enum { AT, REMOVED, INSERTED, ELEMENT };
static const char *const array_keys[] = {"at", "removed", "inserted", "changed", NULL};

static int32_t splice(wf_decoder *decoder, const wf_value *old, uint32_t at,
                      const wf_fields *fields, wf_value *result)
{
    int64_t removed = 0;
    const wf_value *inserted;
    int32_t status = wf_need_number(decoder, fields, REMOVED, 0, &removed);
    if (status == WFSM_OK)
        status = wf_need(decoder, fields, INSERTED, WF_ARRAY, &inserted);
    if (status != WFSM_OK)
        return status;
    if (removed > (int64_t)(old->length - at))
        return wf_corrupt(decoder, "\"changed\" removes elements behind the end of an array");
    uint32_t behind = old->length - at - (uint32_t)removed;
    size_t count = (size_t)at + inserted->length + behind;
    wf_value *items = wf_arena_take(arena_of(decoder), count * sizeof *items);
    if (!items)
        return wf_no_memory(decoder->error);
    if (at > 0)
        memcpy(items, old->as.items, at * sizeof *items);
    for (uint32_t i = 0; i < inserted->length; i++)
        items[at + i] = part_of(decoder, &inserted->as.items[i]);
    if (behind > 0)
        memcpy(items + at + inserted->length, old->as.items + at + removed,
               behind * sizeof *items);
    wf_value made = wf_array(items, count);
    return finish(decoder, &made, result);
}

static int32_t change_element(wf_decoder *decoder, const wf_value *old, uint32_t at,
                              const wf_fields *fields, wf_value *result)
{
    if (at == old->length || fields->found[REMOVED] || fields->found[INSERTED])
        return wf_corrupt(decoder, "expected only an element as \"at\" beside \"changed\"");
    wf_value *items = wf_arena_take(arena_of(decoder), old->length * sizeof *items);
    if (!items)
        return wf_no_memory(decoder->error);
    memcpy(items, old->as.items, old->length * sizeof *items);
    int32_t status =
        wf_decode_change(decoder, &old->as.items[at], fields->found[ELEMENT], &items[at]);
    if (status != WFSM_OK)
        return status;
    wf_value made = wf_array(items, old->length);
    return finish(decoder, &made, result);
}

static int32_t change_array(wf_decoder *decoder, const wf_value *old, const wf_value *change,
                            wf_value *result)
{
    wf_fields fields;
    int64_t at = 0;
    int32_t status = wf_read_fields(decoder, change, array_keys, &fields);
    if (status == WFSM_OK)
        status = wf_need_number(decoder, &fields, AT, 0, &at);
    if (status != WFSM_OK)
        return status;
    if (at > (int64_t)old->length)
        return wf_corrupt(decoder, "\"changed\" begins behind the end of an array");
    return fields.found[ELEMENT] ? change_element(decoder, old, (uint32_t)at, &fields, result)
                                 : splice(decoder, old, (uint32_t)at, &fields, result);
}

int32_t wf_decode_change(wf_decoder *decoder, const wf_value *old, const wf_value *change,
                         wf_value *result)
{
    if (old->type == WF_OBJECT)
        return change_object(decoder, old, change, result);
    if (old->type == WF_ARRAY)
        return change_array(decoder, old, change, result);
    return wf_corrupt(decoder, "\"changed\" leads to a value that is no object and no array");
}
