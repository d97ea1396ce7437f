#include "change.h"

#include <stdio.h>
#include <string.h>

static int32_t no_memory(wfsm_error *error)
{
    return wfsm_error_set(error, WFSM_NO_MEMORY, "out of memory");
}

static int32_t read_head(change *read, wfsm_store *store, const char *id, wfsm_error *error)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(store, id, &head, error);

    if (status != WFSM_OK)
        return status;
    (void)snprintf(read->owner, sizeof read->owner, "%s", head.owner);
    read->revision = head.revision;
    read->created = head.created;
    read->updated = head.updated;
    return WFSM_OK;
}

static json_t *parse(const char *text, size_t length)
{
    return text ? json_loadb(text, length, JSON_DECODE_ANY, NULL) : NULL;
}

static void read_path(char state_path[CHANGE_STATE_SIZE], wfsm_instance *instance)
{
    size_t length;
    const char *text = wfsm_instance_configuration(instance, &length);
    json_t *paths = parse(text, length);
    const char *path = json_string_value(json_array_get(paths, 0));

    (void)snprintf(state_path, CHANGE_STATE_SIZE, "%s", path ? path : "");
    json_decref(paths);
}

static int32_t read_instance(change *read, wfsm_instance *instance, wfsm_error *error)
{
    const char *text;
    size_t length;

    read_path(read->state, instance);
    read->done = wfsm_instance_status(instance) == WFSM_DONE;
    read->resting = read->done || wfsm_instance_has_tag(instance, "terminal") != 0;
    text = wfsm_instance_context(instance, &length);
    read->context = parse(text, length);
    text = wfsm_instance_invocations(instance, &length);
    read->invocations = parse(text, length);
    if (!read->context || !read->invocations)
        return no_memory(error);
    read->has_phase = phase_named(change_text(read, "phase"), &read->phase) == 0;
    read->iterations =
        (int64_t)json_number_value(json_object_get(read->context, "iterations"));
    return WFSM_OK;
}

/* Where the workflow at work is; it is no error that it is not there yet. */
static void read_workflow(change *read, wfsm_store *store)
{
    const json_t *one = json_array_get(read->invocations, 0);
    const char *invocation = json_string_value(json_object_get(one, "id"));
    char id[256], path[CHANGE_STATE_SIZE];
    wfsm_instance *child = NULL;
    size_t length;
    const char *text;
    json_t *context;

    if (!invocation)
        return;
    (void)snprintf(id, sizeof id, "%s/%.0f", invocation,
                   json_number_value(json_object_get(one, "attempt")));
    if (wfsm_instance_load(&child, NULL, store, NULL, id, NULL) != WFSM_OK)
        return;
    read_path(path, child);
    (void)snprintf(read->step, sizeof read->step, "%.*s", (int)strcspn(path, "."), path);
    text = wfsm_instance_context(child, &length);
    context = parse(text, length);
    read->iterations = (int64_t)json_number_value(json_object_get(context, "iterations"));
    json_decref(context);
    wfsm_instance_free(child);
}

int32_t change_read(change *read, wfsm_store *store, const char *id, wfsm_error *error)
{
    wfsm_instance *instance = NULL;
    int32_t status;

    memset(read, 0, sizeof *read);
    (void)snprintf(read->id, sizeof read->id, "%s", id);
    status = read_head(read, store, id, error);
    if (status == WFSM_OK)
        status = wfsm_instance_load(&instance, NULL, store, NULL, id, error);
    if (status == WFSM_OK)
        status = read_instance(read, instance, error);
    if (status == WFSM_OK)
        read_workflow(read, store);
    wfsm_instance_free(instance);
    return status;
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
