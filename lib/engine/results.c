/* engine/results.c: the host answers invocations by id: results, failures, cancellations, retries
 * and signs of life. */
#include <string.h>

#include "engine/answer_commits.h"
#include "engine/engine.h"
#include "engine/enter.h"
#include "engine/ids.h"
#include "engine/entry_input.h"
#include "engine/entry_ownership.h"
#include "engine/round.h"

/* What the host says about an invocation: one of the four. */
typedef struct wf_given {
    const char *invocation;
    const wfsm_result *result; /* or NULL */
    const wfsm_failure *failure; /* or NULL */
    bool retry;
    const char *message; /* of a cancellation */
    int32_t *outcome;
} wf_given;

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

static wf_job *job_of(const wf_entry *entry, const wf_invocation *found)
{
    const wf_work work = wf_invocation_work(found);

    return wf_job_find(entry, &work);
}

static int32_t give(wfsm_engine *engine, const wf_given *given, wfsm_error *error)
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
        job = job_of(entry, found);
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

static int32_t give_to(wfsm_engine *engine, const wf_given *given, int64_t now,
                       wfsm_error *error)
{
    int32_t status;

    if (!given->invocation || now < 0)
        return wf_fail(error, WFSM_INVALID, "an answer needs an invocation and a time");
    status = wf_engine_enter_at(engine, now, error);
    if (status != WFSM_OK)
        return status;
    status = wf_round_open(engine, error);
    if (status == WFSM_OK)
        status = wf_round_of_one(engine, give(engine, given, error), given->outcome, error);
    wf_engine_leave(engine);
    return status;
}

int32_t wfsm_engine_result(wfsm_engine *engine, const char *invocation, const char *output,
                           size_t length, int64_t now, int32_t *outcome, wfsm_error *error)
{
    return wfsm_engine_result_full(engine, invocation, output, length, NULL, now, outcome,
                                   error);
}

int32_t wfsm_engine_result_full(wfsm_engine *engine, const char *invocation, const char *output,
                                size_t length, const wfsm_report *report, int64_t now,
                                int32_t *outcome, wfsm_error *error)
{
    const wfsm_result result = {.size = sizeof result,
                                .invocation = invocation,
                                .output = output,
                                .length = length,
                                .report = report};
    const wf_given given = {.invocation = invocation, .result = &result, .outcome = outcome};

    return give_to(engine, &given, now, error);
}

int32_t wfsm_engine_failure(wfsm_engine *engine, const char *invocation,
                            const char *failure_class, const char *message, int64_t now,
                            int32_t *outcome, wfsm_error *error)
{
    return wfsm_engine_failure_full(engine, invocation, failure_class, message, NULL, now,
                                    outcome, error);
}

int32_t wfsm_engine_failure_full(wfsm_engine *engine, const char *invocation,
                                 const char *failure_class, const char *message,
                                 const wfsm_report *report, int64_t now, int32_t *outcome,
                                 wfsm_error *error)
{
    const wfsm_failure failure = {.size = sizeof failure,
                                  .invocation = invocation,
                                  .failure_class = failure_class,
                                  .message = message,
                                  .report = report};
    const wf_given given = {.invocation = invocation, .failure = &failure, .outcome = outcome};

    if (!failure_class)
        return wf_fail(error, WFSM_INVALID, "a failure needs a class");
    return give_to(engine, &given, now, error);
}

static int32_t beat(wfsm_engine *engine, const char *invocation, wfsm_error *error)
{
    const wf_invocation *found;
    wf_job *job = NULL;
    wf_entry *entry;
    int32_t status =
        wf_entry_get(engine, invocation, wf_instance_part(invocation), &entry, error);

    if (status != WFSM_OK)
        return status;
    found = wf_instance_find_invocation(entry->instance, invocation);
    if (found)
        job = job_of(entry, found);
    if (!job || job->state != WF_JOB_WORKING)
        return wf_fail(error, WFSM_NOT_FOUND, "no agent of this engine works for \"%.320s\"",
                       invocation);
    job->beat = engine->now;
    return WFSM_OK;
}

int32_t wfsm_engine_heartbeat(wfsm_engine *engine, const char *invocation, int64_t now,
                              wfsm_error *error)
{
    int32_t status;

    if (!invocation || now < 0)
        return wf_fail(error, WFSM_INVALID, "a heartbeat needs an invocation and a time");
    status = wf_engine_enter_at(engine, now, error);
    if (status != WFSM_OK)
        return status;
    status = beat(engine, invocation, error);
    wf_engine_leave(engine);
    return status;
}

int32_t wfsm_engine_cancel(wfsm_engine *engine, const char *invocation, const char *message,
                           int64_t now, int32_t *outcome, wfsm_error *error)
{
    const wf_given given = {.invocation = invocation, .message = message, .outcome = outcome};

    return give_to(engine, &given, now, error);
}

int32_t wfsm_engine_retry(wfsm_engine *engine, const char *invocation, int64_t now,
                          int32_t *outcome, wfsm_error *error)
{
    const wf_given given = {.invocation = invocation, .retry = true, .outcome = outcome};

    return give_to(engine, &given, now, error);
}
