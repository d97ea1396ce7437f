/* engine/child_search.h: the child workflow that an attempt of a job has started. */
#ifndef WF_ENGINE_CHILD_SEARCH_H
#define WF_ENGINE_CHILD_SEARCH_H

#include "engine/entries.h"

/* Room for the id of a child. One that is longer than an id may be is refused. */
enum { WF_CHILD_DIGITS = 16, WF_CHILD_ID_BYTES = 256 + 1 + WF_CHILD_DIGITS + 1 };

enum wf_child_found {
    WF_CHILD_NONE,    /* no instance has the child's id */
    WF_CHILD_OTHER,   /* an instance that is not this child has its id */
    WF_CHILD_RUNNING,
    WF_CHILD_ENDED    /* the job is answered */
};

/* "ROOT/DIGEST": the id of the instance that is no child itself, and 16 hexadecimal digits that
 * follow from the invocation and the attempt. False if it is too long to be an id. */
bool wf_child_id(const wf_job *job, char out[WF_CHILD_ID_BYTES]);
/* True if the present attempt of the job started this instance. */
bool wf_child_is_of(const wfsm_instance *instance, const wf_job *job);
/* Looks for the child in the table, then in the store. A stored one that runs becomes this
 * engine's, unless its owner lives. */
int32_t wf_child_look(wfsm_engine *engine, wf_job *job, const char *id,
                      enum wf_child_found *found, wfsm_error *error);
/* The entry of the instance that has this invocation, or NULL. */
wf_entry *wf_parent_entry(const wfsm_engine *engine, const wf_parent *parent);
#endif
