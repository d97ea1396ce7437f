/* Decides which records of a journal may be dropped, and drops them. */
#include "instance/compact.h"

#include <string.h>
#include "base/invariant.h"
#include "base/error.h"
#include "base/sized.h"
#include "logic/json.h"

/* ---- the head ---- */

static bool copy_text(char *out, size_t size, const char *text)
{
    size_t length = strlen(text);
    if (length >= size)
        return false;
    memcpy(out, text, length + 1);
    return true;
}

int32_t wf_compact_head(wf_compacting *self)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(self->store, self->instance, &head, self->error);
    if (status != WFSM_OK)
        return status;
    self->revision = head.revision;
    self->first = head.first;
    self->snapshot_revision = head.snapshot_revision;
    self->acknowledged = head.acknowledged;
    self->effects = head.effects;
    self->status = head.status;
    if (copy_text(self->token, sizeof self->token, head.token) &&
        copy_text(self->owner, sizeof self->owner, head.owner))
        return WFSM_OK;
    return wf_fail(self->error, WFSM_CORRUPT, "\"%.60s\", head: token or owner is too long",
                   self->instance);
}

/* ---- what may be dropped ---- */

typedef struct scan {
    wf_compacting *self;
    uint64_t most;      /* the anchor is at most this record */
    uint64_t next;      /* revision */
    int64_t last;       /* time of the record before */
    wf_arena arena;
} scan;

static const char *text_of(const wf_value *object, const char *key)
{
    const wf_value *found = object->type == WF_OBJECT ? wf_value_get_z(object, key) : NULL;
    return found && found->type == WF_STRING ? found->as.text : "";
}

static int32_t scan_record(void *user, const wfsm_row *row)
{
    scan *at = user;
    wf_compacting *self = at->self;
    wf_value record;
    bool old = self->before == 0 || at->last < self->before || row->revision == self->first;
    wf_arena_reset(&at->arena);
    int32_t status = wf_json_parse(&at->arena, row->text, row->length, &record, NULL);
    if (status == WFSM_NO_MEMORY)
        return wf_no_memory(self->error);
    const wf_value *input =
        status == WFSM_OK && record.type == WF_OBJECT ? wf_value_get_z(&record, "input") : NULL;
    if (row->revision != at->next++ || !input)
        return wf_fail(self->error, WFSM_CORRUPT, "\"%.60s\", record %llu: it is not the next",
                       self->instance, (unsigned long long)row->revision);
    if (row->revision - 1 == self->archive.have && row->revision > 1)
        self->archive.fits = strcmp(text_of(&record, "prev"), self->archive.token) == 0;
    at->last = row->now;
    /* The record of the anchor goes to an archive later, when only its state is known. */
    bool makes_checkpoint = strcmp(text_of(input, "kind"), "checkpoint") == 0;
    if (row->revision > self->first && row->revision <= at->most && old && !makes_checkpoint)
        self->anchor = row->revision;
    return WFSM_OK;
}

static uint64_t most_of(const wf_compacting *self)
{
    uint64_t most = self->snapshot_revision;
    if (self->keep == 0)
        return most;
    if (self->keep > self->revision)
        return 0;
    uint64_t kept = self->revision - self->keep + 1;
    return kept < most ? kept : most;
}

/* Finds the anchor, and checks that this journal continues the archive. */
int32_t wf_compact_look(wf_compacting *self, uint64_t most)
{
    scan at = {.self = self, .most = most, .next = self->first};
    uint64_t to = most;
    WF_INVARIANT(most <= self->snapshot_revision); /* the last full snapshot stays */
    self->anchor = 0;
    if (self->archive.store && self->archive.have >= to)
        to = self->archive.have < self->revision ? self->archive.have + 1 : self->revision;
    wf_arena_init(&at.arena, &self->store->allocator, 0);
    int32_t status = to < self->first
                         ? WFSM_OK
                         : wfsm_store_records(self->store, self->instance, self->first, to,
                                              scan_record, &at, self->error);
    WF_INVARIANT(self->anchor == 0 || (self->anchor > self->first && self->anchor <= most));
    wf_arena_fini(&at.arena);
    if (status == WFSM_OK && self->archive.store && !self->archive.fits)
        return wf_fail(self->error, WFSM_CONFLICT,
                       "the archive's \"%.60s\" has another journal", self->instance);
    return status;
}

/* ---- the cut ---- */

static int32_t cut(wf_compacting *self)
{
    WF_INVARIANT(self->replay.snapshot.revision == self->anchor);
    int32_t status = wf_replay_write(&self->replay, self->error);
    if (status != WFSM_OK)
        return status;
    return wfsm_store_cut(self->store, self->instance, self->anchor, self->replay.full.data,
                          self->replay.full.length, self->error);
}

int32_t wf_compact_to(wf_compacting *self, uint64_t end)
{
    self->end = end;
    self->anchored = false;
    wf_replay_init(&self->replay, self->instance, &self->store->allocator);
    wf_arena_init(&self->archive.arena, &self->store->allocator, 0);
    int32_t status = wf_compact_run(self);
    if (status == WFSM_OK && self->anchor != 0)
        status = cut(self);
    wf_arena_fini(&self->archive.arena);
    wf_replay_fini(&self->replay);
    return status;
}

uint64_t wf_compact_missing(const wf_compacting *self, uint64_t last)
{
    return self->archive.store && last > self->archive.have ? last - self->archive.have : 0;
}

static int32_t compact(wf_compacting *self, bool dry, wfsm_compacted *done)
{
    int32_t status = wf_compact_head(self);
    if (status == WFSM_OK)
        status = wf_archive_look(self);
    if (status == WFSM_OK)
        status = wf_compact_look(self, most_of(self));
    if (status != WFSM_OK)
        return status;
    uint64_t first = self->anchor != 0 ? self->anchor : self->first;
    *done = (wfsm_compacted){sizeof *done, first, first - self->first,
                             wf_compact_missing(self, first - 1)};
    return dry || self->anchor == 0 ? WFSM_OK : wf_compact_to(self, self->anchor);
}

/* ---- the calls ---- */

static bool moved_on(wf_compacting *self)
{
    wfsm_head head = {.size = sizeof head};
    return wfsm_store_head(self->store, self->instance, &head, NULL) == WFSM_OK &&
           head.first != self->first;
}

int32_t wf_compact_make(wf_compacting **out, wfsm_store *store, const char *instance,
                        wfsm_error *error)
{
    int32_t status = wf_store_ready(store, error);
    if (status == WFSM_OK)
        status = wf_store_check_id(instance, "the id of an instance", error);
    if (status != WFSM_OK)
        return status;
    *out = wf_new(&store->allocator, sizeof **out);
    if (!*out)
        return wf_no_memory(error);
    (*out)->store = store;
    (*out)->instance = instance;
    (*out)->error = error;
    return WFSM_OK;
}

static int32_t check(wfsm_compaction *out, const wfsm_compaction *given, wfsm_error *error)
{
    *out = (wfsm_compaction){.size = sizeof *out};
    if (!given)
        return WFSM_OK;
    if (!wf_struct_check(out, sizeof *out, given, WF_SIZE_UP_TO(wfsm_compaction, dry_run)) ||
        out->before < 0 || (out->dry_run | 1) != 1)
        return wf_fail(error, WFSM_INVALID,
                       "the options of a compaction are of a wrong size, or a member is out "
                       "of its range");
    return WFSM_OK;
}

void wf_compact_tell(wfsm_compacted *done, const wfsm_compacted *found)
{
    wf_struct_give(done, found, sizeof *found, sizeof done->size);
}

/* Another process may compact at the same time. */
enum { MOST_TRIES = 10 };

int32_t wfsm_store_compact(wfsm_store *store, const char *instance,
                           const wfsm_compaction *options, wfsm_compacted *done,
                           wfsm_error *error)
{
    wf_compacting *self = NULL;
    wfsm_compaction wanted;
    wfsm_compacted found = {.size = sizeof found};
    int32_t status = check(&wanted, options, error);
    if (status == WFSM_OK && !wf_struct_can_be_given(done))
        status = wf_fail(error, WFSM_INVALID, "the size of the result is not set");
    if (status == WFSM_OK)
        status = wf_compact_make(&self, store, instance, error);
    if (status != WFSM_OK)
        return status;
    for (int i = 0; i < MOST_TRIES; i++) {
        self->keep = wanted.keep;
        self->before = wanted.before;
        memset(&self->archive, 0, sizeof self->archive);
        self->archive.store = wanted.archive;
        status = compact(self, wanted.dry_run == 1, &found);
        if ((status != WFSM_CORRUPT && status != WFSM_CONFLICT) || !moved_on(self))
            break;
        wfsm_error_set(error, WFSM_OK, "");
    }
    if (status == WFSM_OK)
        wf_compact_tell(done, &found);
    wf_free(&store->allocator, self);
    return status;
}
