/*
 * engine/children.c: invocations whose agent is the engine itself. An attempt of one is an
 * instance of its own, under an id that follows from the attempt, so that who comes after a
 * crash finds it: `INVOCATION/ATTEMPT`. The parent's ledger says whether the child is wanted,
 * the child's journal how it ended; each is true by itself, and the other follows it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"

enum { ID_BYTES = 256 };

const char *wf_child_machine(const char *agent)
{
    static const char prefix[] = "machine:";
    size_t length = sizeof prefix - 1;

    return strncmp(agent, prefix, length) == 0 ? agent + length : NULL;
}

/* False if that would be no id. */
static bool child_id(const wf_job *job, char out[WF_INVOCATION_ID_BYTES + 12])
{
    char invocation[WF_INVOCATION_ID_BYTES];

    wf_job_id(job, invocation);
    return snprintf(out, WF_INVOCATION_ID_BYTES + 12, "%s/%" PRIu32, invocation, job->attempt) <
           ID_BYTES;
}

static bool is_child_of(const wfsm_instance *instance, const wf_job *job)
{
    char invocation[WF_INVOCATION_ID_BYTES];
    wf_parent parent;

    wf_job_id(job, invocation);
    return wf_instance_parent(instance, &parent) && parent.attempt == job->attempt &&
           strcmp(parent.invocation, invocation) == 0;
}

/* ---- how it ended ---- */

static void answer(wfsm_engine *engine, wf_job *job, int kind)
{
    job->answer = kind;
    job->retry_after = 0;
    wf_job_set(engine, job, WF_JOB_ANSWERED);
    wf_run_soon(engine, job->entry);
}

static int32_t fail(wfsm_engine *engine, wf_job *job, uint32_t failure_class,
                    const char *message)
{
    wf_buffer_clear(&job->text);
    wf_buffer_text(&job->text, message);
    if (job->text.failed)
        wf_buffer_clear(&job->text); /* then without words */
    job->failure_class = failure_class;
    answer(engine, job, WF_ANSWER_FAILED);
    return WFSM_OK;
}

/* What it used is used by its parent, too: budgets of the same names count it. */
static int32_t take_usage(wf_job *job, const wfsm_instance *child)
{
    const wfsm_machine *machine = wfsm_instance_machine(child);
    int32_t status = WFSM_OK;

    wf_buffer_clear(&job->usage);
    wf_buffer_clear(&job->signature);
    for (uint32_t i = 0; i < machine->budget_count && status == WFSM_OK; i++) {
        int64_t used = wf_instance_used(child, i);

        if (machine->budgets[i].counts == WF_COUNT_USAGE && used > 0)
            status = wf_usage_add(&job->usage, machine->budgets[i].name.text, used);
    }
    return status;
}

/* A final state with the tag `error` is a failure, and its output may say of which class. */
static int32_t take_failure(wfsm_engine *engine, wf_job *job, const wf_value *output,
                            const char *text)
{
    const wf_value *word = output->type == WF_OBJECT ? wf_value_get_z(output, "class") : NULL;
    const wf_value *message =
        output->type == WF_OBJECT ? wf_value_get_z(output, "message") : NULL;
    uint32_t failure_class = word && word->type == WF_STRING
                                 ? wf_class_find(word->as.text, word->length)
                                 : WF_CLASSES;

    return fail(engine, job, failure_class < WF_CLASSES ? failure_class : WF_CLASS_OTHER,
                message && message->type == WF_STRING ? message->as.text : text);
}

static int32_t take_end(wfsm_engine *engine, wf_job *job, wfsm_instance *child,
                        wfsm_error *error)
{
    size_t length = 0;
    const char *text = wfsm_instance_output(child, &length);

    if (!text || take_usage(job, child) != WFSM_OK)
        return wf_no_memory(error);
    if (wfsm_instance_stopped(child))
        return fail(engine, job, WF_CLASS_CANCELED, "the child workflow was stopped");
    if (wfsm_instance_has_tag(child, "error"))
        return take_failure(engine, job, wf_instance_output(child), text);
    wf_buffer_clear(&job->text);
    wf_buffer_add(&job->text, text, length);
    if (job->text.failed)
        return wf_no_memory(error);
    answer(engine, job, WF_ANSWER_DONE);
    return WFSM_OK;
}

/* ---- where it is ---- */

enum found { FOUND_NONE, FOUND_OTHER, FOUND_RUNNING, FOUND_ENDED };

static int32_t judge(wfsm_engine *engine, wf_job *job, wfsm_instance *child, enum found *found,
                     wfsm_error *error)
{
    *found = FOUND_OTHER;
    if (!is_child_of(child, job))
        return WFSM_OK;
    *found = FOUND_RUNNING;
    if (wfsm_instance_status(child) != WFSM_DONE)
        return WFSM_OK;
    *found = FOUND_ENDED;
    return take_end(engine, job, child, error);
}

/* A stored one that has not ended becomes this engine's, unless another one lives that has
 * it. */
static int32_t look_in_store(wfsm_engine *engine, wf_job *job, const char *id,
                             enum found *found, wfsm_error *error)
{
    wfsm_instance *child = NULL;
    int32_t status = wf_engine_load(engine, id, &child, error);

    if (status == WFSM_NOT_FOUND)
        return WFSM_OK;
    if (status == WFSM_OK)
        status = judge(engine, job, child, found, error);
    wfsm_instance_free(child);
    if (status == WFSM_OK && *found == FOUND_RUNNING)
        status = wf_entry_adopt(engine, id, error);
    return status == WFSM_DENIED ? WFSM_OK : status;
}

static int32_t look(wfsm_engine *engine, wf_job *job, const char *id, enum found *found,
                    wfsm_error *error)
{
    wf_entry *entry = wf_table_find(engine, id, strlen(id));
    int32_t status = WFSM_OK;

    *found = FOUND_NONE;
    if (entry)
        status = wf_entry_usable(engine, &entry, engine->now, error);
    if (status != WFSM_OK)
        return status;
    if (entry)
        return judge(engine, job, entry->instance, found, error);
    return look_in_store(engine, job, id, found, error);
}

/* ---- start, probe, cancel ---- */

static uint32_t depth_of(const wfsm_instance *instance)
{
    wf_parent parent;

    wf_instance_parent(instance, &parent);
    return parent.depth;
}

/* The input as text, in the job's own buffer; NULL: null. */
static int32_t write_input(wf_job *job, const char **text, wfsm_error *error)
{
    const wf_invocation *invocation = wf_job_invocation(job);

    *text = NULL;
    wf_buffer_clear(&job->text);
    if (!invocation || invocation->input.type == WF_NULL)
        return WFSM_OK;
    wf_json_write(&job->text, &invocation->input);
    *text = job->text.data;
    return job->text.failed ? wf_no_memory(error) : WFSM_OK;
}

static bool is_the_childs_fault(int32_t status)
{
    return status == WFSM_SEMANTIC || status == WFSM_HOST || status == WFSM_LIMIT ||
           status == WFSM_NOT_FOUND || status == WFSM_INVALID || status == WFSM_SYNTAX;
}

static int32_t start_new(wfsm_engine *engine, wf_job *job, const char *id, wfsm_error *error)
{
    const char *name = wf_child_machine(job->machine->agents.list[job->agent].text);
    wfsm_machine *machine = wf_engine_newest(engine, name);
    char invocation[WF_INVOCATION_ID_BYTES];
    wf_parent parent = {invocation, job->attempt, depth_of(job->entry->instance) + 1};
    const char *input;
    int32_t status = write_input(job, &input, error);

    if (status != WFSM_OK)
        return status;
    if (!machine)
        return wf_fail(error, WFSM_NOT_FOUND, "no machine \"%s\" was added", name);
    wf_job_id(job, invocation);
    return wf_entry_start(engine, machine, id, input, job->text.length, &parent, error);
}

static int32_t settle_start(wfsm_engine *engine, wf_job *job, int32_t status,
                            const wfsm_error *error)
{
    char message[600];

    if (!is_the_childs_fault(status))
        return status;
    snprintf(message, sizeof message, "the child workflow cannot be started: %s",
             wfsm_error_message(error));
    return fail(engine, job, WF_CLASS_OTHER, message);
}

int32_t wf_child_start(wfsm_engine *engine, wf_job *job, wfsm_error *error)
{
    char id[WF_INVOCATION_ID_BYTES + 12];
    enum found found = FOUND_RUNNING;
    int32_t status;

    if (!child_id(job, id))
        return fail(engine, job, WF_CLASS_OTHER, "the child's id would be too long");
    if (depth_of(job->entry->instance) >= WF_CHILD_DEPTH)
        return fail(engine, job, WF_CLASS_OTHER, "children are nested too deeply");
    status = start_new(engine, job, id, error);
    if (status == WFSM_EXISTS)
        status = look(engine, job, id, &found, error);
    else if (status != WFSM_OK)
        return settle_start(engine, job, status, error);
    if (status != WFSM_OK || found == FOUND_ENDED)
        return status;
    if (found == FOUND_OTHER)
        return fail(engine, job, WF_CLASS_OTHER, "another instance has the child's id");
    wf_job_set(engine, job, WF_JOB_WORKING);
    return WFSM_OK;
}

int32_t wf_child_probe(wfsm_engine *engine, wf_job *job, wfsm_error *error)
{
    char id[WF_INVOCATION_ID_BYTES + 12];
    enum found found = FOUND_NONE;
    int32_t status = WFSM_OK;

    if (child_id(job, id))
        status = look(engine, job, id, &found, error);
    if (status != WFSM_OK || found == FOUND_ENDED)
        return status;
    if (found == FOUND_OTHER)
        return fail(engine, job, WF_CLASS_OTHER, "another instance has the child's id");
    answer(engine, job, found == FOUND_NONE ? WF_ANSWER_GONE : WF_ANSWER_NONE);
    return WFSM_OK;
}

static int32_t stop(wfsm_engine *engine, wf_entry *entry, wfsm_error *error)
{
    int32_t status, outcome = 0;

    wf_input_begin(engine, entry, NULL);
    status = wfsm_instance_stop(entry->instance, engine->now, &outcome, error);
    wf_input_end(engine, entry);
    return status;
}

/* Somebody else has taken the work over, that is all: the child belongs to it, not to us. */
static bool is_still_asked_for(const wf_job *job)
{
    const wf_invocation *found = wf_job_invocation(job);

    return found && found->status == WF_RUNNING && found->attempt == job->attempt;
}

/* Another engine that has the child stops it by itself (wf_child_check). */
int32_t wf_child_cancel(wfsm_engine *engine, wf_job *job, wfsm_error *error)
{
    char id[WF_INVOCATION_ID_BYTES + 12];
    enum found found = FOUND_NONE;
    wf_entry *entry = NULL;
    int32_t status = WFSM_OK;

    if (!is_still_asked_for(job) && child_id(job, id))
        status = look(engine, job, id, &found, error);
    if (status == WFSM_OK && found == FOUND_RUNNING)
        entry = wf_table_find(engine, id, strlen(id));
    if (entry)
        status = stop(engine, entry, error);
    if (status == WFSM_OK)
        wf_job_set(engine, job, WF_JOB_OVER);
    return status;
}

/* ---- whether it is wanted ---- */

static bool asks_for(const wfsm_instance *above, const wf_parent *parent)
{
    const wf_invocation *found = wf_instance_find_invocation(above, parent->invocation);

    return found && found->status == WF_RUNNING && found->attempt == parent->attempt;
}

static wf_entry *parent_entry(const wfsm_engine *engine, const wf_parent *parent)
{
    return wf_table_find(engine, parent->invocation, wf_instance_part(parent->invocation));
}

static int32_t ask_store(wfsm_engine *engine, const wf_parent *parent, bool *wanted,
                         wfsm_error *error)
{
    wfsm_instance *above = NULL;
    char id[ID_BYTES] = "";
    size_t length = wf_instance_part(parent->invocation);
    int32_t status;

    *wanted = false;
    if (length >= sizeof id)
        return WFSM_OK;
    memcpy(id, parent->invocation, length);
    status = wf_engine_load(engine, id, &above, error);
    if (status == WFSM_NOT_FOUND || status == WFSM_INVALID)
        return WFSM_OK;
    if (status == WFSM_OK)
        *wanted = asks_for(above, parent);
    wfsm_instance_free(above);
    return status;
}

int32_t wf_child_check(wfsm_engine *engine, wf_entry *entry, wfsm_error *error)
{
    wf_parent parent;
    wf_entry *above;
    int32_t status = WFSM_OK;

    if (!wf_instance_parent(entry->instance, &parent) ||
        wfsm_instance_status(entry->instance) == WFSM_DONE)
        return WFSM_OK;
    above = parent_entry(engine, &parent);
    if (above)
        status = wf_entry_usable(engine, &above, engine->now, error);
    if (status != WFSM_OK)
        return status;
    if (above)
        entry->wanted = asks_for(above->instance, &parent);
    else
        status = ask_store(engine, &parent, &entry->wanted, error);
    if (status != WFSM_OK || entry->wanted)
        return status;
    return stop(engine, entry, error);
}

/* ---- its end ---- */

bool wf_child_leave(wfsm_engine *engine, wf_entry *entry, int32_t *status)
{
    wf_parent parent;
    wf_entry *above;
    wf_job *job;

    wf_instance_parent(entry->instance, &parent);
    above = parent_entry(engine, &parent);
    for (job = above ? above->jobs : NULL; job; job = job->next) {
        if (job->child && job->state == WF_JOB_WORKING && is_child_of(entry->instance, job))
            break;
    }
    if (job)
        *status = take_end(engine, job, entry->instance, engine->failed);
    if (*status == WFSM_OK)
        *status = wf_entry_give_up(engine, entry, engine->failed);
    if (*status != WFSM_OK)
        return false;
    wf_entry_free(engine, entry);
    return true;
}

/* ---- children of others ---- */

static bool is_elsewhere(const wfsm_engine *engine, const wf_job *job)
{
    char id[WF_INVOCATION_ID_BYTES + 12];

    return job->child && job->state == WF_JOB_WORKING && child_id(job, id) &&
           !wf_table_find(engine, id, strlen(id));
}

static void watch_job(wfsm_engine *engine, wf_job *job)
{
    char id[WF_INVOCATION_ID_BYTES + 12];
    enum found found = FOUND_NONE;
    int32_t status = WFSM_OK;

    if (child_id(job, id))
        status = look(engine, job, id, &found, engine->failed);
    if (status != WFSM_OK)
        wf_run_report(engine, status);
    else if (found == FOUND_NONE || found == FOUND_OTHER)
        fail(engine, job, WF_CLASS_OTHER, "the child workflow is not there any more");
}

void wf_children_watch(wfsm_engine *engine)
{
    /* What is adopted meanwhile comes to the end of the list. */
    for (wf_link *at = engine->entries.next; at != &engine->entries; at = at->next) {
        wf_entry *entry = WF_OWNER_OF(at, wf_entry, all);
        wf_parent parent;

        for (wf_job *job = entry->jobs; job; job = job->next) {
            if (is_elsewhere(engine, job))
                watch_job(engine, job);
        }
        if (!entry->child || !wf_instance_parent(entry->instance, &parent) ||
            parent_entry(engine, &parent))
            continue;
        entry->wanted = false; /* to be asked again */
        wf_run_soon(engine, entry);
    }
}
