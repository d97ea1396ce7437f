#include "change.h"

#include <stdio.h>
#include <string.h>

static void look_at_phase(change *read)
{
    const host_stored *stored = &read->stored;

    read->has_phase = phase_named(host_stored_text(stored, "phase"), &read->phase) == 0;
    read->resting = stored->ended || stored->over;
    read->iterations = host_stored_number(stored, "iterations");
}

/* The change itself has the phase when the workflow ends; there is a proposal before that. */
static void look_at_proposal(change *read, const host_stored *child)
{
    if (read->has_phase || host_stored_number(child, "step") < 1)
        return;
    read->has_phase = 1;
    read->phase = PHASE_PROPOSED;
}

/* ---- the running workflow ---- */

typedef struct search {
    wfsm_store *store;
    const char *invocation; /* that it is the workflow of */
    host_stored *child;
    char *id;
} search;

/* Its id is CHANGE/DIGEST, and says which invocation it is of. */
static int32_t take_child(void *user, const wfsm_row *row)
{
    return json_array_append_new(user, json_string(row->head->instance)) == 0 ? WFSM_OK
                                                                              : WFSM_NO_MEMORY;
}

/* 1: it is this one. */
static int is_child(const search *wanted, const char *id)
{
    if (host_stored_read(wanted->child, wanted->store, id, NULL) == WFSM_OK &&
        !wanted->child->ended && strcmp(wanted->child->parent, wanted->invocation) == 0) {
        (void)snprintf(wanted->id, CHANGE_WORKFLOW_SIZE, "%s", id);
        return 1;
    }
    host_stored_clear(wanted->child);
    return 0;
}

/* 0 and a cleared child if there is none yet. */
static int find_child(const change *of, const search *wanted)
{
    char prefix[HOST_STATE_SIZE];
    wfsm_query query = {.size = sizeof query, .prefix = prefix};
    json_t *ids = json_array(), *one;
    size_t index;
    int found = 0;

    (void)snprintf(prefix, sizeof prefix, "%s/", of->id);
    if (ids && wfsm_store_list(wanted->store, &query, take_child, ids, NULL) == WFSM_OK)
        json_array_foreach(ids, index, one) if (!found) found =
            is_child(wanted, json_string_value(one));
    json_decref(ids);
    return found;
}

static void read_workflow(change *read, wfsm_store *store)
{
    const json_t *one = json_array_get(read->stored.invocations, 0);
    host_stored child = {.over = 0};
    search wanted = {store, json_string_value(json_object_get(one, "id")), &child,
                     read->workflow};

    if (wanted.invocation && find_child(read, &wanted)) {
        host_top_state(child.state, read->step);
        read->iterations = host_stored_number(&child, "iterations");
        look_at_proposal(read, &child);
    }
    host_stored_clear(&child);
}

int32_t change_read(change *read, wfsm_store *store, const char *id, wfsm_error *error)
{
    int32_t status;

    memset(read, 0, sizeof *read);
    status = host_stored_read(&read->stored, store, id, error);
    if (status != WFSM_OK)
        return status;
    (void)snprintf(read->id, sizeof read->id, "%s", id);
    look_at_phase(read);
    read_workflow(read, store);
    return WFSM_OK;
}

void change_clear(change *read)
{
    host_stored_clear(&read->stored);
    memset(read, 0, sizeof *read);
}

verdict change_verdict(const change *read)
{
    int reviewed = read->has_phase && read->phase >= PHASE_IMPLEMENTING;
    verdict found = VERDICT_NONE;

    (void)verdict_named(host_stored_text(&read->stored, reviewed ? "review" : "challenge"),
                        &found);
    return found;
}

void change_state(const change *read, state *said)
{
    memset(said, 0, sizeof *said);
    memcpy(said->change_id, read->id, sizeof said->change_id);
    said->phase = read->phase;
    said->verdict = change_verdict(read);
    said->iteration = read->iterations;
    said->revision = (int64_t)read->stored.revision;
    said->created = read->stored.created;
    said->updated = read->stored.updated;
    if (read->has_phase && read->phase >= PHASE_COMPLETE)
        (void)snprintf(said->tree, sizeof said->tree, "%s",
                       host_stored_text(&read->stored, "tree"));
}

static int32_t take_id(void *user, const wfsm_row *row)
{
    return json_array_append_new(user, json_string(row->head->instance)) == 0 ? WFSM_OK
                                                                              : WFSM_NO_MEMORY;
}

json_t *change_ids(wfsm_store *store, wfsm_error *error)
{
    wfsm_query query = {.size = sizeof query, .machine = "lifecycle"};
    json_t *ids = json_array();

    if (!ids || wfsm_store_list(store, &query, take_id, ids, error) != WFSM_OK) {
        json_decref(ids);
        return NULL;
    }
    return ids;
}
