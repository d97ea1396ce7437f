/*
 * engine/child_workflows.c: the engine as the agent of an invocation whose agent is a machine.
 * Each attempt is an instance of its own. The parent's ledger says whether the child is wanted,
 * and the child's journal says how it ended. Neither depends on the other, and each is brought
 * in line with the other after a crash.
 */
#include "engine/child_workflows.h"

#include <stdio.h>
#include <string.h>

#include "engine/child_outcome.h"
#include "engine/child_search.h"
#include "engine/engine.h"
#include "engine/ids.h"
#include "engine/entry_input.h"
#include "engine/entry_start.h"
#include "engine/machines.h"

static uint32_t depth_of(const wfsm_instance *instance)
{
    wf_parent parent;

    wf_instance_parent(instance, &parent);
    return parent.depth;
}

/* The input of the invocation as JSON, in the job's buffer. *text is NULL if it is null. */
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

static bool is_fault_of_child(int32_t status)
{
    return status == WFSM_SEMANTIC || status == WFSM_HOST || status == WFSM_LIMIT ||
           status == WFSM_NOT_FOUND || status == WFSM_INVALID || status == WFSM_SYNTAX;
}

static int32_t start_new(wfsm_engine *engine, wf_job *job, const char *id, wfsm_error *error)
{
    const char *name = wf_child_machine(job->machine->agents.list[job->agent].text);
    wfsm_machine *machine = wf_machines_newest(engine, name);
    char invocation[WF_INVOCATION_ID_BYTES];
    const wf_invocation *share = wf_job_invocation(job);
    wf_parent parent = {invocation, job->attempt, depth_of(job->entry->instance) + 1,
                        share->descendants - 1, share->descendants_in_all - 1};
    wfsm_start what = {.size = sizeof what, .machine = name, .id = id};
    int32_t status = write_input(job, &what.input, error);

    if (status != WFSM_OK)
        return status;
    if (!machine)
        return wf_fail(error, WFSM_NOT_FOUND, "no machine \"%s\" was added", name);
    wf_job_id(job, invocation);
    what.length = job->text.length;
    return wf_entry_start(engine, machine, &what, &parent, NULL, error);
}

static int32_t settle_start(wfsm_engine *engine, wf_job *job, int32_t status,
                            const wfsm_error *error)
{
    char message[600];

    if (!is_fault_of_child(status))
        return status;
    snprintf(message, sizeof message, "the child workflow cannot be started: %s",
             wfsm_error_message(error));
    return wf_child_fail(engine, job, WF_CLASS_OTHER, message);
}

static bool has_share(const wf_job *job)
{
    const wf_invocation *found = wf_job_invocation(job);

    return found && found->descendants > 0;
}

int32_t wf_child_start(wfsm_engine *engine, wf_job *job, wfsm_error *error)
{
    char id[WF_CHILD_ID_BYTES];
    enum wf_child_found found = WF_CHILD_RUNNING;
    int32_t status;

    WF_INVARIANT(job->child && job->state == WF_JOB_CLAIMED);
    job->descendants = 1; /* if no child is started, nothing but this attempt is used up */
    if (!wf_child_id(job, id))
        return wf_child_fail(engine, job, WF_CLASS_OTHER, "the child's id would be too long");
    if (depth_of(job->entry->instance) >= WF_CHILD_DEPTH)
        return wf_child_fail(engine, job, WF_CLASS_OTHER, "children are nested too deeply");
    if (!has_share(job))
        return wf_child_fail(engine, job, WF_CLASS_LIMIT,
                             "LIMIT: no more instances may descend from this one (limits: "
                             "descendants, descendantsInAll)");
    if (!job->exists) {
        status = start_new(engine, job, id, error);
        job->starting = status == WFSM_OK;
        if (status != WFSM_EXISTS)
            return status == WFSM_OK ? status : settle_start(engine, job, status, error);
    }
    status = wf_child_look(engine, job, id, &found, error);
    if (status != WFSM_OK || found == WF_CHILD_ENDED)
        return status;
    if (found == WF_CHILD_OTHER)
        return wf_child_fail(engine, job, WF_CLASS_OTHER,
                             "another instance has the child's id");
    job->unanswered = false;
    job->descendants = 0;
    wf_job_set(engine, job, WF_JOB_WORKING);
    return WFSM_OK;
}

int32_t wf_child_probe(wfsm_engine *engine, wf_job *job, wfsm_error *error)
{
    char id[WF_CHILD_ID_BYTES];
    enum wf_child_found found = WF_CHILD_NONE;
    int32_t status = WFSM_OK;

    if (wf_child_id(job, id))
        status = wf_child_look(engine, job, id, &found, error);
    if (status != WFSM_OK || found == WF_CHILD_ENDED)
        return status;
    if (found == WF_CHILD_OTHER)
        return wf_child_fail(engine, job, WF_CLASS_OTHER,
                             "another instance has the child's id");
    wf_child_answer(engine, job, found == WF_CHILD_NONE ? WF_ANSWER_GONE : WF_ANSWER_NONE);
    return WFSM_OK;
}

int32_t wf_child_stop(wfsm_engine *engine, wf_entry *entry, wfsm_error *error)
{
    int32_t status, outcome = 0;

    entry->wanted = false; /* if the stop is refused, it is made again */
    wf_input_begin(engine, entry, NULL);
    status = wfsm_instance_stop(entry->instance, engine->now, &outcome, error);
    wf_input_end(engine, entry);
    return status;
}

/* True if another engine has taken the parent over. The child then belongs to that engine. */
static bool is_still_asked_for(const wf_job *job)
{
    const wf_invocation *found = wf_job_invocation(job);

    return found && found->status == WF_RUNNING && found->attempt == job->attempt;
}

/* If another engine has the child, that one stops it (wf_child_check). */
int32_t wf_child_cancel(wfsm_engine *engine, wf_job *job, wfsm_error *error)
{
    char id[WF_CHILD_ID_BYTES];
    enum wf_child_found found = WF_CHILD_NONE;
    wf_entry *entry = NULL;
    int32_t status = WFSM_OK;

    if (!is_still_asked_for(job) && wf_child_id(job, id))
        status = wf_child_look(engine, job, id, &found, error);
    if (status == WFSM_OK && found == WF_CHILD_RUNNING)
        entry = wf_entries_find(engine, id, strlen(id));
    if (entry)
        status = wf_child_stop(engine, entry, error);
    if (status != WFSM_OK)
        return status;
    wf_job_set(engine, job, WF_JOB_OVER);
    wf_link_append(&engine->stepped, &job->entry->stepped); /* so that it follows the ledger */
    return WFSM_OK;
}
