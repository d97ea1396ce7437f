/* engine/child_parents.c: whether a child workflow is wanted, and what its end means for its
 * parent. Parent and child may be with different engines. */
#include "engine/child_parents.h"

#include <string.h>

#include "engine/child_outcome.h"
#include "engine/child_search.h"
#include "engine/child_workflows.h"
#include "engine/engine.h"
#include "engine/ids.h"
#include "engine/leaving.h"
#include "engine/entry_ownership.h"
#include "engine/reload.h"
#include "engine/report.h"

/* An id has at most 255 bytes (wf_id_valid). */
enum { ID_BYTES = 256 };

static bool asks_for(const wfsm_instance *above, const wf_parent *parent)
{
    const wf_invocation *found = wf_instance_find_invocation(above, parent->invocation);

    return found && found->status == WF_RUNNING && found->attempt == parent->attempt;
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

/* What it asks for may change: the store has not confirmed all of it, or it may not be wanted itself. */
static bool is_undecided(const wf_entry *above)
{
    if (wf_entry_is_evicted(above))
        return false;
    return wf_instance_waits(above->instance) ||
           (above->child && !above->wanted &&
            wfsm_instance_status(above->instance) != WFSM_DONE);
}

int32_t wf_child_check(wfsm_engine *engine, wf_entry *entry, wfsm_error *error)
{
    wf_parent parent;
    wf_entry *above;
    int32_t status = WFSM_OK;

    if (!wf_instance_parent(entry->instance, &parent) ||
        wfsm_instance_status(entry->instance) == WFSM_DONE)
        return WFSM_OK;
    above = wf_parent_entry(engine, &parent);
    if (above && is_undecided(above))
        return WFSM_OK; /* a later round knows */
    if (above && !wf_entry_is_fit(engine, above))
        return WFSM_OK;
    if (above)
        entry->wanted = asks_for(above->instance, &parent);
    else
        status = ask_store(engine, &parent, &entry->wanted, error);
    if (status != WFSM_OK || entry->wanted)
        return status;
    return wf_child_stop(engine, entry, error);
}

/* The job that waits for this child, or NULL. */
static wf_job *job_of_parent(const wfsm_engine *engine, const wf_entry *entry)
{
    const wf_entry *above;
    wf_parent parent;
    wf_job *job;

    wf_instance_parent(entry->instance, &parent);
    above = wf_parent_entry(engine, &parent);
    job = above ? above->jobs : NULL;
    while (job && !(job->child && job->state == WF_JOB_WORKING &&
                    wf_child_is_of(entry->instance, job)))
        job = job->next;
    return job;
}

bool wf_child_is_over(const wf_entry *entry)
{
    return entry->child && wfsm_instance_status(entry->instance) == WFSM_DONE &&
           !wf_instance_waits(entry->instance) && !entry->jobs;
}

/* Once: if the step of that answer fails, the parent is not asked again. */
static int32_t tell_parent(wfsm_engine *engine, wf_entry *entry, wfsm_error *error)
{
    wf_job *job = entry->told ? NULL : job_of_parent(engine, entry);
    int32_t status = job ? wf_child_take_end(engine, job, entry->instance, error) : WFSM_OK;

    entry->told |= status == WFSM_OK;
    return status;
}

int32_t wf_child_leave(wfsm_engine *engine, wf_entry **entry, wfsm_error *error)
{
    int32_t status;
    bool owes = wf_child_owes_effects(engine, (*entry)->instance);

    if (owes && !(*entry)->offered)
        return WFSM_OK;
    status = tell_parent(engine, *entry, error);
    if (status != WFSM_OK || owes || !wf_link_alone(&(*entry)->acking))
        return status;
    if (!wf_leave(engine, *entry))
        return wf_no_memory(error);
    *entry = NULL;
    return WFSM_OK;
}

/* Its parent is with this engine, and asks for it, as far as the store has confirmed. */
static bool is_asked_for_here(const wfsm_engine *engine, const wf_entry *entry)
{
    wf_parent parent;
    const wf_entry *above =
        wf_instance_parent(entry->instance, &parent) ? wf_parent_entry(engine, &parent) : NULL;

    return above && !wf_entry_is_evicted(above) && /* that one has no invocations of machines */
           (is_undecided(above) || asks_for(above->instance, &parent));
}

static bool is_with_another_engine(const wfsm_engine *engine, const wf_job *job)
{
    char id[WF_CHILD_ID_BYTES];

    return job->child && job->state == WF_JOB_WORKING && wf_child_id(job, id) &&
           !wf_entries_find(engine, id, strlen(id));
}

static void watch_job(wfsm_engine *engine, wf_job *job)
{
    char id[WF_CHILD_ID_BYTES];
    enum wf_child_found found = WF_CHILD_NONE;
    int32_t status = WFSM_OK;

    if (wf_child_id(job, id))
        status = wf_child_look(engine, job, id, &found, engine->failed);
    if (status != WFSM_OK)
        wf_round_failed(engine, status);
    else if (found == WF_CHILD_NONE || found == WF_CHILD_OTHER)
        wf_child_fail(engine, job, WF_CLASS_OTHER,
                      "the child workflow does not exist any more");
}

void wf_children_watch(wfsm_engine *engine)
{
    /* An entry that is adopted meanwhile is added at the end of the list. */
    for (wf_link *at = engine->entries.next; at != &engine->entries; at = at->next) {
        wf_entry *entry = WF_OWNER_OF(at, wf_entry, all);

        for (wf_job *job = entry->jobs; job; job = job->next) {
            if (is_with_another_engine(engine, job))
                watch_job(engine, job);
        }
        if (!entry->child || is_asked_for_here(engine, entry))
            continue;
        entry->wanted = false; /* its parent is with another engine, or does not wait for it */
        wf_ask_soon(engine, entry);
    }
}
