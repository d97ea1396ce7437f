/* Migration: an instance continues under another document. */
#include "instance/inner.h"

#include <string.h>
#include "base/error.h"

static int32_t check(wfsm_instance *const *instance, const wfsm_machine *machine,
                     wfsm_error *error)
{
    if (!instance || !machine)
        return wf_fail(error, WFSM_INVALID, "the instance or the machine is NULL");
    int32_t status = wf_instance_ready(*instance, error);
    if (status == WFSM_OK)
        status = wf_instance_flushed(*instance, error);
    if (status == WFSM_OK && (*instance)->snapshot.status == WFSM_DONE)
        return wf_fail(error, WFSM_DENIED, "the instance has ended");
    return status;
}

static int32_t carry_attachment(wfsm_instance *made, const wfsm_instance *old,
                                wfsm_error *error)
{
    if (!old->attached)
        return WFSM_OK;
    int32_t status = wf_instance_set_owner(made, wf_instance_owner(old), error);
    if (status != WFSM_OK)
        return status;
    memcpy(made->attached->digest, old->attached->digest, sizeof made->attached->digest);
    made->attached->by_hand = old->attached->by_hand;
    made->attached->grant = old->attached->grant;
    made->attached->post = old->attached->post;
    made->attached->observer = old->attached->observer;
    made->attached->limits = old->attached->limits;
    made->attached->limited = old->attached->limited;
    return WFSM_OK;
}

/* The same instance under the new machine, its draft open and not committed. */
static int32_t cross(wfsm_instance **out, wfsm_instance *old, wfsm_machine *machine,
                     const wfsm_functions *functions, int64_t now, wf_note *note,
                     wfsm_error *error)
{
    wfsm_instance *made = NULL;
    int32_t status = wf_instance_make(&made, machine, wf_instance_store(old), functions,
                                      wf_instance_id(old), error);
    if (status != WFSM_OK)
        return status;
    status = carry_attachment(made, old, error);
    if (status == WFSM_OK && !wf_migrate_ready(&made->snapshot, &old->snapshot))
        status = wf_no_memory(error);
    if (status == WFSM_OK)
        status = wf_instance_begin(made, now, error);
    if (status == WFSM_OK)
        status = wf_step_migrate(&made->scratch->step, &old->snapshot, &note->outcome);
    if (status == WFSM_OK)
        status = wf_step_arena(&made->scratch->step);
    if (status != WFSM_OK) {
        wfsm_instance_free(made);
        return status;
    }
    note->migrates = true;
    note->input = wf_migrate_note(&made->scratch->step.arena, &old->snapshot);
    *out = made;
    return WFSM_OK;
}

/* wfsm_instance_check_commit() looks for this record. Each lives in its own machine's memory. */
static void keep_tried(wf_buffer *kept, const wf_buffer *tried)
{
    wf_buffer_clear(kept);
    wf_buffer_add(kept, tried->data, tried->length);
}

int32_t wfsm_instance_migrate(wfsm_instance **instance, wfsm_machine *machine,
                              const wfsm_functions *functions, int64_t now, int32_t *outcome,
                              wfsm_error *error)
{
    wfsm_instance *made = NULL;
    wf_note note = {0};
    int32_t status = check(instance, machine, error);
    if (status == WFSM_OK)
        status = cross(&made, *instance, machine, functions, now, &note, error);
    if (status != WFSM_OK)
        return status;
    status = wf_instance_commit_input(made, &note, outcome, error);
    if (status != WFSM_OK) {
        (*instance)->sealed = made->sealed;
        if (made->sealed)
            keep_tried(&(*instance)->attached->record, &made->attached->record);
        wfsm_instance_free(made);
        return status;
    }
    wfsm_instance_free(*instance);
    *instance = made;
    return WFSM_OK;
}

int32_t wfsm_instance_can_migrate(wfsm_instance *instance, wfsm_machine *machine,
                                  const wfsm_functions *functions, int64_t now,
                                  wfsm_error *error)
{
    wfsm_instance *made = NULL;
    wf_note note = {0};
    int32_t status = check(&instance, machine, error);
    if (status == WFSM_OK)
        status = cross(&made, instance, machine, functions, now, &note, error);
    wfsm_instance_free(made);
    return status;
}
