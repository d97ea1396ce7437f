/* engine/child_search.c: the child workflow that an attempt of a job has started. Its id
 * follows from the attempt, so that it is found after a crash. */
#include "engine/child_search.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/invariant.h"
#include "engine/adoption.h"
#include "engine/child_outcome.h"
#include "engine/engine.h"
#include "engine/ids.h"
#include "engine/entry_ownership.h"

/* An id has at most 255 bytes (wf_id_valid). */
enum { ID_BYTES = 256 };

/* A child's id is that of its root, a slash and the digits. */
static size_t root_length(const wfsm_instance *instance)
{
    size_t length = strlen(wfsm_instance_id(instance));
    wf_parent parent;

    if (!wf_instance_parent(instance, &parent))
        return length;
    WF_INVARIANT(length > WF_CHILD_DIGITS + 1);
    return length - WF_CHILD_DIGITS - 1;
}

bool wf_child_id(const wf_job *job, char out[WF_CHILD_ID_BYTES])
{
    const wfsm_instance *above = job->entry->instance;
    char attempt[WF_INVOCATION_ID_BYTES + 12], digest[WF_DIGEST_HEX];
    int root = (int)root_length(above);
    size_t length;

    wf_job_id(job, attempt);
    length = strlen(attempt);
    length +=
        (size_t)snprintf(attempt + length, sizeof attempt - length, "/%" PRIu32, job->attempt);
    wf_digest_of(attempt, length, digest);
    return snprintf(out, WF_CHILD_ID_BYTES, "%.*s/%.*s", root, wfsm_instance_id(above),
                    (int)WF_CHILD_DIGITS, digest) < ID_BYTES;
}

bool wf_child_is_of(const wfsm_instance *instance, const wf_job *job)
{
    char invocation[WF_INVOCATION_ID_BYTES];
    wf_parent parent;

    wf_job_id(job, invocation);
    return wf_instance_parent(instance, &parent) && parent.attempt == job->attempt &&
           strcmp(parent.invocation, invocation) == 0;
}

wf_entry *wf_parent_entry(const wfsm_engine *engine, const wf_parent *parent)
{
    return wf_entries_find(engine, parent->invocation, wf_instance_part(parent->invocation));
}

/* `offered`: the host was asked to take the effects of a child that has ended. They come first. */
static int32_t judge(wfsm_engine *engine, wf_job *job, wfsm_instance *child, bool offered,
                     enum wf_child_found *found, wfsm_error *error)
{
    *found = WF_CHILD_OTHER;
    if (!wf_child_is_of(child, job))
        return WFSM_OK;
    *found = WF_CHILD_RUNNING;
    if (wfsm_instance_status(child) != WFSM_DONE || wf_instance_waits(child) ||
        (!offered && wf_child_owes_effects(engine, child)))
        return WFSM_OK;
    *found = WF_CHILD_ENDED;
    return wf_child_take_end(engine, job, child, error);
}

/* If another engine has a child that has ended, its effects are with that one. */
static int32_t adopt(wfsm_engine *engine, wf_job *job, wfsm_instance *child,
                     enum wf_child_found *found, wfsm_error *error)
{
    int32_t status = wf_entry_adopt(engine, wfsm_instance_id(child), job->unanswered, error);

    if (status != WFSM_DENIED)
        return status;
    if (wfsm_instance_status(child) == WFSM_RUNNING)
        return WFSM_OK;
    *found = WF_CHILD_ENDED;
    return wf_child_take_end(engine, job, child, error);
}

static int32_t look_in_store(wfsm_engine *engine, wf_job *job, const char *id,
                             enum wf_child_found *found, wfsm_error *error)
{
    wfsm_instance *child = NULL;
    int32_t status = wf_engine_load(engine, id, &child, error);

    if (status == WFSM_NOT_FOUND)
        return WFSM_OK;
    if (status == WFSM_OK)
        status = judge(engine, job, child, false, found, error);
    if (status == WFSM_OK && *found == WF_CHILD_RUNNING)
        status = adopt(engine, job, child, found, error);
    wfsm_instance_free(child);
    return status;
}

int32_t wf_child_look(wfsm_engine *engine, wf_job *job, const char *id,
                      enum wf_child_found *found, wfsm_error *error)
{
    wf_entry *entry = wf_entries_find(engine, id, strlen(id));
    int32_t status = WFSM_OK;

    *found = WF_CHILD_NONE;
    if (entry)
        status = wf_entry_refresh(engine, &entry, error);
    if (status != WFSM_OK)
        return status;
    if (entry)
        return judge(engine, job, entry->instance, entry->offered, found, error);
    return look_in_store(engine, job, id, found, error);
}
