/* The audit: every journal is replayed and compared with what is stored. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "instance/audit.h"

/* ---- the journal ---- */

/* Keeps the snapshot of that revision, as it should be stored. */
static int32_t keep_full(wf_audit *self)
{
    wf_buffer_clear(&self->snapshot);
    wf_buffer_add(&self->snapshot, self->replay.full.data, self->replay.full.length);
    snprintf(self->checkpoint, sizeof self->checkpoint, "%s", self->replay.checkpoint);
    return self->snapshot.failed ? wf_no_memory(self->error) : WFSM_OK;
}

/* Checks the columns beside a record that the replay does not use. */
static int32_t audit_columns(wf_audit *self, const wfsm_row *row)
{
    const char *known = wf_replay_event_id(&self->replay), *given = row->id ? row->id : "";
    const char *id = known ? known : given;
    if (row->now != self->replay.snapshot.now)
        return wf_audit_diagnostic(self, row->revision,
                                   "the row is of another time than its record");
    if (!row->id && self->archived)
        return WFSM_OK;
    if (strcmp(given, id) != 0)
        return wf_audit_diagnostic(self, row->revision,
                                   "the row has another event id than its record");
    if (wf_audit_waits(self, id))
        return wf_audit_diagnostic(
            self, row->revision,
            "its event \"%.60s\" waits in the inbox, and would be taken again", id);
    return WFSM_OK;
}

/* The oldest record of a journal that was cut cannot be replayed, but its digest is known. */
static int32_t audit_anchor_record(wf_audit *self, const wfsm_row *row)
{
    self->anchored = false;
    self->counts.records++;
    if (!wf_replay_is_anchor(&self->replay, row)) {
        self->lost = true;
        return wf_audit_diagnostic(self, row->revision, "this is not the record of the anchor");
    }
    int32_t status = wf_replay_look(&self->replay, row->text, row->length, self->error);
    return status == WFSM_OK ? audit_columns(self, row) : status;
}

static int32_t audit_record(void *user, const wfsm_row *row)
{
    wf_audit *self = user;
    uint64_t expected = self->replay.snapshot.revision + 1;
    bool full = row->revision == self->snapshot_revision;
    if (self->lost)
        return WFSM_OK;
    if (self->anchored)
        return audit_anchor_record(self, row);
    if (row->revision != expected) {
        self->counts.records++;
        self->lost = true;
        return wf_audit_diagnostic(self, row->revision, "record %" PRIu64 " is missing",
                                   expected);
    }
    int32_t status = wf_replay_record(&self->replay, row->text, row->length, full, self->error);
    self->waits = status == WFSM_NOT_FOUND;
    if (self->waits)
        return status;
    self->counts.records++;
    if (status == WFSM_CORRUPT) {
        self->lost = true;
        return wf_audit_diagnostic(self, row->revision, "%s", self->replay.wrong);
    }
    if (row->revision == 1)
        self->created = self->replay.snapshot.now;
    if (status == WFSM_OK)
        status = audit_columns(self, row);
    if (status == WFSM_OK)
        status = wf_audit_note_restore(self, row->revision);
    return status == WFSM_OK && full ? keep_full(self) : status;
}

/* ---- one instance ---- */

/* Reads one record at a time, because a sink must not call the store. */
static int32_t enter_document(wf_audit *self)
{
    int32_t status = wf_replay_document(&self->replay, self->store, self->error);
    if (status != WFSM_NOT_FOUND)
        return status;
    self->lost = true;
    return wf_audit_diagnostic(self, 0,
                               "its document is missing or is not the one of this fingerprint");
}

/* A journal that was cut begins with the state of its anchor. */
static int32_t enter_anchor(wf_audit *self, const wf_claimed *head)
{
    if (head->first == 1)
        return WFSM_OK;
    int32_t status = wf_replay_anchor(&self->replay, self->store, self->error);
    if (status == WFSM_NOT_FOUND || status == WFSM_CORRUPT) {
        bool none = status == WFSM_NOT_FOUND;
        self->lost = true;
        return wf_audit_diagnostic(self, head->first, "%s",
                                   none ? "the anchor is missing" : self->replay.wrong);
    }
    if (status != WFSM_OK)
        return status;
    const wf_list *outbox = &self->replay.snapshot.extras->outbox;
    uint64_t made = self->replay.snapshot.extras->singles.effect_number;
    self->floor = outbox->count > 0 ? wf_effect_at(outbox, 0)->number - 1 : made;
    self->anchored = true;
    if (self->snapshot_revision != head->first)
        return WFSM_OK;
    status = wf_replay_write(&self->replay, self->error);
    return status == WFSM_OK ? keep_full(self) : status;
}

static int32_t audit_records(wf_audit *self, uint64_t last)
{
    for (;;) {
        uint64_t next = self->replay.snapshot.revision + !self->anchored;
        self->waits = false;
        int32_t status = wfsm_store_records(self->store, self->instance, next, last,
                                            audit_record, self, self->error);
        if (!self->waits)
            return status;
        status = enter_document(self);
        if (status != WFSM_OK || self->lost)
            return status;
    }
}

static int32_t audit_journal(wf_audit *self, const wf_claimed *head)
{
    int32_t status = enter_anchor(self, head);
    if (status == WFSM_OK && !self->lost)
        status = audit_records(self, head->revision);
    if (status != WFSM_OK || self->lost)
        return status;
    if (self->anchored)
        return wf_audit_diagnostic(self, head->first, "record %" PRIu64 " is missing",
                                   head->first);
    if (!self->replay.machine)
        return wf_audit_diagnostic(self, 0, "the journal is empty");
    if (strcmp(self->replay.machine->fingerprint, head->fingerprint) != 0)
        return wf_audit_diagnostic(
            self, 0, "the head names another document than the journal ends under");
    if (self->replay.snapshot.revision != head->revision)
        return wf_audit_diagnostic(
            self, 0, "the journal ends at revision %" PRIu64 ", the head says %" PRIu64,
            self->replay.snapshot.revision, head->revision);
    status = wf_audit_head(self, head);
    if (status == WFSM_OK)
        status = wf_audit_snapshot(self);
    if (status == WFSM_OK)
        status = wf_audit_checkpoints(self);
    return status == WFSM_OK ? wf_audit_restores(self, head->first) : status;
}

/* CORRUPT from the store is a diagnostic of this instance; the next one may be undamaged. */
static int32_t end(wf_audit *self, int32_t status)
{
    const char *message = wfsm_error_message(self->error);
    char text[512];
    if (status != WFSM_CORRUPT)
        return status;
    snprintf(text, sizeof text, "%s",
             *message != '\0' ? message : "what is stored of it cannot be read");
    wfsm_error_set(self->error, WFSM_OK, "");
    return wf_audit_diagnostic(self, 0, "%s", text);
}

static int32_t look(wf_audit *self, wf_claimed *head)
{
    self->lost = self->anchored = false;
    self->floor = 0;
    self->restored_count = 0;
    wf_names_cut(&self->bookmarks, 0);
    wf_buffer_clear(&self->snapshot);
    wf_buffer_clear(&self->diagnostics);
    int32_t status = wf_audit_read_head(self, head);
    if (status != WFSM_OK)
        return end(self, status);
    self->counts.instances++;
    status = end(self, wf_audit_inbox(self));
    if (status != WFSM_OK)
        return status;
    wf_replay_init(&self->replay, self->instance, &self->store->allocator);
    status = audit_journal(self, head);
    wf_replay_fini(&self->replay);
    return end(self, status);
}

/* Has somebody committed or compacted since this head was read? If the store fails, the diagnostics may be
 * wrong, and its answer is returned. */
static int32_t look_again(wf_audit *self, const wf_claimed *head, bool *moved_on)
{
    wfsm_head now = {.size = sizeof now};
    int32_t status = wfsm_store_head(self->store, self->instance, &now, self->error);
    *moved_on =
        status == WFSM_OK && (now.revision != head->revision || now.first != head->first);
    return status == WFSM_CORRUPT || status == WFSM_NOT_FOUND ? WFSM_OK : status;
}

/* Head, journal and snapshot are read one after the other. A commit in between makes them
 * disagree, which is not a diagnostic: the audit begins again. After so many attempts it gives up,
 * because a program is writing all the time. */
enum { MOST_LOOKS = 100 };

static int32_t audit_one(wf_audit *self, const char *instance)
{
    int32_t status = WFSM_OK;
    self->instance = instance;
    for (int i = 0; i < MOST_LOOKS; i++) {
        bool moved_on = false;
        wf_claimed head = {0};
        wfsm_audit_counts before = self->counts;
        status = look(self, &head);
        if (status != WFSM_OK || self->diagnostics.length == 0)
            return status;
        status = look_again(self, &head, &moved_on);
        if (!moved_on)
            return status == WFSM_OK ? wf_audit_tell(self) : status;
        self->counts = before;
    }
    return wf_fail(self->error, WFSM_BUSY, "\"%.60s\" changes faster than it can be audited",
                   instance);
}

/* ---- all of them ---- */

enum { FOUND = WFSM_LIMIT }; /* ends the reading */

static int32_t take_id(void *user, const wfsm_row *row)
{
    char *id = user;
    snprintf(id, WF_ID_BYTES, "%s", row->head->instance);
    return FOUND;
}

/* The next instance; *id is "" after the last. Skips a damaged head, which is a diagnostic. */
static int32_t next_id(wf_audit *self, const char *after, char id[WF_ID_BYTES])
{
    wfsm_query query = {.size = sizeof query, .after = *after != '\0' ? after : NULL};
    int32_t status = WFSM_CORRUPT;
    id[0] = '\0';
    self->instance = "";
    for (query.limit = 1; status == WFSM_CORRUPT && query.limit < 1u << 20; query.limit *= 2) {
        status = wfsm_store_list(self->store, &query, take_id, id, self->error);
        if (status != WFSM_CORRUPT || query.limit > 1)
            continue;
        int32_t told = end(self, status);
        if (told == WFSM_OK)
            told = wf_audit_tell(self);
        if (told != WFSM_OK)
            return told;
    }
    return status == FOUND || status == WFSM_CORRUPT ? WFSM_OK : status;
}

static int32_t audit_all(wf_audit *self)
{
    char last[WF_ID_BYTES] = "", next[WF_ID_BYTES];
    for (;;) {
        int32_t status = next_id(self, last, next);
        if (status != WFSM_OK || next[0] == '\0')
            return status;
        memcpy(last, next, sizeof last);
        status = audit_one(self, next);
        if (status != WFSM_OK && status != WFSM_NOT_FOUND)
            return status;
    }
}

int32_t wfsm_store_audit(wfsm_store *store, const char *instance, wfsm_audit_sink sink,
                         void *user, wfsm_audit_counts *counts, wfsm_error *error)
{
    wf_audit self = {.store = store, .sink = sink, .user = user, .error = error};
    int32_t status = wf_store_ready(store, error);
    if (status == WFSM_OK && !wf_struct_can_be_given(counts))
        status = wf_fail(error, WFSM_INVALID, "the size of the counts is not set");
    if (status != WFSM_OK)
        return status;
    self.counts.size = sizeof self.counts;
    wf_buffer_init(&self.snapshot, &store->allocator);
    wf_buffer_init(&self.diagnostics, &store->allocator);
    wf_buffer_init(&self.posts, &store->allocator);
    wf_names_init(&self.bookmarks, &store->allocator);
    status = instance ? audit_one(&self, instance) : audit_all(&self);
    wf_buffer_fini(&self.snapshot);
    wf_buffer_fini(&self.diagnostics);
    wf_buffer_fini(&self.posts);
    wf_free(&store->allocator, self.waiting);
    wf_free(&store->allocator, self.restored);
    wf_names_fini(&self.bookmarks);
    wf_struct_give(counts, &self.counts, sizeof self.counts, sizeof counts->size);
    return status;
}
