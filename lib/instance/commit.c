/* Turns an open draft into a commit. Memory and disk change together, or not at all. */
#include "instance/inner.h"

#include <string.h>
#include "base/invariant.h"
#include "base/error.h"
#include "logic/json.h"
#include "store/batch.h"
#include "store/record.h"

static void write_log(wfsm_instance *instance)
{
    const wf_step *step = &instance->scratch->step;
    wf_buffer *out = &instance->attached->log;
    wf_buffer_clear(out);
    wf_buffer_byte(out, '[');
    for (size_t i = 0; i < step->log_count; i++) {
        if (i > 0)
            wf_buffer_byte(out, ',');
        wf_json_write(out, &step->log[i]);
    }
    wf_buffer_byte(out, ']');
}

/* Those that are still active, in document order. */
static void write_entered(wfsm_instance *instance)
{
    const wf_step *step = &instance->scratch->step;
    const wfsm_machine *machine = step->machine;
    wf_buffer *out = &instance->attached->entered;
    const char *comma = "";
    wf_buffer_clear(out);
    wf_buffer_byte(out, '[');
    /* From 1 on: the root has no path. */
    for (uint32_t s = wf_set_next(step->entered, machine->words, 1); s != WF_NONE;
         s = wf_set_next(step->entered, machine->words, s + 1)) {
        if (!wf_set_has(step->snapshot->active, s))
            continue;
        wf_buffer_text(out, comma);
        wf_write_state_path(out, &machine->states[s]);
        comma = ",";
    }
    wf_buffer_byte(out, ']');
}

/* Only a monitor of properties wants it. */
static void write_event(wfsm_instance *instance, int32_t outcome)
{
    wf_step *step = &instance->scratch->step;
    wf_buffer *out = &instance->attached->event;
    wf_buffer_clear(out);
    if (step->machine->property_count == 0)
        return;
    wf_value event = wf_step_reacted(step, outcome);
    wf_json_write(out, &event);
}

enum { LARGE_RECORD = 1 << 20 };

void wf_instance_forget_record(wfsm_instance *instance)
{
    if (!instance->attached)
        return;
    wf_buffer_clear(&instance->attached->record);
    wf_buffer_clear(&instance->attached->log);
    wf_buffer_clear(&instance->attached->entered);
    wf_buffer_clear(&instance->attached->event);
}

int32_t wf_instance_write(wfsm_instance *instance, const wf_note *note, wfsm_error *error)
{
    wf_record record = {&note->input, note->outcome, instance->attached->digest,
                        note->migrates};
    wf_buffer_clear(&instance->attached->record);
    /* A buffer that grows by doubling would take three times as much. */
    if (instance->scratch->step.text > LARGE_RECORD)
        wf_buffer_room(&instance->attached->record, instance->scratch->step.text);
    wf_record_write(&instance->attached->record, &instance->scratch->step, &record);
    write_log(instance);
    write_entered(instance);
    write_event(instance, note->outcome);
    if (instance->attached->record.failed || instance->attached->log.failed ||
        instance->attached->entered.failed || instance->attached->event.failed ||
        instance->scratch->step.arena.failed)
        return wf_no_memory(error);
    return WFSM_OK;
}

/* A smaller state always fits into the limits of reading. */
enum { SURE_BYTES = WF_MAX_WEIGHT / 16 };

/* Nothing is committed that could not be loaded. */
static int32_t check_readable(const wfsm_instance *instance, const wf_buffer *text,
                              wfsm_error *error)
{
    wf_arena arena;
    wf_value value;
    if (text->length <= SURE_BYTES)
        return WFSM_OK;
    wf_arena_init(&arena, instance->snapshot.allocator, 0);
    int32_t status = wf_json_parse(&arena, text->data, text->length, &value, NULL);
    wf_arena_fini(&arena);
    if (status == WFSM_OK || status == WFSM_NO_MEMORY)
        return status == WFSM_OK ? status : wf_no_memory(error);
    return wf_fail(error, WFSM_LIMIT, "a record of %zu bytes is too large to be read back",
                   text->length);
}

/* Prepares everything that the store needs before it is called. */
static int32_t prepare(wfsm_instance *instance, const wf_note *note, bool *full,
                       char digest[WF_DIGEST_HEX], wfsm_error *error)
{
    const wf_snapshot *snapshot = &instance->snapshot;
    int32_t status = wf_instance_write(instance, note, error);
    if (status != WFSM_OK)
        return status;
    wf_buffer_clear(&instance->scratch->tags);
    wf_write_tags(&instance->scratch->tags, snapshot);
    wf_buffer_clear(&instance->scratch->attributes);
    wf_write_attributes(&instance->scratch->attributes, snapshot);
    wf_digest_text(instance->attached->record.data, instance->attached->record.length, digest);
    size_t since = instance->attached->record_bytes + instance->attached->record.length;
    *full = snapshot->revision == 0 || note->migrates ||
            since > instance->attached->snapshot_bytes + WF_SNAPSHOT_SLACK;
    if (instance->scratch->tags.failed || instance->scratch->attributes.failed)
        return wf_no_memory(error);
    status = check_readable(instance, &instance->attached->record, error);
    if (status != WFSM_OK || (!*full && !note->checkpoint))
        return status;
    wf_snapshot_note about = {wf_instance_id(instance), note->checkpoint,
                              snapshot->revision + 1, digest};
    wf_buffer_clear(&instance->scratch->full);
    wf_snapshot_write(&instance->scratch->full, snapshot, &about);
    return instance->scratch->full.failed
               ? wf_no_memory(error)
               : check_readable(instance, &instance->scratch->full, error);
}

bool wf_instance_gives_up(const wfsm_instance *instance)
{
    const wf_attachment *attached = instance->attached;
    return attached->owner && attached->owner[0] != '\0' && !attached->by_hand &&
           instance->snapshot.status == WFSM_DONE &&
           instance->snapshot.extras->outbox.count == 0;
}

static wfsm_commit make_commit(const wfsm_instance *instance, const wf_note *note, bool full,
                               const char *digest)
{
    const wfsm_machine *machine = instance->snapshot.machine;
    const wf_snapshot *snapshot = &instance->snapshot;
    WF_INVARIANT(note->checkpoint || !note->artifacts);
    wfsm_commit commit = {
        .size = sizeof commit,
        .instance = wf_instance_id(instance),
        .base = snapshot->revision,
        .owner = wf_instance_owner(instance),
        .token = digest,
        .event_id = note->event_id,
        .inbox = note->inbox,
        .record = instance->attached->record.data,
        .record_length = instance->attached->record.length,
        .checkpoint = note->checkpoint,
        .artifacts = note->artifacts,
        .artifacts_length = note->artifacts_length,
        .checkpoint_deleted = note->deleted,
        .machine = machine->id.text,
        .fingerprint = machine->fingerprint,
        .tags = instance->scratch->tags.length > 0 ? instance->scratch->tags.data : "",
        .attributes = instance->scratch->attributes.data,
        .status = snapshot->status,
        .deadline = wf_snapshot_deadline(snapshot, true),
        .now = snapshot->now,
        .effects = snapshot->extras->singles.effect_number,
        .acknowledged = instance->attached->delivered,
        .gives_up = wf_instance_gives_up(instance),
        .by_hand = instance->attached->by_hand,
        .previous = snapshot->revision > 0 ? instance->attached->digest : NULL};
    const wfsm_row *post = instance->attached->post;
    if (post) {
        commit.inbox = post->number;
        commit.event_id = post->id;
    }
    if (snapshot->status == WFSM_DONE)
        commit.deadline = WFSM_NEVER;
    if (full) {
        commit.snapshot = instance->scratch->full.data;
        commit.snapshot_length = instance->scratch->full.length;
    }
    if (note->checkpoint) {
        commit.checkpoint_snapshot = instance->scratch->full.data;
        commit.checkpoint_length = instance->scratch->full.length;
    }
    if (snapshot->revision == 0 || note->migrates) {
        commit.document = machine->document;
        commit.document_length = machine->document_length;
    }
    return commit;
}

static void tell_observer(wfsm_instance *instance)
{
    const wf_attachment *attached = instance->attached;
    if (!attached || !attached->observer.call)
        return;
    wf_instance_tell(instance, &(wf_news){instance->snapshot.now, attached->record.data,
                                          attached->log.data, attached->record.length,
                                          attached->log.length});
}

/* Without a store: makes a record for the observer. Nothing can fail after that. */
static int32_t keep_in_memory(wfsm_instance *instance, const wf_note *note, wfsm_error *error)
{
    int32_t status = WFSM_OK;
    wf_instance_forget_record(instance);
    if (wf_instance_writes(instance))
        status = wf_instance_write(instance, note, error);
    if (status == WFSM_OK)
        status = wf_step_prepare(&instance->scratch->step);
    if (status != WFSM_OK)
        return wf_instance_drop(instance, status);
    wf_step_commit(&instance->scratch->step);
    wf_instance_return_scratch(instance);
    tell_observer(instance);
    return WFSM_OK;
}

/* Nothing from here on can fail. */
static void keep(wfsm_instance *instance, bool full, const char *digest)
{
    WF_INVARIANT(!full || instance->scratch->full.length > 0);
    memcpy(instance->attached->digest, digest, WF_DIGEST_HEX);
    instance->attached->record_bytes += instance->attached->record.length;
    if (full) {
        instance->attached->record_bytes = 0;
        instance->attached->snapshot_bytes = instance->scratch->full.length;
    }
    if (instance->scratch->step.open)
        wf_step_commit(&instance->scratch->step);
    wf_instance_return_scratch(instance);
}

static int32_t commit_now(wfsm_instance *instance, const wfsm_commit *commit, wfsm_error *error)
{
    int32_t status = wf_store_commit_one(wf_instance_store(instance), commit, error);
    if (status == WFSM_OK)
        instance->attached->committed = commit->base + 1;
    instance->attached->left = status == WFSM_OK && commit->gives_up;
    return status;
}

int32_t wf_instance_commit(wfsm_instance *instance, const wf_note *note, wfsm_error *error)
{
    char digest[WF_DIGEST_HEX];
    bool full = false;
    if (!wf_instance_store(instance))
        return keep_in_memory(instance, note, error);
    bool waits = wf_store_gathers(wf_instance_store(instance));
    int32_t status = prepare(instance, note, &full, digest, error);
    if (status == WFSM_OK)
        status = wf_step_prepare(&instance->scratch->step);
    if (status == WFSM_OK) {
        wfsm_commit commit = make_commit(instance, note, full, digest);
        status = waits ? wf_instance_gather(instance, &commit, error)
                       : commit_now(instance, &commit, error);
    }
    if (status != WFSM_OK) {
        wf_instance_drop(instance, status);
        instance->sealed = status == WFSM_CONFLICT || status == WFSM_STORE_UNKNOWN;
        return status;
    }
    if (waits)
        wf_instance_apply(instance, note->migrates);
    keep(instance, full, digest);
    WF_INVARIANT(waits || instance->attached->committed == instance->snapshot.revision);
    if (!waits)
        tell_observer(instance);
    return WFSM_OK;
}

int32_t wf_instance_commit_input(wfsm_instance *instance, const wf_note *note, int32_t *outcome,
                                 wfsm_error *error)
{
    wf_step *step = &instance->scratch->step;
    if (step->arena.failed || step->arena.exceeded)
        return wf_instance_drop(instance, wf_arena_error(&step->arena, error));
    if (step->failure != WFSM_OK)
        wf_fail(error, step->failure, "%s", step->message);
    int32_t status = wf_instance_commit(instance, note, error);
    bool duplicate = status == WFSM_EXISTS && note->event_id;
    if (outcome && (status == WFSM_OK || duplicate))
        *outcome = duplicate ? WFSM_DUPLICATE : note->outcome;
    return duplicate ? WFSM_OK : status;
}
