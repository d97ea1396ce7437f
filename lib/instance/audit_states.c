/* Compares snapshots and checkpoints with the states that the journal leads to. */
#include "instance/audit.h"

#include <inttypes.h>
#include <string.h>
#include "base/error.h"
#include "store/decode.h"

typedef struct expected {
    wf_audit *self;
    const char *text;
    size_t length;
    const char *checkpoint; /* id, NULL: none */
    uint64_t revision;      /* of a full snapshot, 0: a checkpoint */
    wfsm_machine *machine;
} expected;

/* Writes a state again without the effects up to `mark`. *oldest is the number of its oldest
 * effect, UINT64_MAX if it has none. CORRUPT, NO_MEMORY. */
static int32_t without_effects(const expected *wanted, const char *text, size_t length,
                               uint64_t mark, wf_buffer *out, uint64_t *oldest)
{
    const wf_audit *self = wanted->self;
    char digest[WF_DIGEST_HEX];
    wf_snapshot state;
    wf_stored from = {self->instance, wanted->checkpoint, text, length, NULL};
    if (!wf_snapshot_init(&state, wanted->machine, &self->store->allocator))
        return WFSM_NO_MEMORY;
    int32_t status = wf_snapshot_read(&state, &from, digest, NULL);
    if (status == WFSM_OK) {
        const wf_list *outbox = &state.extras->outbox;
        wf_snapshot_note note = {self->instance, wanted->checkpoint, state.revision, digest};
        *oldest = outbox->count > 0 ? wf_effect_at(outbox, 0)->number : UINT64_MAX;
        wf_snapshot_acknowledge(&state, mark);
        wf_snapshot_write(out, &state, &note);
    }
    wf_snapshot_fini(&state);
    return status == WFSM_OK && out->failed ? WFSM_NO_MEMORY : status;
}

static bool same_text(const wf_buffer *text, const char *other, size_t length)
{
    return text->length == length && memcmp(text->data, other, length) == 0;
}

/* Effects are acknowledged between commits, and no record says when. So a stored state may lack
 * effects that the replay still has. A journal that was cut does not have the effects that were
 * acknowledged before the cut. A state that was stored earlier may still have them. */
static int32_t compare_acknowledged(const expected *wanted, const wfsm_row *row, bool *same)
{
    wf_audit *self = wanted->self;
    uint64_t oldest = 0, ignored;
    wf_buffer stored, own;
    wf_buffer_init(&stored, &self->store->allocator);
    wf_buffer_init(&own, &self->store->allocator);
    int32_t status =
        without_effects(wanted, row->text, row->length, self->floor, &stored, &oldest);
    uint64_t mark = oldest - 1 < self->acknowledged ? oldest - 1 : self->acknowledged;
    if (status == WFSM_OK)
        status = without_effects(wanted, wanted->text, wanted->length, mark, &own, &ignored);
    *same =
        status == WFSM_OK && (same_text(&own, row->text, row->length) ||
                              (self->floor > 0 && same_text(&own, stored.data, stored.length)));
    wf_buffer_fini(&stored);
    wf_buffer_fini(&own);
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
    return wf_audit_diagnostic(wanted->self, wanted->revision,
                               "the stored %s is not the state that the journal leads to",
                               wanted->revision == 0 ? "checkpoint" : "snapshot");
}

int32_t wf_audit_snapshot(wf_audit *self)
{
    expected wanted = {self,
                       self->snapshot.data,
                       self->snapshot.length,
                       self->checkpoint[0] != '\0' ? self->checkpoint : NULL,
                       self->snapshot_revision,
                       self->replay.machine};
    self->counts.snapshots++;
    int32_t status = wfsm_store_snapshot(self->store, self->instance, NULL, compare_text,
                                         &wanted, self->error);
    if (status == WFSM_NOT_FOUND)
        return wf_audit_diagnostic(self, self->snapshot_revision,
                                   "the full snapshot is missing");
    return status;
}

static int32_t audit_checkpoint(wf_audit *self, const wf_kept *kept)
{
    expected wanted = {self, kept->text, kept->length, kept->id, 0, kept->machine};
    self->counts.checkpoints++;
    int32_t status = wfsm_store_snapshot(self->store, self->instance, kept->id, compare_text,
                                         &wanted, self->error);
    if (status == WFSM_NOT_FOUND)
        return wf_audit_diagnostic(self, 0, "the checkpoint \"%s\" is missing", kept->id);
    return status;
}

/* The journal does not show how it was made any more. But it must be a sound state of this instance,
 * under its own document. */
static int32_t audit_bookmark(wf_audit *self, const char *id)
{
    wf_replay bookmark;
    wf_replay_init(&bookmark, self->instance, &self->store->allocator);
    self->counts.checkpoints++;
    int32_t status = wf_replay_snapshot(&bookmark, self->store, id, self->error);
    const char *why = status == WFSM_CORRUPT     ? bookmark.wrong
                      : status == WFSM_NOT_FOUND ? "it is missing"
                                                 : NULL;
    if (status == WFSM_OK && bookmark.snapshot.status != WFSM_RUNNING)
        why = "it is one after the end";
    wf_replay_fini(&bookmark);
    return why ? wf_audit_diagnostic(self, 0, "the checkpoint \"%s\": %s", id, why) : status;
}

/* Remembers a checkpoint that is older than the journal. */
static int32_t note_bookmark(wf_audit *self, const char *id)
{
    return wf_names_add(&self->bookmarks, id, strlen(id)) == WF_NONE ? wf_no_memory(self->error)
                                                                     : WFSM_OK;
}

static int32_t known_checkpoint(void *user, const wfsm_row *row)
{
    wf_audit *self = user;
    const wf_kept *kept = wf_replay_checkpoint(&self->replay, row->id);
    if (!kept && row->revision < self->first && wf_replay_may_have(&self->replay, row->id))
        return note_bookmark(self, row->id);
    if (!kept)
        return wf_audit_diagnostic(self, row->revision, "no record keeps the checkpoint \"%s\"",
                                   row->id);
    if (row->revision != kept->revision)
        return wf_audit_diagnostic(self, row->revision,
                                   "the checkpoint \"%s\" was made by record %" PRIu64, row->id,
                                   kept->revision);
    if (row->now != kept->now)
        return wf_audit_diagnostic(self, row->revision,
                                   "the checkpoint \"%s\" is of another time than its record",
                                   row->id);
    if (row->length == strlen(kept->artifacts) &&
        memcmp(row->text, kept->artifacts, row->length) == 0)
        return WFSM_OK;
    return wf_audit_diagnostic(
        self, row->revision,
        "the artifacts of the checkpoint \"%s\" are not those of its record", row->id);
}

int32_t wf_audit_checkpoints(wf_audit *self)
{
    int32_t status = wfsm_store_checkpoints(self->store, self->instance, known_checkpoint, self,
                                            self->error);
    for (size_t i = 0; i < self->replay.kept_count && status == WFSM_OK; i++)
        status = audit_checkpoint(self, &self->replay.kept[i]);
    for (uint32_t i = 0; i < self->bookmarks.count && status == WFSM_OK; i++)
        status = audit_bookmark(self, self->bookmarks.list[i].text);
    return status;
}
