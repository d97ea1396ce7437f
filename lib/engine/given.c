/* engine/given.c: what the host says about an invocation becomes an input. */
#include "engine/given.h"

#include "engine/engine.h"
#include "engine/entry_input.h"
#include "engine/entry_ownership.h"
#include "engine/ids.h"

static int32_t give_instance(wfsm_instance *instance, const wf_given *given, int64_t now,
                             wfsm_error *error)
{
    if (given->result)
        return wfsm_instance_result(instance, given->result, now, given->outcome, error);
    if (given->failure)
        return wfsm_instance_failure(instance, given->failure, now, given->outcome, error);
    if (given->retry)
        return wfsm_instance_retry(instance, given->invocation, now, given->outcome, error);
    return wfsm_instance_cancel(instance, given->invocation, given->message, now,
                                given->outcome, error);
}

int32_t wf_give(wfsm_engine *engine, const wf_given *given, wfsm_error *error)
{
    const wf_invocation *found;
    wf_job *job = NULL;
    wf_entry *entry;
    int32_t status = wf_entry_get(engine, given->invocation,
                                  wf_instance_part(given->invocation), &entry, error);

    if (status != WFSM_OK)
        return status;
    found = wf_instance_find_invocation(entry->instance, given->invocation);
    if (found)
        job = wf_job_of(entry, found);
    if (job && job->state == WF_JOB_ANSWERED &&
        (job->answer == WF_ANSWER_DONE || job->answer == WF_ANSWER_FAILED)) {
        if (given->outcome)
            *given->outcome = WFSM_STALE; /* its answer only waits for its commit */
        return WFSM_OK;
    }
    wf_input_begin(engine, entry,
                   found && found->status == WF_RUNNING && !given->retry ? job : NULL);
    status = give_instance(entry->instance, given, engine->now, error);
    if (status == WFSM_OK && job && job->state != WF_JOB_WAITING &&
        (given->result || given->failure)) {
        job->answer = WF_ANSWER_DONE;
        job->sent = true;
    }
    wf_input_end(engine, entry);
    return status;
}
