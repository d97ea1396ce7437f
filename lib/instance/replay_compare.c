/* Replays a journal under another document, up to the first record that others see differently. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <wfsm/audit.h>
#include "base/error.h"
#include "base/sized.h"
#include "instance/inner.h"
#include "instance/replay_parts.h"
#include "logic/json.h"
#include "store/record.h"

typedef struct comparison {
    wf_replay replay; /* first: compare() finds the rest by it */
    wf_buffer difference; /* of the last record; empty: none was found */
    wf_moves moves;
    wfsm_replay asked;
    wfsm_error *error;
} comparison;

/* What others see of an instance, by the keys of a record. */
static const char *const seen_keys[] = {"outcome", "configuration", "status",
                                        "output",  "invocations",   "effects"};

/* Two values that differ, and the place of both in a record. NULL: there is none. */
typedef struct difference {
    const wf_value *now, *then;
    wf_buffer *place;
} difference;

static bool differ(const wf_value *now, const wf_value *then)
{
    return !now || !then ? now != then : !wf_value_equal(now, then);
}

static bool both_are(const difference *self, int32_t type)
{
    return self->now && self->then && (int32_t)self->now->type == type &&
           (int32_t)self->then->type == type;
}

static const wf_value *item(const wf_value *list, uint32_t index)
{
    return index < list->length ? &list->as.items[index] : NULL;
}

static void narrow_to_item(difference *self)
{
    uint32_t i = 0;
    while (!differ(item(self->now, i), item(self->then, i)))
        i++;
    wf_buffer_format(self->place, "[%" PRIu32 "]", i);
    self->now = item(self->now, i);
    self->then = item(self->then, i);
}

/* The first member of `of` that differs, but for the incarnation, which follows from the others. */
static const char *differing_key(const wf_value *of, const difference *self)
{
    for (uint32_t i = 0; i < of->length; i++) {
        const char *key = of->as.members[i].key;
        if (strcmp(key, "incarnation") != 0 &&
            differ(wf_replay_member(self->now, key), wf_replay_member(self->then, key)))
            return key;
    }
    return NULL;
}

static bool narrow_to_member(difference *self)
{
    const char *key = differing_key(self->now, self);
    if (!key)
        key = differing_key(self->then, self);
    if (!key)
        return false;
    wf_buffer_format(self->place, ".%s", key);
    self->now = wf_replay_member(self->now, key);
    self->then = wf_replay_member(self->then, key);
    return true;
}

/* An entry that only one of them has is told by its name: the rest of it differs in each journal. */
static void narrow_to_name(difference *self)
{
    static const char *const names[] = {"agent", "emit", "event"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const wf_value *now = self->now ? wf_replay_member(self->now, names[i]) : NULL;
        const wf_value *then = self->then ? wf_replay_member(self->then, names[i]) : NULL;
        if (!now && !then)
            continue;
        wf_buffer_format(self->place, ".%s", names[i]);
        self->now = now;
        self->then = then;
    }
}

/* Lists of invocations and effects are long; their first difference says more. */
static void narrow(difference *self)
{
    static const wf_value none = {.type = WF_ARRAY};
    self->now = self->now ? self->now : &none;
    self->then = self->then ? self->then : &none;
    if (both_are(self, WF_ARRAY))
        narrow_to_item(self);
    while (both_are(self, WF_OBJECT) && narrow_to_member(self))
        continue;
    if (!self->now || !self->then)
        narrow_to_name(self);
}

static void add_value(wf_buffer *out, const wf_value *value)
{
    if (value)
        wf_json_write(out, value);
    else
        wf_buffer_text(out, "not there");
}

static int32_t tell_difference(comparison *self, const char *key, const wf_value *now,
                               const wf_value *then)
{
    difference found = {now, then, &self->difference};
    wf_buffer_text(found.place, key);
    if (strcmp(key, "invocations") == 0 || strcmp(key, "effects") == 0)
        narrow(&found);
    wf_buffer_text(found.place, " is ");
    add_value(found.place, found.now);
    wf_buffer_text(found.place, "; in the journal ");
    add_value(found.place, found.then);
    return self->difference.failed ? WFSM_NO_MEMORY : WFSM_CORRUPT;
}

/* With states that have moved, the whole configurations are compared, because one that is new may
 * stand for one that was there before. */
static int32_t compare_states(comparison *self, const wf_value *now, const wf_value *then)
{
    wf_replay *replay = &self->replay;
    wf_value whole;
    if ((!now && !then) || wf_moves_agree(&self->moves, replay, then))
        return WFSM_OK;
    wf_buffer_clear(&replay->full);
    wf_write_configuration(&replay->full, replay->machine, replay->snapshot.active);
    if (replay->full.failed)
        return WFSM_NO_MEMORY;
    int32_t status =
        wf_json_parse(&replay->arena, replay->full.data, replay->full.length, &whole, NULL);
    return status == WFSM_OK ? tell_difference(self, "configuration", &whole, then) : status;
}

static int32_t compare_key(comparison *self, const char *key, const wf_value *now,
                           const wf_value *then)
{
    if (self->moves.old && strcmp(key, "configuration") == 0)
        return compare_states(self, now, then);
    if (self->moves.old && then && strcmp(key, "invocations") == 0 &&
        !(then = wf_moves_invocations(&self->moves, &self->replay, then)))
        return WFSM_NO_MEMORY;
    return differ(now, then) ? tell_difference(self, key, now, then) : WFSM_OK;
}

static int32_t compare(wf_replay *replay)
{
    wf_value written;
    int32_t status = wf_json_parse(&replay->arena, replay->written.data, replay->written.length,
                                   &written, NULL);
    for (size_t i = 0; status == WFSM_OK && i < sizeof seen_keys / sizeof *seen_keys; i++)
        status = compare_key((comparison *)replay, seen_keys[i],
                             wf_replay_member(&written, seen_keys[i]),
                             wf_replay_member(&replay->record, seen_keys[i]));
    return status;
}

static int32_t end(comparison *self, uint64_t revision, bool diverged, const char *why)
{
    self->asked.revision = revision;
    self->asked.diverged = diverged;
    if (self->difference.length == 0)
        wf_buffer_text(&self->difference, why);
    return self->difference.failed ? wf_no_memory(self->error) : WFSM_OK;
}

/* Why the record cannot be replayed under another document; NULL: it can. */
static const char *bound_to_its_document(const wf_replay *replay)
{
    static const char *const kinds[][2] = {
        {"fork", "a fork begins with a state of the old document"},
        {"restore", "a restore has a state of the old document"},
        {"migrate", "here the instance was migrated to another document"}};
    const wf_value *input = wf_replay_member(&replay->record, "input");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(wf_replay_text(input, "kind"), kinds[i][0]) == 0)
            return kinds[i][1];
    return NULL;
}

static int32_t malformed(comparison *self, const wfsm_row *row)
{
    return wf_fail(self->error, WFSM_CORRUPT, "record %" PRIu64 ": %s", row->revision,
                   self->replay.wrong);
}

static int32_t try_record(void *user, const wfsm_row *row)
{
    comparison *self = user;
    wf_replay *replay = &self->replay;
    if (self->asked.revision > 0)
        return WFSM_OK;
    int32_t status = wf_replay_look(replay, row->text, row->length, self->error);
    if (status != WFSM_OK)
        return status == WFSM_CORRUPT ? malformed(self, row) : status;
    const char *why = bound_to_its_document(replay);
    if (why)
        return end(self, row->revision, false, why);
    status = wf_replay_record(replay, row->text, row->length, false, self->error);
    if (status == WFSM_CORRUPT)
        return end(self, row->revision, true, replay->wrong);
    self->asked.records += status == WFSM_OK;
    return status;
}

/* The first record names the journal's document. */
static int32_t want_its_document(void *user, const wfsm_row *row)
{
    comparison *self = user;
    wf_replay *replay = &self->replay;
    int32_t status = wf_replay_look(replay, row->text, row->length, self->error);
    if (status != WFSM_OK)
        return status == WFSM_CORRUPT ? malformed(self, row) : status;
    snprintf(replay->wanted, sizeof replay->wanted, "%s",
             wf_replay_text(&replay->record, "fingerprint"));
    return WFSM_OK;
}

static int32_t prepare(comparison *self, wfsm_store *store, const char *instance)
{
    const wfsm_machine *machine = self->asked.machine;
    int32_t status = WFSM_OK;
    if (machine->migration_count > 0)
        status =
            wfsm_store_records(store, instance, 1, 1, want_its_document, self, self->error);
    if (status == WFSM_OK && machine->migration_count > 0)
        status = wf_moves_init(&self->moves, &self->replay, machine, store, self->error);
    if (status == WFSM_OK && !wf_replay_enter(&self->replay, self->asked.machine))
        status = wf_no_memory(self->error);
    return status;
}

static int32_t try_journal(comparison *self, wfsm_store *store, const char *instance)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(store, instance, &head, self->error);
    if (status != WFSM_OK)
        return status;
    if (head.first > 1)
        return end(self, head.first, false,
                   "the journal is compacted, and begins with a state of the old document");
    uint64_t last = head.revision;
    status = prepare(self, store, instance);
    if (status != WFSM_OK)
        return status;
    return wfsm_store_records(store, instance, 1, last, try_record, self, self->error);
}

/* After the reading, because a sink may call the store. */
static int32_t tell(const comparison *self, const char *instance)
{
    const wfsm_audit_diagnostic why = {sizeof why, instance, self->asked.revision,
                                       self->difference.data};
    if (self->asked.revision == 0 || !self->asked.sink)
        return WFSM_OK;
    return self->asked.sink(self->asked.user, &why);
}

/* What is asked, of whatever size; false if it is not enough. */
static bool take(wfsm_replay *asked, const wfsm_replay *given)
{
    const wfsm_replay *known =
        wf_struct_view(asked, sizeof *asked, given, offsetof(wfsm_replay, sink));
    if (!known)
        return false;
    *asked = (wfsm_replay){.size = sizeof *asked,
                           .machine = known->machine,
                           .sink = known->sink,
                           .user = known->user};
    return asked->machine != NULL;
}

int32_t wfsm_store_replay(wfsm_store *store, const char *instance, wfsm_replay *replay,
                          wfsm_error *error)
{
    comparison self = {.error = error};
    int32_t status = wf_store_ready(store, error);
    if (status == WFSM_OK && (!instance || !take(&self.asked, replay)))
        status = wf_fail(error, WFSM_INVALID,
                         "expected an instance, and a replay with its size and a machine");
    if (status != WFSM_OK)
        return status;
    wf_replay_init(&self.replay, instance, &store->allocator);
    self.replay.compare = compare;
    wf_buffer_init(&self.difference, &store->allocator);
    status = try_journal(&self, store, instance);
    if (status == WFSM_OK)
        status = tell(&self, instance);
    if (status == WFSM_OK)
        wf_struct_give(replay, &self.asked, sizeof self.asked, sizeof replay->size);
    wf_moves_fini(&self.moves, &self.replay);
    wf_buffer_fini(&self.difference);
    wf_replay_fini(&self.replay);
    return status;
}
