/* engine/answer_commits.c: answers of agents are committed. */
#include "engine/answer_commits.h"

#include "engine/agent_calls.h"
#include "engine/engine.h"
#include "engine/entry_input.h"

static int32_t probed(wfsm_engine *engine, const wf_job *job, const char *id, int32_t *outcome,
                      wfsm_error *error)
{
    int32_t answer = job->answer == WF_ANSWER_GONE     ? WF_PROBE_GONE
                     : job->answer == WF_ANSWER_UNSURE ? WF_PROBE_UNSURE
                                                       : WF_PROBE_RUNNING;

    return wf_instance_probed(job->entry->instance, id, answer, engine->session, engine->now,
                              outcome, error);
}

static wfsm_report report_of(wfsm_engine *engine, const wf_job *job)
{
    wf_buffer *usage = &engine->usage;

    wf_buffer_clear(usage);
    wf_usage_write(usage, &job->usage);
    return (wfsm_report){.size = sizeof(wfsm_report),
                         .usage = usage->length ? usage->data : NULL,
                         .usage_length = usage->length,
                         .signature = job->signature.length ? job->signature.data : NULL,
                         .retry_after = job->retry_after,
                         .descendants = job->descendants};
}

static int32_t commit_answer(wfsm_engine *engine, const wf_job *job, wfsm_error *error)
{
    wfsm_instance *instance = job->entry->instance;
    const char *text = job->text.length > 0 ? job->text.data : "";
    char id[WF_INVOCATION_ID_BYTES];
    int32_t outcome = 0;
    wfsm_report report = report_of(engine, job);
    wfsm_result result = {.size = sizeof result,
                          .invocation = id,
                          .output = text,
                          .length = job->text.length,
                          .report = &report};
    wfsm_failure failure = {.size = sizeof failure,
                            .invocation = id,
                            .failure_class = wf_class_name(job->failure_class),
                            .message = text,
                            .report = &report};

    if (engine->usage.failed)
        return wf_no_memory(error);
    wf_job_id(job, id);
    switch (job->answer) {
    case WF_ANSWER_DONE:
        return wfsm_instance_result(instance, &result, engine->now, &outcome, error);
    case WF_ANSWER_FAILED:
        return wfsm_instance_failure(instance, &failure, engine->now, &outcome, error);
    default:
        return probed(engine, job, id, &outcome, error);
    }
}

/* An answer that is not JSON, too large or too deep is a failure of the agent, not of the
 * store. */
static bool is_unusable(const wf_job *job, int32_t status)
{
    return job->answer == WF_ANSWER_DONE && (status == WFSM_SYNTAX || status == WFSM_SEMANTIC ||
                                             status == WFSM_LIMIT || status == WFSM_INVALID);
}

static void make_failure(wf_job *job, const wfsm_error *error)
{
    job->answer = WF_ANSWER_FAILED;
    job->failure_class = WF_CLASS_SCHEMA;
    wf_buffer_clear(&job->text);
    wf_buffer_text(&job->text, "unusable answer: ");
    wf_buffer_text(&job->text, wfsm_error_message(error));
    if (job->text.failed)
        wf_buffer_clear(&job->text); /* a failure without a message is better than none */
}

/* The agent still works if a probe has found it running; if the ledger has ended the attempt in the same
 * round, it is told to stop. If the step of an answer failed, the ledger still says running, and the
 * agent is not asked again. */
void wf_job_answered(wfsm_engine *engine, wf_job *job)
{
    const wf_invocation *found = wf_job_invocation(job);
    bool running = found && found->status == WF_RUNNING && found->attempt == job->attempt;
    bool answered = job->answer == WF_ANSWER_DONE || job->answer == WF_ANSWER_FAILED;

    wf_buffer_clear(&job->text);
    wf_job_set(engine, job,
               running                         ? WF_JOB_WORKING
               : job->answer == WF_ANSWER_NONE ? WF_JOB_WITHDRAWN
                                               : WF_JOB_OVER);
    if (running && !answered)
        wf_agent_watch(engine, job);
}

int32_t wf_job_commit_answer(wfsm_engine *engine, wf_job *job, wfsm_error *error)
{
    wf_entry *entry = job->entry;
    int32_t status;

    WF_INVARIANT(job->state == WF_JOB_ANSWERED);
    wf_input_begin(engine, entry, job);
    status = commit_answer(engine, job, error);
    if (is_unusable(job, status)) {
        make_failure(job, error);
        status = commit_answer(engine, job, error);
    }
    job->sent = status == WFSM_OK;
    wf_input_end(engine, entry);
    return status;
}
