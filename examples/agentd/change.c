#include "change.h"

#include <stdio.h>
#include <string.h>


/* Takes over what was read. */
static void take(change *read, const hk_stored *stored, const char *id)
{
    read->context = stored->context;
    read->invocations = stored->invocations;
    (void)snprintf(read->id, sizeof read->id, "%s", id);
    (void)snprintf(read->state, sizeof read->state, "%s", stored->state);
    (void)snprintf(read->owner, sizeof read->owner, "%s", stored->owner);
    read->has_phase = phase_named(change_text(read, "phase"), &read->phase) == 0;
    read->done = stored->ended;
    read->resting = stored->ended || stored->over;
    read->revision = stored->revision;
    read->created = stored->created;
    read->updated = stored->updated;
    read->iterations = hk_stored_number(stored, "iterations");
}

/* Where the workflow at work is; it is no error that it is not there yet. */
static void read_workflow(change *read, wfsm_store *store)
{
    const json_t *one = json_array_get(read->invocations, 0);
    const char *invocation = json_string_value(json_object_get(one, "id"));
    char id[256];
    hk_stored child;

    if (!invocation)
        return;
    (void)snprintf(id, sizeof id, "%s/%.0f", invocation,
                   json_number_value(json_object_get(one, "attempt")));
    if (hk_stored_read(&child, store, id, NULL) == WFSM_OK) {
        hk_top_state(child.state, read->step);
        read->iterations = hk_stored_number(&child, "iterations");
    }
    hk_stored_clear(&child);
}

int32_t change_read(change *read, wfsm_store *store, const char *id, wfsm_error *error)
{
    hk_stored stored;
    int32_t status = hk_stored_read(&stored, store, id, error);

    memset(read, 0, sizeof *read);
    if (status != WFSM_OK) {
        hk_stored_clear(&stored);
        return status;
    }
    take(read, &stored, id);
    read_workflow(read, store);
    return WFSM_OK;
}

void change_clear(change *read)
{
    json_decref(read->context);
    json_decref(read->invocations);
    memset(read, 0, sizeof *read);
}

const char *change_text(const change *read, const char *key)
{
    const char *text = json_string_value(json_object_get(read->context, key));

    return text ? text : "";
}

int change_is_true(const change *read, const char *key)
{
    return json_is_true(json_object_get(read->context, key));
}

verdict change_verdict(const change *read)
{
    int reviewed = read->has_phase && read->phase >= PHASE_IMPLEMENTING;
    verdict found = VERDICT_NONE;

    (void)verdict_named(change_text(read, reviewed ? "review" : "challenge"), &found);
    return found;
}

void change_state(const change *read, state *said)
{
    memset(said, 0, sizeof *said);
    memcpy(said->change_id, read->id, sizeof said->change_id);
    said->phase = read->phase;
    said->verdict = change_verdict(read);
    said->iteration = read->iterations;
    said->revision = (int64_t)read->revision;
    said->created = read->created;
    said->updated = read->updated;
}

static int32_t take_id(void *user, const wfsm_row *row)
{
    return json_array_append_new(user, json_string(row->head->instance)) == 0
               ? WFSM_OK
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
