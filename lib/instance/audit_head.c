/* Compares the head with the state that the journal leads to. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <wfsm/compact.h>
#include "base/error.h"
#include "instance/audit.h"
#include "store/record.h"

int32_t wf_audit_read_head(wf_audit *self, wf_claimed *out)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(self->store, self->instance, &head, self->error);
    if (status != WFSM_OK)
        return status;
    *out = (wf_claimed){head.revision, head.effects, head.first, head.deadline,
                        head.status,   "",           ""};
    snprintf(out->token, sizeof out->token, "%s", head.token);
    snprintf(out->fingerprint, sizeof out->fingerprint, "%s", head.fingerprint);
    self->snapshot_revision = head.snapshot_revision;
    self->first = head.first;
    self->acknowledged = head.acknowledged;
    self->archived = strcmp(head.owner, WFSM_ARCHIVE_OWNER) == 0;
    return WFSM_OK;
}

static int32_t compare(wf_audit *self, const wf_claimed *head)
{
    const wf_snapshot *now = &self->replay.snapshot;
    int64_t deadline = now->status == WFSM_DONE ? WFSM_NEVER : wf_snapshot_deadline(now, true);
    int32_t status = WFSM_OK;
    if (strcmp(head->token, self->replay.digest) != 0)
        status = wf_audit_diagnostic(self, 0,
                                     "the head's token is not the digest of the last record");
    if (status == WFSM_OK && head->status != now->status)
        status = wf_audit_diagnostic(self, 0, "the head's status is not that of the state");
    if (status == WFSM_OK && head->effects != now->extras->singles.effect_number)
        status = wf_audit_diagnostic(
            self, 0, "the head counts %" PRIu64 " effects, the journal %" PRIu64, head->effects,
            now->extras->singles.effect_number);
    if (status == WFSM_OK && self->acknowledged > head->effects)
        status =
            wf_audit_diagnostic(self, 0, "the head has more effects acknowledged than made");
    if (status == WFSM_OK && head->deadline != deadline)
        status = wf_audit_diagnostic(self, 0, "the head's deadline is not that of the state");
    return status;
}

/* What the journal leads to. */
typedef struct derived {
    wf_buffer tags, attributes;
} derived;

static int32_t compare_texts(wf_audit *self, const wfsm_head *head, const derived *now)
{
    const char *tags = now->tags.length > 0 ? now->tags.data : "";
    const wfsm_machine *machine = self->replay.machine;
    int32_t status = WFSM_OK;
    if (strcmp(head->machine, machine->id.text) != 0)
        status =
            wf_audit_diagnostic(self, 0, "the head names another machine than its document");
    if (status == WFSM_OK && strcmp(head->tags, tags) != 0)
        status = wf_audit_diagnostic(self, 0, "the head's tags are not those of the state");
    if (status == WFSM_OK &&
        !wf_attributes_same(head->attributes, now->attributes.data, &self->store->allocator))
        status =
            wf_audit_diagnostic(self, 0, "the head's attributes are not those of the state");
    if (status == WFSM_OK && head->updated != self->replay.snapshot.now)
        status =
            wf_audit_diagnostic(self, 0, "the head is of another time than the last record");
    if (status == WFSM_OK && head->first == 1 && head->created != self->created)
        status = wf_audit_diagnostic(self, 0,
                                     "the head was made at another time than the first record");
    return status;
}

/* Reads the head again for its texts. Somebody may have committed meanwhile. */
static int32_t audit_texts(wf_audit *self, const wf_claimed *before)
{
    wfsm_head head = {.size = sizeof head};
    derived now;
    int32_t status = wfsm_store_head(self->store, self->instance, &head, self->error);
    if (status != WFSM_OK || head.revision != before->revision)
        return status;
    wf_buffer_init(&now.tags, &self->store->allocator);
    wf_buffer_init(&now.attributes, &self->store->allocator);
    wf_write_tags(&now.tags, &self->replay.snapshot);
    wf_write_attributes(&now.attributes, &self->replay.snapshot);
    status = now.tags.failed || now.attributes.failed ? wf_no_memory(self->error)
                                                      : compare_texts(self, &head, &now);
    wf_buffer_fini(&now.tags);
    wf_buffer_fini(&now.attributes);
    return status;
}

int32_t wf_audit_head(wf_audit *self, const wf_claimed *head)
{
    int32_t status = compare(self, head);
    return status == WFSM_OK ? audit_texts(self, head) : status;
}
