/* The audit: every journal is run again, and what is stored held against it. */
#include <wfsm/audit.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "instance/inner.h"
#include "instance/replay.h"
#include "store/decode.h"

typedef struct audit {
    wfsm_store *store;
    wfsm_flaw_sink sink;
    void *user;
    wfsm_error *error;
    wfsm_audit_counts counts;
    const char *instance; /* the one at work */
    wf_replay replay;
    wfsm_machine *machine;
    uint64_t snapshot_revision;
    uint64_t acknowledged; /* last effect that is */
    wf_buffer snapshot;    /* as the replay has it at that revision */
    char checkpoint[WF_ID_BYTES]; /* that this snapshot is, too; "" if it is none */
    bool lost;          /* the replay cannot go on */
    bool waits;         /* for the document that the next record needs */
} audit;

static int32_t flaw(audit *self, uint64_t revision, const char *format, ...)
    WF_PRINTF(3, 4);

static int32_t flaw(audit *self, uint64_t revision, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    wfsm_flaw found = {sizeof found, self->instance, revision, text};
    self->counts.flaws++;
    return self->sink != NULL ? self->sink(self->user, &found) : WFSM_OK;
}

/* ---- the journal ---- */

static int32_t audit_record(void *user, const wfsm_row *row)
{
    audit *self = user;
    uint64_t expected = self->replay.snapshot.revision + 1;
    bool full = row->revision == self->snapshot_revision;
    if (self->lost)
        return WFSM_OK;
    if (row->revision != expected) {
        self->counts.records++;
        self->lost = true;
        return flaw(self, row->revision, "record %" PRIu64 " is missing", expected);
    }
    int32_t status =
        wf_replay_record(&self->replay, row->text, row->length, full, self->error);
    self->waits = status == WFSM_NOT_FOUND;
    if (self->waits)
        return status;
    self->counts.records++;
    if (status == WFSM_CORRUPT) {
        self->lost = true;
        return flaw(self, row->revision, "%s", self->replay.wrong);
    }
    if (status != WFSM_OK || !full)
        return status;
    wf_buffer_clear(&self->snapshot);
    wf_buffer_add(&self->snapshot, self->replay.full.data, self->replay.full.length);
    snprintf(self->checkpoint, sizeof self->checkpoint, "%s", self->replay.checkpoint);
    return self->snapshot.failed ? wf_no_memory(self->error) : WFSM_OK;
}

/* ---- snapshots ---- */

typedef struct expected {
    audit *self;
    const char *text;
    size_t length;
    const char *checkpoint; /* id, NULL: none */
    uint64_t revision;      /* of a full snapshot, 0: a checkpoint */
    wfsm_machine *machine;
} expected;

/* The state of the replay as it reads once the effects that the stored one misses are
 * acknowledged: that happens between commits, so no record tells when. */
static int32_t acknowledged_text(const expected *wanted, const wf_snapshot *stored,
                                 wf_buffer *out)
{
    audit *self = wanted->self;
    char digest[WF_DIGEST_HEX];
    wf_snapshot own;
    wf_stored text = {self->instance, wanted->checkpoint, wanted->text, wanted->length};
    uint64_t oldest = stored->more->outbox.count > 0 ? stored->more->outbox.list[0].number : UINT64_MAX;
    uint64_t mark = oldest - 1 < self->acknowledged ? oldest - 1 : self->acknowledged;
    if (!wf_snapshot_init(&own, wanted->machine, &self->store->allocator))
        return wf_no_memory(self->error);
    int32_t status = wf_snapshot_read(&own, &text, digest, self->error);
    if (status == WFSM_OK) {
        wf_snapshot_note note = {self->instance, wanted->checkpoint, own.revision, digest};
        wf_snapshot_acknowledge(&own, mark);
        wf_snapshot_write(out, &own, &note);
    }
    wf_snapshot_fini(&own);
    return status == WFSM_OK && out->failed ? wf_no_memory(self->error) : status;
}

static int32_t compare_acknowledged(const expected *wanted, const wfsm_row *row, bool *same)
{
    audit *self = wanted->self;
    char digest[WF_DIGEST_HEX];
    wf_snapshot stored;
    wf_buffer text;
    wf_stored from = {self->instance, wanted->checkpoint, row->text, row->length};
    if (!wf_snapshot_init(&stored, wanted->machine, &self->store->allocator))
        return wf_no_memory(self->error);
    wf_buffer_init(&text, &self->store->allocator);
    int32_t status = wf_snapshot_read(&stored, &from, digest, NULL);
    if (status == WFSM_OK)
        status = acknowledged_text(wanted, &stored, &text);
    *same = status == WFSM_OK && text.length == row->length &&
            memcmp(text.data, row->text, row->length) == 0;
    wf_buffer_fini(&text);
    wf_snapshot_fini(&stored);
    return status == WFSM_NO_MEMORY ? wf_no_memory(self->error) : WFSM_OK;
}

static int32_t compare_text(void *user, const wfsm_row *row)
{
    expected *wanted = user;
    bool same =
        row->length == wanted->length && memcmp(row->text, wanted->text, row->length) == 0;
    int32_t status = same ? WFSM_OK : compare_acknowledged(wanted, row, &same);
    if (status != WFSM_OK || same)
        return status;
    return flaw(wanted->self, wanted->revision,
                "the stored %s is not the state that the journal leads to",
                wanted->revision == 0 ? "checkpoint" : "snapshot");
}

static int32_t audit_snapshot(audit *self)
{
    expected wanted = {self, self->snapshot.data, self->snapshot.length,
                       self->checkpoint[0] != '\0' ? self->checkpoint : NULL,
                       self->snapshot_revision, self->machine};
    self->counts.snapshots++;
    int32_t status = wfsm_store_snapshot(self->store, self->instance, NULL, compare_text,
                                       &wanted, self->error);
    if (status == WFSM_NOT_FOUND)
        return flaw(self, self->snapshot_revision, "the full snapshot is missing");
    return status;
}

static int32_t audit_checkpoint(audit *self, const wf_kept *kept)
{
    expected wanted = {self, kept->text, kept->length, kept->id, 0, kept->machine};
    self->counts.checkpoints++;
    int32_t status = wfsm_store_snapshot(self->store, self->instance, kept->id, compare_text,
                                       &wanted, self->error);
    if (status == WFSM_NOT_FOUND)
        return flaw(self, 0, "the checkpoint \"%s\" is missing", kept->id);
    return status;
}

static int32_t known_checkpoint(void *user, const wfsm_row *row)
{
    audit *self = user;
    const wf_kept *kept = wf_replay_checkpoint(&self->replay, row->id);
    if (kept == NULL)
        return flaw(self, row->revision, "no record keeps the checkpoint \"%s\"", row->id);
    if (row->revision != kept->revision)
        return flaw(self, row->revision,
                    "the checkpoint \"%s\" was made by record %" PRIu64, row->id,
                    kept->revision);
    if (row->length == strlen(kept->artifacts) &&
        memcmp(row->text, kept->artifacts, row->length) == 0)
        return WFSM_OK;
    return flaw(self, row->revision,
                "the artifacts of the checkpoint \"%s\" are not those of its record", row->id);
}

static int32_t audit_checkpoints(audit *self)
{
    int32_t status = wfsm_store_checkpoints(self->store, self->instance, known_checkpoint,
                                            self, self->error);
    for (size_t i = 0; i < self->replay.kept_count && status == WFSM_OK; i++)
        status = audit_checkpoint(self, &self->replay.kept[i]);
    return status;
}

/* ---- the head ---- */

/* What the head says, kept while the store is asked for other things. */
typedef struct claimed {
    uint64_t revision, effects;
    int64_t deadline;
    int32_t status;
    char token[WF_DIGEST_HEX];
    char fingerprint[WF_DIGEST_HEX];
} claimed;

static int32_t audit_head(audit *self, const claimed *head)
{
    const wf_snapshot *now = &self->replay.snapshot;
    int64_t deadline =
        now->status == WFSM_DONE ? WFSM_NEVER : wf_snapshot_deadline(now, true);
    int32_t status = WFSM_OK;
    if (strcmp(head->token, self->replay.digest) != 0)
        status = flaw(self, 0, "the head's token is not the digest of the last record");
    if (status == WFSM_OK && head->status != now->status)
        status = flaw(self, 0, "the head's status is not that of the state");
    if (status == WFSM_OK && head->effects != now->more->effect_number)
        status = flaw(self, 0, "the head counts %" PRIu64 " effects, the journal %" PRIu64,
                      head->effects, now->more->effect_number);
    if (status == WFSM_OK && head->deadline != deadline)
        status = flaw(self, 0, "the head's deadline is not that of the state");
    return status;
}

static int32_t read_head(audit *self, const char *instance, claimed *out)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(self->store, instance, &head, self->error);
    if (status != WFSM_OK)
        return status;
    *out = (claimed){head.revision, head.effects, head.deadline, head.status, "", ""};
    snprintf(out->token, sizeof out->token, "%s", head.token);
    snprintf(out->fingerprint, sizeof out->fingerprint, "%s", head.fingerprint);
    self->snapshot_revision = head.snapshot_revision;
    self->acknowledged = head.acknowledged;
    return WFSM_OK;
}

/* ---- one instance ---- */

static int32_t load_document(void *user, const wfsm_row *row)
{
    audit *self = user;
    int32_t status = wfsm_machine_load(&self->machine, row->text, row->length, NULL,
                                       &self->store->allocator, NULL);
    return status == WFSM_NO_MEMORY ? wf_no_memory(self->error) : WFSM_OK;
}

static int32_t find_machine(audit *self, const char *fingerprint)
{
    int32_t status = wfsm_store_document(self->store, fingerprint, load_document, self,
                                         self->error);
    if (status != WFSM_OK && status != WFSM_NOT_FOUND)
        return status;
    if (self->machine != NULL && strcmp(self->machine->fingerprint, fingerprint) == 0)
        return WFSM_OK;
    wfsm_machine_unref(self->machine);
    self->machine = NULL;
    return flaw(self, 0, "its document is missing or is not the one of this fingerprint");
}

/* The store is read and asked in turns: a sink must not call it. */
static int32_t enter_document(audit *self)
{
    wfsm_machine *left = self->machine;
    self->machine = NULL;
    int32_t status = find_machine(self, self->replay.wanted);
    if (status == WFSM_OK && self->machine != NULL &&
        !wf_replay_enter(&self->replay, self->machine))
        status = wf_no_memory(self->error);
    wfsm_machine_unref(left);
    return status;
}

static int32_t audit_records(audit *self, uint64_t last)
{
    for (;;) {
        uint64_t next = self->replay.snapshot.revision + 1;
        self->waits = false;
        int32_t status = wfsm_store_records(self->store, self->instance, next, last,
                                            audit_record, self, self->error);
        if (!self->waits)
            return status;
        status = enter_document(self);
        self->lost = self->machine == NULL;
        if (status != WFSM_OK || self->lost)
            return status;
    }
}

static int32_t audit_journal(audit *self, const claimed *head)
{
    int32_t status = audit_records(self, head->revision);
    if (status != WFSM_OK || self->lost)
        return status;
    if (self->machine == NULL)
        return flaw(self, 0, "the journal is empty");
    if (strcmp(self->machine->fingerprint, head->fingerprint) != 0)
        return flaw(self, 0, "the head names another document than the journal ends under");
    if (self->replay.snapshot.revision != head->revision)
        return flaw(self, 0, "the journal ends at revision %" PRIu64 ", the head says %" PRIu64,
                    self->replay.snapshot.revision, head->revision);
    status = audit_head(self, head);
    if (status == WFSM_OK)
        status = audit_snapshot(self);
    return status == WFSM_OK ? audit_checkpoints(self) : status;
}

static int32_t audit_one(audit *self, const char *instance)
{
    claimed head = {0};
    self->instance = instance;
    self->machine = NULL;
    self->lost = false;
    wf_buffer_clear(&self->snapshot);
    int32_t status = read_head(self, instance, &head);
    if (status != WFSM_OK)
        return status;
    self->counts.instances++;
    wf_replay_init(&self->replay, instance, &self->store->allocator);
    status = audit_journal(self, &head);
    wf_replay_fini(&self->replay);
    wfsm_machine_unref(self->machine);
    return status;
}

/* ---- all of them ---- */

static int32_t take_id(void *user, const wfsm_row *row)
{
    char *id = user;
    snprintf(id, WF_ID_BYTES, "%s", row->head->instance);
    return WFSM_OK;
}

static int32_t audit_all(audit *self)
{
    char last[WF_ID_BYTES] = "", next[WF_ID_BYTES];
    for (;;) {
        wfsm_query query = {.size = sizeof query,
                            .after = last[0] != '\0' ? last : NULL,
                            .limit = 1};
        next[0] = '\0';
        int32_t status = wfsm_store_list(self->store, &query, take_id, next, self->error);
        if (status != WFSM_OK || next[0] == '\0')
            return status;
        memcpy(last, next, sizeof last);
        status = audit_one(self, next);
        if (status != WFSM_OK && status != WFSM_NOT_FOUND)
            return status;
    }
}

int32_t wfsm_store_audit(wfsm_store *store, const char *instance, wfsm_flaw_sink sink,
                         void *user, wfsm_audit_counts *counts, wfsm_error *error)
{
    audit self = {.store = store, .sink = sink, .user = user, .error = error};
    int32_t status = wf_store_ready(store, error);
    if (status != WFSM_OK)
        return status;
    self.counts.size = sizeof self.counts;
    wf_buffer_init(&self.snapshot, &store->allocator);
    status = instance != NULL ? audit_one(&self, instance) : audit_all(&self);
    wf_buffer_fini(&self.snapshot);
    if (counts != NULL && counts->size >= sizeof self.counts)
        memcpy((char *)counts + sizeof(size_t), (const char *)&self.counts + sizeof(size_t),
               sizeof self.counts - sizeof(size_t));
    return status;
}
