/* Compares the states that restores of a revision recorded with those revisions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "instance/audit.h"
#include "instance/past.h"
#include "store/record.h"

int32_t wf_audit_note_restore(wf_audit *self, uint64_t record)
{
    wf_buffer text;
    uint64_t revision = wf_replay_restored(&self->replay);
    if (revision == 0)
        return WFSM_OK;
    wf_restored *list =
        wf_grow(&self->store->allocator, self->restored, &self->restored_capacity,
                self->restored_count + 1, sizeof *list);
    if (!list)
        return wf_no_memory(self->error);
    self->restored = list;
    list[self->restored_count] = (wf_restored){.record = record, .revision = revision};
    wf_buffer_init(&text, &self->store->allocator);
    wf_replay_write_restored(&self->replay, &text);
    if (!text.failed)
        wf_digest_text(text.data, text.length, list[self->restored_count++].digest);
    int32_t status = text.failed ? wf_no_memory(self->error) : WFSM_OK;
    wf_buffer_fini(&text);
    return status;
}

static int by_revision(const void *left, const void *right)
{
    const wf_restored *a = left, *b = right;
    return (a->revision > b->revision) - (a->revision < b->revision);
}

static int32_t compare(wf_audit *self, wf_past *past, const wf_restored *restored)
{
    char digest[WF_DIGEST_HEX];
    wf_buffer text;
    wf_buffer_init(&text, &self->store->allocator);
    int32_t status = wf_past_write(past, &text);
    if (status == WFSM_OK)
        wf_digest_text(text.data, text.length, digest);
    wf_buffer_fini(&text);
    if (status != WFSM_OK || strcmp(digest, restored->digest) == 0)
        return status;
    return wf_audit_diagnostic(self, restored->record,
                               "the restored state is not that of revision %" PRIu64,
                               restored->revision);
}

/* The states of all of them in one pass over the journal. */
static int32_t compare_all(wf_audit *self, const wf_restored *list, size_t count)
{
    wf_past past;
    int32_t status =
        wf_past_begin(&past, self->store, self->instance, list[0].revision, self->error);
    for (size_t i = 0; i < count && status == WFSM_OK; i++) {
        status = wf_past_continue(&past, list[i].revision);
        if (status == WFSM_OK)
            status = compare(self, &past, &list[i]);
    }
    wf_past_end(&past);
    return status;
}

int32_t wf_audit_restores(wf_audit *self, uint64_t first)
{
    size_t dropped = 0;
    if (self->restored_count == 0)
        return WFSM_OK;
    qsort(self->restored, self->restored_count, sizeof *self->restored, by_revision);
    while (dropped < self->restored_count && self->restored[dropped].revision < first)
        dropped++;
    return dropped == self->restored_count
               ? WFSM_OK
               : compare_all(self, self->restored + dropped, self->restored_count - dropped);
}
