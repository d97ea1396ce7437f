/* The state that an instance had at a revision, from what the store has. */
#include "instance/past.h"

#include <inttypes.h>
#include <string.h>
#include "base/error.h"
#include "base/invariant.h"
#include "logic/json.h"

static int32_t wrong(const wf_past *self, uint64_t revision, const char *why)
{
    return wf_fail(self->error, WFSM_CORRUPT, "\"%.60s\", record %" PRIu64 ": %s",
                   self->replay.id, revision, why);
}

/* ---- the head ---- */

static int32_t read_head(wf_past *self)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(self->store, self->replay.id, &head, self->error);
    if (status != WFSM_OK)
        return status;
    if (strlen(head.token) >= sizeof self->token)
        return wf_fail(self->error, WFSM_CORRUPT, "\"%.60s\", head: the token is too long",
                       self->replay.id);
    memcpy(self->token, head.token, strlen(head.token) + 1);
    self->last = head.revision;
    self->first = head.first;
    self->snapshot_revision = head.snapshot_revision;
    self->acknowledged = head.acknowledged;
    return WFSM_OK;
}

static int32_t missing(const wf_past *self, uint64_t revision)
{
    return wf_fail(self->error, WFSM_NOT_FOUND,
                   "the journal of \"%.60s\" does not have revision %" PRIu64
                   ": it has %" PRIu64 " to %" PRIu64 "%s",
                   self->replay.id, revision, self->first, self->last,
                   self->first > 1 ? ", and the revisions of its checkpoints" : "");
}

static int32_t check_revision(const wf_past *self, uint64_t revision)
{
    if (revision == 0)
        return wf_fail(self->error, WFSM_INVALID, "a revision is a number from 1");
    return revision <= self->last ? WFSM_OK : missing(self, revision);
}

/* ---- where it begins ---- */

typedef struct nearest {
    uint64_t most, revision;
    char id[WF_ID_BYTES]; /* "": no checkpoint */
} nearest;

static int32_t take_checkpoint(void *user, const wfsm_row *row)
{
    nearest *self = user;
    size_t length = strlen(row->id);
    if (row->revision > self->most || row->revision <= self->revision ||
        length >= sizeof self->id)
        return WFSM_OK;
    self->revision = row->revision;
    memcpy(self->id, row->id, length + 1);
    return WFSM_OK;
}

/* An uncut journal begins with its first record, which needs no state before it. */
static int32_t enter_oldest(wf_past *self)
{
    return self->first == 1 ? WFSM_OK
                            : wf_replay_anchor(&self->replay, self->store, self->error);
}

static bool is_dropped(const wf_past *self, uint64_t revision)
{
    return revision < self->first;
}

/* The newest checkpoint from the oldest record up to the revision. Of a revision that was dropped
 * there is only the state, if a checkpoint was made there. */
static int32_t find_nearest(wf_past *self, uint64_t revision, nearest *found)
{
    *found = (nearest){.most = revision,
                       .revision = is_dropped(self, revision) ? revision - 1 : self->first};
    if (self->snapshot_revision <= revision)
        return WFSM_OK;
    return wfsm_store_checkpoints(self->store, self->replay.id, take_checkpoint, found,
                                  self->error);
}

static int32_t enter_state(wf_past *self, uint64_t revision, const nearest *found)
{
    if (self->snapshot_revision <= revision)
        return wf_replay_snapshot(&self->replay, self->store, NULL, self->error);
    if (found->id[0] == '\0')
        return enter_oldest(self);
    return wf_replay_snapshot(&self->replay, self->store, found->id, self->error);
}

/* A state that vanished was replaced after the head was read. */
static int32_t enter(wf_past *self, uint64_t revision)
{
    nearest found;
    int32_t status = find_nearest(self, revision, &found);
    if (status == WFSM_OK && is_dropped(self, revision) && found.id[0] == '\0')
        return missing(self, revision);
    if (status == WFSM_OK)
        status = enter_state(self, revision, &found);
    if (status == WFSM_NOT_FOUND)
        return wrong(self, revision, "the state that leads to it is missing");
    if (status == WFSM_CORRUPT && self->replay.wrong)
        return wrong(self, revision, self->replay.wrong);
    if (status == WFSM_OK && self->replay.snapshot.revision > revision)
        return wrong(self, revision, "the stored snapshot is newer than the head says");
    return status;
}

/* ---- the records after that ---- */

/* The record after the target has the digest that the target's record must have. */
static int32_t confirm(wf_past *self, const char *digest)
{
    self->confirmed = strcmp(digest, self->replay.digest) == 0;
    return self->confirmed
               ? WFSM_OK
               : wrong(self, self->target, "it is not the record that was committed");
}

/* A step needs a snapshot that owns its values. */
static int32_t stop_reading(wf_past *self, int32_t status)
{
    if (!self->reading)
        return status;
    self->reading = false;
    return wf_reader_end(&self->reader, &self->replay.snapshot, status, self->error);
}

/* The first record under a document makes the whole state. It is replayed, because its changes
 * are those of a state that is not stored: the empty one, or the one that the migration maps. */
static int32_t run(wf_past *self, const wfsm_row *row)
{
    int32_t status = stop_reading(self, WFSM_OK);
    if (status == WFSM_OK)
        status = wf_replay_record(&self->replay, row->text, row->length, false, self->error);
    self->waits = status == WFSM_NOT_FOUND;
    return status == WFSM_CORRUPT ? wrong(self, row->revision, self->replay.wrong) : status;
}

static int32_t apply(wf_past *self, const wfsm_row *row)
{
    wf_replay *replay = &self->replay;
    wf_stored stored = {replay->id, NULL, row->text, row->length, &self->reader};
    int32_t status = WFSM_OK;
    if (!self->reading)
        status = wf_reader_begin(&self->reader, &replay->snapshot, self->error);
    if (status != WFSM_OK)
        return status;
    self->reading = true;
    return wf_record_apply(&replay->snapshot, &stored, replay->digest, self->error);
}

static int32_t take_record(void *user, const wfsm_row *row)
{
    wf_past *self = user;
    wf_replay *replay = &self->replay;
    if (row->revision != replay->snapshot.revision + 1)
        return wrong(self, row->revision, "the record before it is missing");
    int32_t status = wf_replay_look(replay, row->text, row->length, self->error);
    if (status != WFSM_OK)
        return status == WFSM_CORRUPT ? wrong(self, row->revision, replay->wrong) : status;
    if (row->revision > self->target)
        return confirm(self, wf_replay_previous(replay));
    bool whole = row->revision == 1 || wf_replay_noted(replay).migrates;
    return whole ? run(self, row) : apply(self, row);
}

/* Reads one record at a time, because a sink must not call the store. */
static int32_t enter_document(wf_past *self)
{
    int32_t status = wf_replay_document(&self->replay, self->store, self->error);
    if (status == WFSM_NOT_FOUND)
        return wrong(self, self->replay.snapshot.revision + 1, "its document is missing");
    return status;
}

/* Up to the record after the target, if there is one. */
static int32_t read_records(wf_past *self)
{
    uint64_t to = self->target < self->last ? self->target + 1 : self->target;
    for (;;) {
        uint64_t from = self->replay.snapshot.revision + 1;
        self->waits = false;
        int32_t status = from > to ? WFSM_OK
                                   : wfsm_store_records(self->store, self->replay.id, from, to,
                                                        take_record, self, self->error);
        if (!self->waits)
            return status;
        status = enter_document(self);
        if (status != WFSM_OK)
            return status;
    }
}

/* From the state that it is in. */
static int32_t go_on(wf_past *self, uint64_t revision)
{
    WF_INVARIANT(revision >= self->replay.snapshot.revision);
    self->target = revision;
    self->confirmed = false;
    int32_t status = stop_reading(self, read_records(self));
    if (status != WFSM_OK)
        return status;
    if (self->replay.snapshot.revision != revision)
        return wrong(self, revision, "it is missing");
    if (revision == self->last)
        return confirm(self, self->token);
    return self->confirmed ? WFSM_OK : wrong(self, revision + 1, "it is missing");
}

/* The record after a revision that was dropped may be dropped too. Its state stands for itself. */
static int32_t begin_at(wf_past *self, uint64_t revision)
{
    int32_t status = enter(self, revision);
    return status != WFSM_OK || is_dropped(self, revision) ? status : go_on(self, revision);
}

int32_t wf_past_begin(wf_past *self, wfsm_store *store, const char *instance, uint64_t revision,
                      wfsm_error *error)
{
    memset(self, 0, sizeof *self);
    self->store = store;
    self->error = error;
    wf_replay_init(&self->replay, instance, &store->allocator);
    int32_t status = read_head(self);
    if (status == WFSM_OK)
        status = check_revision(self, revision);
    return status == WFSM_OK ? begin_at(self, revision) : status;
}

int32_t wf_past_continue(wf_past *self, uint64_t revision)
{
    char id[WF_ID_BYTES];
    uint64_t from = self->replay.snapshot.revision;
    int32_t status = check_revision(self, revision);
    if (status != WFSM_OK || revision == from)
        return status;
    if (!is_dropped(self, from + 1))
        return go_on(self, revision);
    memcpy(id, self->replay.id, sizeof id);
    wf_replay_fini(&self->replay);
    wf_replay_init(&self->replay, id, &self->store->allocator);
    return begin_at(self, revision);
}

void wf_past_end(wf_past *self)
{
    stop_reading(self, WFSM_CORRUPT);
    wf_replay_fini(&self->replay);
}

/* ---- as text ---- */

int32_t wf_past_write(wf_past *self, wf_buffer *out)
{
    wf_snapshot *state = &self->replay.snapshot;
    wf_snapshot_note note = {self->replay.id, NULL, state->revision, self->replay.digest};
    wf_snapshot_acknowledge(state, state->extras->singles.effect_number);
    wf_snapshot_write(out, state, &note);
    return out->failed ? wf_no_memory(self->error) : WFSM_OK;
}

static int32_t write_text(void *user, wf_past *past)
{
    wf_buffer *out = user;
    wf_buffer_clear(out);
    return wf_past_write(past, out);
}

int32_t wf_past_text(wfsm_store *store, const char *instance, uint64_t revision, wf_buffer *out,
                     wfsm_error *error)
{
    const wf_past_reader reader = {revision, write_text, out};
    return wf_past_read(store, instance, &reader, error);
}

/* ---- in one view ---- */

typedef struct marks {
    uint64_t revision, first;
} marks;

static int32_t read_once(wfsm_store *store, const char *instance, const wf_past_reader *reader,
                         marks *seen, wfsm_error *error)
{
    wf_past past;
    int32_t status = wf_past_begin(&past, store, instance, reader->from, error);
    *seen = (marks){past.last, past.first};
    if (status == WFSM_OK)
        status = reader->read(reader->user, &past);
    wf_past_end(&past);
    return status;
}

static int32_t read_viewed(wfsm_store *store, const char *instance,
                           const wf_past_reader *reader, marks *seen, wfsm_error *error)
{
    int32_t status = wf_store_view(store, true, error);
    if (status != WFSM_OK)
        return status;
    status = read_once(store, instance, reader, seen, error);
    wf_store_view(store, false, NULL);
    return status;
}

/* After CORRUPT: has somebody committed or compacted meanwhile? If the store does not say it, nobody knows
 * whether anything is damaged, and its answer is returned. */
static int32_t look_again(wfsm_store *store, const char *instance, const marks *seen,
                          bool *moved_on, wfsm_error *error)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(store, instance, &head, error);
    *moved_on =
        status == WFSM_OK && (head.revision != seen->revision || head.first != seen->first);
    return status == WFSM_OK ? WFSM_CORRUPT : status;
}

enum { MOST_READS = 100 };

int32_t wf_past_read(wfsm_store *store, const char *instance, const wf_past_reader *reader,
                     wfsm_error *error)
{
    marks seen = {0};
    for (int i = 0; i < MOST_READS; i++) {
        bool moved_on = false;
        int32_t status = read_viewed(store, instance, reader, &seen, error);
        if (status == WFSM_CORRUPT)
            status = look_again(store, instance, &seen, &moved_on, error);
        if (!moved_on)
            return status;
        wfsm_error_set(error, WFSM_OK, "");
    }
    return wf_fail(error, WFSM_BUSY, "\"%.60s\" changes faster than it can be read", instance);
}
