/* Restores an instance: it continues in the state of a checkpoint or of an earlier revision. */
#include "instance/inner.h"

#include <string.h>
#include "base/error.h"
#include "logic/json.h"
#include "store/record.h"

typedef struct restoring {
    wfsm_restore_point point;
    wf_restore_source origin;
    wf_buffer text; /* the state that it goes back to */
    wf_snapshot from; /* the same, decoded */
} restoring;

/* The record has the state, without effects, so that a replay needs nothing older. The id is there
 * also if the newest checkpoint was asked for. */
static int32_t note_restore(wfsm_instance *instance, restoring *self, wf_note *note,
                            wfsm_error *error)
{
    static const char *const keys[] = {"id", "revision", "event", "snapshot"};
    const wf_name *event = &instance->snapshot.machine->restore_event;
    wf_arena *arena = &instance->scratch->step.arena;
    wf_snapshot *from = &self->from;
    wf_snapshot_note about = {wf_instance_id(instance), NULL, from->revision,
                              self->origin.digest};
    wf_value id = wf_string_z(self->origin.checkpoint), snapshot;
    wf_value revision = wf_number((double)from->revision);
    wf_value under = event->text ? wf_string_z(event->text) : wf_null();
    wf_buffer_clear(&self->text);
    wf_snapshot_acknowledge(from, from->extras->singles.effect_number);
    wf_snapshot_write(&self->text, from, &about);
    if (self->text.failed)
        return wf_no_memory(error);
    int32_t status = wf_json_parse(arena, self->text.data, self->text.length, &snapshot, error);
    const wf_value *values[] = {self->origin.checkpoint[0] != '\0' ? &id : NULL, &revision,
                                event->text ? &under : NULL, &snapshot};
    if (status == WFSM_OK)
        note->input = wf_note_value(arena, "restore", keys, values, 4);
    return status;
}

static int32_t step_back(wfsm_instance *instance, restoring *self, int64_t now,
                         int32_t *outcome, wfsm_error *error)
{
    wf_note note = {0};
    int32_t status = wf_restore_read(&self->origin, instance, &self->text, &self->from, error);
    if (status == WFSM_OK)
        status = wf_instance_begin(instance, now, error);
    if (status != WFSM_OK)
        return status;
    wf_step_origin(&instance->scratch->step, self->point.interface, self->point.sender);
    status = wf_step_restore(&instance->scratch->step, &self->from, &note.outcome);
    if (status == WFSM_OK)
        status = note_restore(instance, self, &note, error);
    if (status != WFSM_OK)
        return wf_instance_drop(instance, status);
    return wf_instance_commit_input(instance, &note, outcome, error);
}

static int32_t check(const wfsm_instance *instance, wfsm_error *error)
{
    int32_t status = wf_instance_ready(instance, error);
    if (status == WFSM_OK)
        status = wf_instance_flushed(instance, error);
    if (status == WFSM_OK && !wf_instance_store(instance))
        return wf_fail(error, WFSM_INVALID, "without a store there is nothing to restore");
    if (status == WFSM_OK && instance->snapshot.status == WFSM_DONE)
        return wf_fail(error, WFSM_DENIED, "the instance has ended");
    return status;
}

int32_t wfsm_instance_restore(wfsm_instance *instance, const wfsm_restore_point *from,
                              int64_t now, int32_t *outcome, wfsm_error *error)
{
    restoring self;
    int32_t status = check(instance, error);
    if (status == WFSM_OK)
        status = wf_restore_point(&self.point, from, error);
    if (status == WFSM_OK)
        status = wf_restore_find(&self.origin, instance, &self.point, error);
    if (status != WFSM_OK)
        return status;
    if (!wf_snapshot_init(&self.from, instance->snapshot.machine, instance->snapshot.allocator))
        return wf_no_memory(error);
    wf_buffer_init(&self.text, instance->snapshot.allocator);
    status = step_back(instance, &self, now, outcome, error);
    wf_buffer_fini(&self.text);
    wf_snapshot_fini(&self.from);
    return status;
}
