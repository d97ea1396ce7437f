/* Replays the records that will be dropped, so that nothing is dropped unchecked. */
#include "instance/compact.h"

#include <string.h>
#include "base/error.h"

static int32_t unsound(wf_compacting *self, uint64_t revision, const char *why)
{
    return wf_fail(self->error, WFSM_CORRUPT, "\"%.60s\", record %llu: %s", self->instance,
                   (unsigned long long)revision, why);
}

static int32_t run_one(wf_compacting *self, const wfsm_row *row)
{
    wf_replay *replay = &self->replay;
    if (self->anchored) {
        self->anchored = false;
        return wf_replay_is_anchor(replay, row)
                   ? wf_replay_look(replay, row->text, row->length, self->error)
                   : unsound(self, row->revision, "this is not the record of the anchor");
    }
    if (row->revision != replay->snapshot.revision + 1)
        return unsound(self, row->revision, "the record before it is missing");
    return wf_replay_record(replay, row->text, row->length, false, self->error);
}

/* Acknowledged effects need not be kept in the state. But a state that is kept must include
 * those that the archive does not know to be acknowledged: those of the anchor's own record,
 * which is not archived yet, and while the archive is filled those of its last batch. */
static void drop_effects(wf_compacting *self, uint64_t revision)
{
    const wf_archive *archive = &self->archive;
    bool all = !archive->store || revision == self->anchor;
    if (self->replay.machine && !self->anchored)
        wf_snapshot_acknowledge(&self->replay.snapshot,
                                all ? self->acknowledged : archive->acknowledged);
}

static int32_t run_record(void *user, const wfsm_row *row)
{
    wf_compacting *self = user;
    const wf_archive *archive = &self->archive;
    drop_effects(self, row->revision);
    bool goes = self->anchor == 0 || row->revision < self->anchor;
    int32_t status = run_one(self, row);
    self->waits = status == WFSM_NOT_FOUND;
    if (status == WFSM_CORRUPT && wfsm_error_status(self->error) != WFSM_CORRUPT)
        status = unsound(self, row->revision, self->replay.wrong);
    if (status == WFSM_OK && archive->store && goes && row->revision > archive->have)
        status = wf_archive_add(self, row);
    return status;
}

/* Reads one record at a time, because a sink must not call the store. */
static int32_t enter_document(wf_compacting *self)
{
    int32_t status = wf_archive_flush(self);
    if (status == WFSM_OK)
        status = wf_replay_document(&self->replay, self->store, self->error);
    if (status == WFSM_NOT_FOUND)
        return unsound(self, self->replay.snapshot.revision + 1, "its document is missing");
    return status;
}

static int32_t begin(wf_compacting *self)
{
    if (self->first == 1)
        return WFSM_OK;
    int32_t status = wf_replay_anchor(&self->replay, self->store, self->error);
    if (status == WFSM_NOT_FOUND)
        return unsound(self, self->first, "the anchor is missing");
    if (status == WFSM_CORRUPT)
        return unsound(self, self->first, self->replay.wrong);
    self->anchored = true;
    return status;
}

int32_t wf_compact_run(wf_compacting *self)
{
    wfsm_error_set(self->error, WFSM_OK, "");
    int32_t status = begin(self);
    bool more = status == WFSM_OK;
    while (more) {
        uint64_t next = self->replay.snapshot.revision + !self->anchored;
        self->waits = false;
        status = wfsm_store_records(self->store, self->instance, next, self->end, run_record,
                                    self, self->error);
        more = self->waits;
        if (more)
            status = enter_document(self);
        more = more && status == WFSM_OK;
    }
    if (status == WFSM_OK && (self->anchored || self->replay.snapshot.revision != self->end))
        status = unsound(self, self->end, "it is missing");
    return status == WFSM_OK ? wf_archive_flush(self) : status;
}
