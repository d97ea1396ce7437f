/* Copies what a store drops to an archive, commit by commit. */
#include "instance/compact.h"

#include <string.h>
#include "base/invariant.h"
#include "base/error.h"
#include "store/record.h"

/* ---- does this journal continue the archive? ---- */

static int32_t unfit(const wf_compacting *self, const char *why)
{
    return wf_fail(self->error, WFSM_CONFLICT, "the archive's \"%.60s\" %s", self->instance,
                   why);
}

static int32_t look_at_head(wf_compacting *self, const wfsm_head *head)
{
    wf_archive *archive = &self->archive;
    if (strcmp(head->owner, WFSM_ARCHIVE_OWNER) != 0)
        return unfit(self, "was not archived there");
    if (head->revision > self->revision || strlen(head->token) >= sizeof archive->token)
        return unfit(self, "has another journal");
    archive->have = head->revision;
    archive->acknowledged = head->acknowledged;
    memcpy(archive->token, head->token, strlen(head->token) + 1);
    archive->fits = archive->have == self->revision && strcmp(archive->token, self->token) == 0;
    return WFSM_OK;
}

int32_t wf_archive_look(wf_compacting *self)
{
    wf_archive *archive = &self->archive;
    wfsm_head head = {.size = sizeof head};
    if (!archive->store)
        return WFSM_OK;
    if (archive->store == self->store || strcmp(self->owner, WFSM_ARCHIVE_OWNER) == 0)
        return wf_fail(self->error, WFSM_INVALID, "the archive must be another store");
    int32_t status = wfsm_store_head(archive->store, self->instance, &head, self->error);
    if (status == WFSM_OK)
        status = look_at_head(self, &head);
    else if (status == WFSM_NOT_FOUND)
        status = WFSM_OK;
    if (status == WFSM_OK && archive->have + 1 < self->first)
        return wf_fail(self->error, WFSM_CONFLICT,
                       "the archive does not have records %llu to %llu of \"%.60s\", which "
                       "were dropped",
                       (unsigned long long)archive->have + 1,
                       (unsigned long long)self->first - 1, self->instance);
    archive->fits = archive->fits || archive->have == 0;
    return status;
}

/* ---- writing ---- */

static int32_t commit_batch(wf_compacting *self)
{
    wf_archive *archive = &self->archive;
    const wfsm_commit *list[WF_ARCHIVE_BATCH];
    int32_t answers[WF_ARCHIVE_BATCH];
    for (size_t i = 0; i < archive->count; i++)
        list[i] = &archive->commits[i];
    int32_t status =
        wfsm_store_owner_alive(archive->store, WFSM_ARCHIVE_OWNER, INT64_MAX, self->error);
    if (status == WFSM_OK)
        status = wfsm_store_commit(archive->store, list, archive->count, answers, self->error);
    for (size_t i = 0; i < archive->count && status == WFSM_OK; i++)
        status = answers[i];
    return status;
}

/* The archive does not keep effects that were acknowledged. */
static int32_t acknowledge(wf_compacting *self, uint64_t effects)
{
    wf_archive *archive = &self->archive;
    uint64_t mark = effects < self->acknowledged ? effects : self->acknowledged;
    WF_INVARIANT(archive->count == 0); /* what they belong to is committed */
    if (mark <= archive->acknowledged)
        return WFSM_OK;
    int32_t status = wfsm_store_acknowledge(archive->store, self->instance, mark, self->error);
    if (status == WFSM_OK)
        archive->acknowledged = mark;
    return status;
}

int32_t wf_archive_flush(wf_compacting *self)
{
    wf_archive *archive = &self->archive;
    if (!archive->store || archive->count == 0)
        return WFSM_OK;
    uint64_t effects = archive->commits[archive->count - 1].effects;
    int32_t status = commit_batch(self);
    if (status != WFSM_OK)
        return status;
    archive->written += archive->count;
    archive->count = 0;
    wf_arena_reset(&archive->arena);
    return acknowledge(self, effects);
}

/* ---- one commit, as it was made ---- */

static const char *copy_written(wf_compacting *self,
                                void (*write)(wf_buffer *, const wf_snapshot *))
{
    wf_buffer out;
    wf_buffer_init(&out, &self->store->allocator);
    write(&out, &self->replay.snapshot);
    const char *copy =
        out.failed ? NULL : wf_arena_text(&self->archive.arena, out.data, out.length);
    wf_buffer_fini(&out);
    return copy;
}

static void add_snapshot(wf_compacting *self, wfsm_commit *commit, const char *text,
                         size_t length)
{
    wf_archive *archive = &self->archive;
    commit->snapshot = wf_arena_text(&archive->arena, text, length);
    commit->snapshot_length = length;
    archive->snapshot_bytes = length;
    archive->record_bytes = 0;
}

static int32_t add_state(wf_compacting *self, wfsm_commit *commit, bool document)
{
    wf_archive *archive = &self->archive;
    archive->record_bytes += commit->record_length;
    if (!document && archive->record_bytes <= archive->snapshot_bytes + WF_SNAPSHOT_SLACK)
        return WFSM_OK;
    if (commit->checkpoint) {
        add_snapshot(self, commit, commit->checkpoint_snapshot, commit->checkpoint_length);
        return WFSM_OK;
    }
    int32_t status = wf_replay_write(&self->replay, self->error);
    if (status == WFSM_OK)
        add_snapshot(self, commit, self->replay.full.data, self->replay.full.length);
    return status;
}

static void add_checkpoint(wf_compacting *self, wfsm_commit *commit, const char *id)
{
    wf_arena *arena = &self->archive.arena;
    const wf_kept *kept = wf_replay_checkpoint(&self->replay, id);
    if (!kept)
        return;
    commit->checkpoint = wf_arena_text(arena, id, strlen(id));
    commit->checkpoint_snapshot = wf_arena_text(arena, kept->text, kept->length);
    commit->checkpoint_length = kept->length;
    commit->artifacts = wf_arena_text(arena, kept->artifacts, strlen(kept->artifacts));
    commit->artifacts_length = strlen(kept->artifacts);
}

static wfsm_commit make_commit(wf_compacting *self, const wfsm_row *row)
{
    wf_arena *arena = &self->archive.arena;
    const wf_snapshot *state = &self->replay.snapshot;
    const wfsm_machine *machine = self->replay.machine;
    return (wfsm_commit){
        .size = sizeof(wfsm_commit),
        .instance = self->instance,
        .base = row->revision - 1,
        .owner = WFSM_ARCHIVE_OWNER,
        .token = wf_arena_text(arena, self->replay.digest, WF_DIGEST_HEX - 1),
        .record = wf_arena_text(arena, row->text, row->length),
        .record_length = row->length,
        .machine = machine->id.text,
        .fingerprint = machine->fingerprint,
        .tags = copy_written(self, wf_write_tags),
        .attributes = copy_written(self, wf_write_attributes),
        .status = state->status,
        .deadline = state->status == WFSM_DONE ? WFSM_NEVER : wf_snapshot_deadline(state, true),
        .now = row->now,
        .effects = state->extras->singles.effect_number,
    };
}

/* An event id is unique only while its record is kept. If it came again after that, the archive
 * has it already, so the second commit has it in its record only. */
static int32_t add_event(wf_compacting *self, const char *id, wfsm_commit *commit)
{
    wf_archive *archive = &self->archive;
    int32_t seen = 0;
    if (!id)
        return WFSM_OK;
    int32_t status = archive->have == 0 ? WFSM_OK
                                        : wfsm_store_seen(archive->store, self->instance, id,
                                                          &seen, self->error);
    if (status == WFSM_OK && !seen)
        commit->event_id = wf_arena_text(&archive->arena, id, strlen(id));
    return status;
}

int32_t wf_archive_add(wf_compacting *self, const wfsm_row *row)
{
    wf_archive *archive = &self->archive;
    const wfsm_machine *machine = self->replay.machine;
    wf_replay_note about = wf_replay_noted(&self->replay);
    bool document = row->revision == 1 || about.migrates;
    wfsm_commit commit = make_commit(self, row);
    if (about.checkpoint[0] != '\0')
        add_checkpoint(self, &commit, about.checkpoint);
    if (about.deleted[0] != '\0')
        commit.checkpoint_deleted =
            wf_arena_text(&archive->arena, about.deleted, strlen(about.deleted));
    if (document) {
        commit.document = machine->document;
        commit.document_length = machine->document_length;
    }
    int32_t status = add_event(self, row->id, &commit);
    if (status == WFSM_OK)
        status = add_state(self, &commit, document);
    if (status == WFSM_OK && (archive->arena.failed || !commit.tags || !commit.attributes))
        status = wf_no_memory(self->error);
    if (status != WFSM_OK)
        return status;
    WF_INVARIANT(commit.base == archive->have + archive->written + archive->count);
    archive->commits[archive->count++] = commit;
    if (archive->count < WF_ARCHIVE_BATCH && archive->arena.total < WF_ARCHIVE_BYTES)
        return WFSM_OK;
    return wf_archive_flush(self);
}
