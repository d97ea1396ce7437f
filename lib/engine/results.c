/* engine/results.c: the host answers invocations by id: results, failures, cancellations, retries
 * and signs of life. */
#include "engine/engine.h"
#include "engine/enter.h"
#include "engine/ids.h"
#include "engine/queue.h"
#include "engine/round.h"

static int32_t give_to(wfsm_engine *engine, const wf_given *given, int64_t now,
                       wfsm_error *error)
{
    int32_t status;

    if (!given->invocation || now < 0)
        return wf_fail(error, WFSM_INVALID, "an answer needs an invocation and a time");
    if (wf_queue_is_open(engine))
        return wf_queue_given(engine, given, error);
    status = wf_engine_enter_at(engine, now, error);
    if (status != WFSM_OK)
        return status;
    status = wf_round_open(engine, error);
    if (status == WFSM_OK)
        status = wf_round_of_one(engine, wf_give(engine, given, error), given->outcome, error);
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

/* Nothing is committed, so this is possible while a round is out. */
static int32_t beat(wfsm_engine *engine, const char *invocation, int64_t now, wfsm_error *error)
{
    const wf_entry *entry = wf_entries_find(engine, invocation, wf_instance_part(invocation));
    const wf_invocation *found =
        entry && entry->jobs ? wf_instance_find_invocation(entry->instance, invocation) : NULL;
    wf_job *job = found ? wf_job_of(entry, found) : NULL;

    if (!job || job->state != WF_JOB_WORKING)
        return wf_fail(error, WFSM_NOT_FOUND, "no agent of this engine works for \"%.320s\"",
                       invocation);
    job->beat = now;
    return WFSM_OK;
}

int32_t wfsm_engine_heartbeat(wfsm_engine *engine, const char *invocation, int64_t now,
                              wfsm_error *error)
{
    int32_t status;

    if (!invocation || now < 0)
        return wf_fail(error, WFSM_INVALID, "a heartbeat needs an invocation and a time");
    if (wf_queue_is_open(engine))
        return beat(engine, invocation, now, error);
    status = wf_engine_enter_at(engine, now, error);
    if (status != WFSM_OK)
        return status;
    status = beat(engine, invocation, now, error);
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
