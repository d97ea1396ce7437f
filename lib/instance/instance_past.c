/* The handle of a revision of the past, and the head of a handle. */
#include <wfsm/revisions.h>
#include "base/error.h"
#include "base/invariant.h"
#include "base/sized.h"
#include "instance/past.h"
#include "store/record.h"

/* ---- a handle for questions ---- */

typedef struct loading {
    wfsm_instance *made;
    wf_buffer text;
} loading;

/* The state without the effects that have been acknowledged since. */
static int32_t write_state(loading *self, wf_past *past)
{
    wf_snapshot *state = &past->replay.snapshot;
    wf_snapshot_note note = {past->replay.id, NULL, state->revision, past->replay.digest};
    wf_snapshot_acknowledge(state, past->acknowledged);
    wf_buffer_clear(&self->text);
    wf_snapshot_write(&self->text, state, &note);
    return self->text.failed ? wf_no_memory(past->error) : WFSM_OK;
}

static int32_t read_state(wfsm_instance *made, const loading *self, wf_past *past)
{
    wf_stored stored = {past->replay.id, NULL, self->text.data, self->text.length, NULL};
    int32_t status = wf_instance_attach(made, past->error);
    if (status == WFSM_OK)
        status =
            wf_snapshot_read(&made->snapshot, &stored, made->attached->digest, past->error);
    if (status != WFSM_OK)
        return status;
    made->attached->store = past->store;
    made->attached->committed = made->snapshot.revision;
    made->past = true;
    wf_snapshot_trim(&made->snapshot);
    return WFSM_OK;
}

static int32_t make(void *user, wf_past *past)
{
    loading *self = user;
    int32_t status = write_state(self, past);
    if (status != WFSM_OK)
        return status;
    wfsm_instance *made = wf_instance_bare(past->replay.machine, past->replay.id);
    if (!made)
        return wf_no_memory(past->error);
    status = read_state(made, self, past);
    if (status == WFSM_OK)
        self->made = made;
    else
        wfsm_instance_free(made);
    return status;
}

int32_t wfsm_instance_load_at(wfsm_instance **instance, wfsm_store *store, const char *id,
                              uint64_t revision, wfsm_error *error)
{
    loading self = {.made = NULL};
    const wf_past_reader reader = {revision, make, &self};
    int32_t status = wf_instance_check(instance, id, error);
    if (status == WFSM_OK)
        status = wf_store_ready(store, error);
    if (status != WFSM_OK)
        return status;
    wf_buffer_init(&self.text, &store->allocator);
    status = wf_past_read(store, id, &reader, error);
    wf_buffer_fini(&self.text);
    WF_INVARIANT(status != WFSM_OK || self.made->snapshot.revision == revision);
    if (status == WFSM_OK)
        *instance = self.made;
    return status;
}

/* ---- the head ---- */

static uint64_t acknowledged(const wf_snapshot *snapshot)
{
    const wf_list *outbox = &snapshot->extras->outbox;
    return outbox->count > 0 ? wf_effect_at(outbox, 0)->number - 1
                             : snapshot->extras->singles.effect_number;
}

int32_t wfsm_instance_head(wfsm_instance *instance, wfsm_head *head)
{
    if (!instance || !wf_struct_can_be_given(head))
        return WFSM_INVALID;
    if (wf_instance_attach(instance, NULL) != WFSM_OK)
        return WFSM_NO_MEMORY;
    const wf_snapshot *snapshot = &instance->snapshot;
    /* Both in one buffer: the attributes, a NUL, the tags. */
    wf_buffer *texts = &instance->attached->answer;
    wf_buffer tags;
    wf_buffer_init(&tags, snapshot->allocator);
    wf_buffer_clear(texts);
    wf_write_attributes(texts, snapshot);
    size_t behind = texts->length + 1;
    wf_write_tags(&tags, snapshot);
    wf_buffer_byte(texts, '\0');
    wf_buffer_add(texts, tags.length > 0 ? tags.data : "", tags.length);
    bool failed = tags.failed || texts->failed;
    wf_buffer_fini(&tags);
    if (failed)
        return WFSM_NO_MEMORY;
    const wfsm_head full = {.size = sizeof full,
                            .instance = wf_instance_id(instance),
                            .machine = snapshot->machine->id.text,
                            .fingerprint = snapshot->machine->fingerprint,
                            .owner = wf_instance_owner(instance),
                            .token = instance->attached->digest,
                            .tags = texts->data + behind,
                            .revision = snapshot->revision,
                            .effects = snapshot->extras->singles.effect_number,
                            .acknowledged = acknowledged(snapshot),
                            .status = snapshot->status,
                            .deadline = snapshot->status == WFSM_DONE
                                            ? WFSM_NEVER
                                            : wf_snapshot_deadline(snapshot, true),
                            .updated = snapshot->now,
                            .attributes = texts->data};
    return wf_struct_give(head, &full, sizeof full, WF_SIZE_UP_TO(wfsm_head, updated))
               ? WFSM_OK
               : WFSM_INVALID;
}
