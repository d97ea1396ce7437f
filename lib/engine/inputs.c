/* engine/inputs.c: events and answers reach their instances. */
#include <string.h>

#include "engine/engine.h"

void wf_input_begin(wfsm_engine *engine, wf_entry *entry, const wf_job *freeing)
{
    wf_grant grant = wf_slots_grant(engine, wfsm_instance_machine(entry->instance), freeing);

    engine->inputs -= engine->inputs > 0;
    wf_instance_set_grant(entry->instance, &grant);
}

void wf_input_end(wfsm_engine *engine, wf_entry *entry)
{
    if (!wf_instance_sealed(entry->instance))
        wf_jobs_follow(engine, entry); /* what memory was short for: when it is settled */
    wf_run_soon(engine, entry);
}

/* The entry of an id, fit for an input, or NOT_FOUND. */
static int32_t find(wfsm_engine *engine, const char *id, size_t length, wf_entry **entry,
                    wfsm_error *error)
{
    int32_t status = WFSM_OK;

    *entry = wf_table_find(engine, id, length);
    if (*entry)
        status = wf_entry_usable(engine, entry, engine->now, error);
    if (status == WFSM_OK && !*entry)
        return wf_fail(error, WFSM_NOT_FOUND, "this engine has no instance \"%.*s\"",
                       (int)(length < 256 ? length : 256), id);
    return status;
}

static int32_t begin(wfsm_engine *engine, int64_t now, wfsm_error *error)
{
    int32_t status = wf_engine_enter(engine, error);

    if (status == WFSM_OK)
        engine->now = now;
    return status;
}

/* An input of the host for one instance: open, one call of the instance, close. */
static int32_t open_input(wfsm_engine *engine, const char *id, int64_t now, wf_entry **entry,
                          wfsm_error *error)
{
    int32_t status;

    if (!id || now < 0)
        return wf_fail(error, WFSM_INVALID, "an input needs an id and a time");
    status = begin(engine, now, error);
    if (status != WFSM_OK)
        return status;
    status = find(engine, id, strlen(id), entry, error);
    if (status == WFSM_OK)
        wf_input_begin(engine, *entry, NULL);
    else
        wf_engine_leave(engine);
    return status;
}

static int32_t close_input(wfsm_engine *engine, wf_entry *entry, int32_t status)
{
    wf_input_end(engine, entry);
    wf_engine_leave(engine);
    return status;
}

int32_t wfsm_engine_send(wfsm_engine *engine, const char *id, const char *event,
                         const char *event_id, const char *data, size_t length, int64_t now,
                         int32_t *outcome, wfsm_error *error)
{
    wf_entry *entry;
    int32_t status = open_input(engine, id, now, &entry, error);

    if (status != WFSM_OK)
        return status;
    status =
        wfsm_instance_send(entry->instance, event, event_id, data, length, now, outcome, error);
    return close_input(engine, entry, status);
}

int32_t wfsm_engine_stop(wfsm_engine *engine, const char *id, int64_t now, int32_t *outcome,
                         wfsm_error *error)
{
    wf_entry *entry;
    int32_t status = open_input(engine, id, now, &entry, error);

    if (status != WFSM_OK)
        return status;
    status = wfsm_instance_stop(entry->instance, now, outcome, error);
    return close_input(engine, entry, status);
}

int32_t wfsm_engine_patch(wfsm_engine *engine, const char *id, const char *json, size_t length,
                          int64_t now, int32_t *outcome, wfsm_error *error)
{
    wf_entry *entry;
    int32_t status = open_input(engine, id, now, &entry, error);

    if (status != WFSM_OK)
        return status;
    status = wfsm_instance_patch(entry->instance, json, length, now, outcome, error);
    return close_input(engine, entry, status);
}

int32_t wfsm_engine_checkpoint(wfsm_engine *engine, const char *id, const char *checkpoint,
                               const char *artifacts, size_t artifacts_length, int64_t now,
                               int32_t *outcome, wfsm_error *error)
{
    wf_entry *entry;
    int32_t status = open_input(engine, id, now, &entry, error);

    if (status != WFSM_OK)
        return status;
    status = wfsm_instance_checkpoint(entry->instance, checkpoint, artifacts, artifacts_length,
                                      now, outcome, error);
    return close_input(engine, entry, status);
}

int32_t wfsm_engine_delete_checkpoint(wfsm_engine *engine, const char *id,
                                      const char *checkpoint, int64_t now, int32_t *outcome,
                                      wfsm_error *error)
{
    wf_entry *entry;
    int32_t status = open_input(engine, id, now, &entry, error);

    if (status != WFSM_OK)
        return status;
    status = wfsm_instance_delete_checkpoint(entry->instance, checkpoint, now, outcome, error);
    return close_input(engine, entry, status);
}

int32_t wfsm_engine_restore(wfsm_engine *engine, const char *id, const char *checkpoint,
                            int64_t now, int32_t *outcome, wfsm_error *error)
{
    wf_entry *entry;
    int32_t status = open_input(engine, id, now, &entry, error);

    if (status != WFSM_OK)
        return status;
    status = wfsm_instance_restore(entry->instance, checkpoint, now, outcome, error);
    return close_input(engine, entry, status);
}

/* Its numbers mean something in the machine that the engine keeps, and only there. */
static int32_t migrate(wfsm_engine *engine, wf_entry *entry, wfsm_machine *machine,
                       int32_t *outcome, wfsm_error *error)
{
    int32_t status = wf_engine_keep_machine(engine, machine, false, error);
    wf_grant grant;

    if (status != WFSM_OK)
        return status;
    machine = wf_engine_machine(engine, machine->fingerprint);
    grant = wf_slots_grant(engine, machine, NULL);
    wf_instance_set_grant(entry->instance, &grant);
    return wfsm_instance_migrate(&entry->instance, machine, engine->functions, engine->now,
                                 outcome, error);
}

int32_t wfsm_engine_migrate(wfsm_engine *engine, const char *id, wfsm_machine *machine,
                            int64_t now, int32_t *outcome, wfsm_error *error)
{
    wf_entry *entry;
    int32_t status;

    if (!machine)
        return wf_fail(error, WFSM_INVALID, "no machine");
    status = open_input(engine, id, now, &entry, error);
    if (status != WFSM_OK)
        return status;
    status = migrate(engine, entry, machine, outcome, error);
    return close_input(engine, entry, status);
}

static int32_t probed(wfsm_engine *engine, const wf_job *job, const char *id, int32_t *outcome,
                      wfsm_error *error)
{
    int32_t answer = job->answer == WF_ANSWER_GONE     ? WF_PROBE_GONE
                     : job->answer == WF_ANSWER_UNSURE ? WF_PROBE_UNSURE
                                                       : WF_PROBE_RUNNING;

    return wf_instance_probed(job->entry->instance, id, answer, engine->owner, engine->now,
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
                         .retry_after = job->retry_after};
}

static int32_t commit_answer(wfsm_engine *engine, const wf_job *job, wfsm_error *error)
{
    wfsm_instance *instance = job->entry->instance;
    const char *text = job->text.length > 0 ? job->text.data : "";
    char id[WF_INVOCATION_ID_BYTES];
    int32_t outcome = 0;
    wfsm_report report = report_of(engine, job);

    if (engine->usage.failed)
        return wf_no_memory(error);
    wf_job_id(job, id);
    switch (job->answer) {
    case WF_ANSWER_DONE:
        return wfsm_instance_result_full(instance, id, text, job->text.length, &report,
                                         engine->now, &outcome, error);
    case WF_ANSWER_FAILED:
        return wfsm_instance_failure_full(instance, id, wf_class_name(job->failure_class), text,
                                          &report, engine->now, &outcome, error);
    default:
        return probed(engine, job, id, &outcome, error);
    }
}

/* An answer that is no JSON, too large or too deep is the agent's failure, not the
 * store's. */
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
        wf_buffer_clear(&job->text); /* then without words */
}

/* Nothing is in the agent's hands any more, unless a probe has found it there. If the
 * step of an answer failed, the ledger still says running, and the agent is not asked
 * again. */
static void after_answer(wfsm_engine *engine, wf_job *job)
{
    const wf_invocation *found = wf_job_invocation(job);
    bool running = found && found->status == WF_RUNNING && found->attempt == job->attempt;
    bool answered = job->answer == WF_ANSWER_DONE || job->answer == WF_ANSWER_FAILED;

    wf_buffer_clear(&job->text);
    wf_job_set(engine, job, running ? WF_JOB_WORKING : WF_JOB_OVER);
    if (running && !answered)
        wf_agent_watch(engine, job);
}

int32_t wf_job_deliver(wfsm_engine *engine, wf_job *job, wfsm_error *error)
{
    wf_entry *entry = job->entry;
    int32_t status;

    wf_input_begin(engine, entry, job);
    status = commit_answer(engine, job, error);
    if (is_unusable(job, status)) {
        make_failure(job, error);
        status = commit_answer(engine, job, error);
    }
    if (status == WFSM_OK)
        after_answer(engine, job);
    wf_input_end(engine, entry);
    return status;
}

/* The length of the instance's id in "instance/revision/ordinal"; ids may hold slashes.
 */
size_t wf_instance_part(const char *invocation)
{
    size_t length = strlen(invocation);

    for (int slashes = 0; slashes < 2 && length > 0; slashes++) {
        while (length > 0 && invocation[length - 1] != '/')
            length--;
        length -= length > 0;
    }
    return length;
}

typedef struct wf_given {
    const char *invocation;
    const char *output; /* result */
    size_t length;
    const char *failure_class, *message; /* failure */
    const wfsm_report *report;
    int32_t *outcome;
    bool cancel;
} wf_given;

static int32_t give_instance(wfsm_instance *instance, const wf_given *given, int64_t now,
                             wfsm_error *error)
{
    if (given->cancel)
        return wfsm_instance_cancel(instance, given->invocation, given->message, now,
                                    given->outcome, error);
    if (given->failure_class)
        return wfsm_instance_failure_full(instance, given->invocation, given->failure_class,
                                          given->message, given->report, now, given->outcome,
                                          error);
    return wfsm_instance_result_full(instance, given->invocation, given->output, given->length,
                                     given->report, now, given->outcome, error);
}

static int32_t give(wfsm_engine *engine, const wf_given *given, wfsm_error *error)
{
    const wf_invocation *found;
    wf_job *job = NULL;
    wf_entry *entry;
    int32_t status =
        find(engine, given->invocation, wf_instance_part(given->invocation), &entry, error);

    if (status != WFSM_OK)
        return status;
    found = wf_instance_find_invocation(entry->instance, given->invocation);
    if (found)
        job = wf_entry_job(entry, found->revision, found->ordinal);
    wf_input_begin(engine, entry, found && found->status == WF_RUNNING ? job : NULL);
    status = give_instance(entry->instance, given, engine->now, error);
    if (status == WFSM_OK && job && job->state != WF_JOB_WAITING && !given->cancel) {
        job->answer = WF_ANSWER_DONE;
        after_answer(engine, job);
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
    status = begin(engine, now, error);
    if (status != WFSM_OK)
        return status;
    status = give(engine, given, error);
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
    wf_given given = {invocation, output, length, NULL, NULL, report, outcome, false};

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
    wf_given given = {invocation, NULL, 0, failure_class, message, report, outcome, false};

    if (!failure_class)
        return wf_fail(error, WFSM_INVALID, "a failure needs a class");
    return give_to(engine, &given, now, error);
}

static int32_t beat(wfsm_engine *engine, const char *invocation, wfsm_error *error)
{
    const wf_invocation *found;
    wf_job *job = NULL;
    wf_entry *entry;
    int32_t status = find(engine, invocation, wf_instance_part(invocation), &entry, error);

    if (status != WFSM_OK)
        return status;
    found = wf_instance_find_invocation(entry->instance, invocation);
    if (found)
        job = wf_entry_job(entry, found->revision, found->ordinal);
    if (!job || job->state != WF_JOB_WORKING)
        return wf_fail(error, WFSM_NOT_FOUND, "nobody is at work for \"%.320s\" here",
                       invocation);
    job->beat = engine->now;
    return WFSM_OK;
}

int32_t wfsm_engine_heartbeat(wfsm_engine *engine, const char *invocation, int64_t now,
                              wfsm_error *error)
{
    int32_t status;

    if (!invocation || now < 0)
        return wf_fail(error, WFSM_INVALID, "a sign of life needs an invocation and a time");
    status = begin(engine, now, error);
    if (status != WFSM_OK)
        return status;
    status = beat(engine, invocation, error);
    wf_engine_leave(engine);
    return status;
}

int32_t wfsm_engine_cancel(wfsm_engine *engine, const char *invocation, const char *message,
                           int64_t now, int32_t *outcome, wfsm_error *error)
{
    wf_given given = {invocation, NULL, 0, NULL, message, NULL, outcome, true};

    return give_to(engine, &given, now, error);
}
