#include "state_graph_inside.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* ---- what the store has ---- */

static int32_t take(void *user, const wfsm_row *row)
{
    *(json_t **)user = view_text(row->text, row->length);
    return WFSM_OK;
}

static int32_t listed(void *user, const wfsm_row *row)
{
    json_t *one = json_pack("{s:s, s:o, s:o}", "id", row->id, "timestamp", view_time(row->now),
                            "artifacts", view_text(row->text, row->length));
    return json_array_append_new(user, one) == 0 ? WFSM_OK : WFSM_NO_MEMORY;
}

/* Adds the state and the context of the checkpoint. */
static void complete(state_graph *graph, json_t *checkpoint)
{
    json_t *snapshot = NULL;
    wfsm_store_snapshot(graph->options.store, wfsm_instance_id(graph->instance),
                        json_string_value(json_object_get(checkpoint, "id")), take, &snapshot,
                        NULL);
    json_object_set_new(checkpoint, "state",
                        view_state(json_object_get(snapshot, "configuration")));
    json_object_set(checkpoint, "context", json_object_get(snapshot, "context"));
    json_decref(snapshot);
}

json_t *view_checkpoints(state_graph *graph)
{
    json_t *all = json_array(), *one;
    size_t i;
    if (graph->stored)
        wfsm_store_checkpoints(graph->options.store, wfsm_instance_id(graph->instance), listed,
                               all, NULL);
    json_array_foreach(all, i, one) complete(graph, one);
    return all;
}

const char *state_graph_latest_checkpoint(state_graph *graph)
{
    json_t *one = json_array();
    if (graph->stored)
        wfsm_store_latest_checkpoint(graph->options.store, wfsm_instance_id(graph->instance),
                                     listed, one, NULL);
    if (json_array_size(one) == 0) {
        json_decref(one);
        return graph_answer(graph, json_null());
    }
    json_t *latest = json_incref(json_array_get(one, 0));
    json_decref(one);
    complete(graph, latest);
    return graph_answer(graph, latest);
}

/* The checkpoint of this id; NULL if there is none. */
static json_t *find(state_graph *graph, const char *id)
{
    json_t *all = view_checkpoints(graph), *one, *found = NULL;
    size_t i;
    json_array_foreach(all, i, one) if (strcmp(json_string_value(json_object_get(one, "id")),
                                               id) == 0) found = json_incref(one);
    json_decref(all);
    return found;
}

/* ---- making one ---- */

int32_t state_graph_checkpoint(state_graph *graph, const char *artifacts,
                               const char **checkpoint, wfsm_error *error)
{
    char id[UUID_BYTES];
    const wfsm_checkpoint kept = {.size = sizeof kept,
                                  .id = id,
                                  .artifacts = artifacts,
                                  .length = artifacts ? strlen(artifacts) : 0};
    int32_t outcome, status = graph_uuid(id, error);
    if (status == WFSM_OK)
        status = graph_store(graph, error);
    if (status == WFSM_OK)
        status =
            wfsm_instance_checkpoint(graph->instance, &kept, graph_now(graph), &outcome, error);
    if (status != WFSM_OK)
        return status;
    if (outcome == WFSM_ENDED)
        return wfsm_error_set(error, WFSM_DENIED, "the workflow has ended");
    json_t *made = find(graph, id);
    graph_log(graph, STATE_GRAPH_INFO, "Checkpoint created: %s at state %s", id,
              state_graph_state(graph));
    graph_emit(graph, "checkpoint", made);
    const char *text = graph_answer(graph, made);
    if (checkpoint)
        *checkpoint = text;
    return text ? WFSM_OK : WFSM_NO_MEMORY;
}

/* ---- going back ---- */

/* From an error by way of RECOVERING, from any other state directly; not when it has ended. */
static int32_t recovering(state_graph *graph, int *yes, wfsm_error *error)
{
    if (strcmp(state_graph_state(graph), "ERROR") == 0)
        return state_graph_transition(graph, "START_RECOVERY", NULL, yes, error);
    *yes = strcmp(state_graph_state(graph), "ABORTED") != 0;
    return WFSM_OK;
}

static void told(state_graph *graph, const char *id, const json_t *checkpoint)
{
    json_t *transition = view_last(graph);
    graph_log(graph, STATE_GRAPH_INFO, "Restored checkpoint: %s to state %s", id,
              state_graph_state(graph));
    graph_emit_transition(graph, transition);
    graph_emit(graph, "restore", checkpoint);
    json_decref(transition);
}

int32_t state_graph_restore(state_graph *graph, const char *id, int *restored,
                            wfsm_error *error)
{
    const wfsm_restore_point from = {.size = sizeof from, .checkpoint = id};
    json_t *checkpoint = find(graph, id);
    int32_t outcome, status = WFSM_OK;
    int ready = 0;
    *restored = 0;
    if (!checkpoint)
        graph_log(graph, STATE_GRAPH_ERROR, "Checkpoint not found: %s", id);
    else
        status = recovering(graph, &ready, error);
    if (status == WFSM_OK && ready)
        status =
            wfsm_instance_restore(graph->instance, &from, graph_now(graph), &outcome, error);
    if (status == WFSM_OK && ready) {
        *restored = 1;
        told(graph, id, checkpoint);
    }
    json_decref(checkpoint);
    return status;
}

/* ---- ids ---- */

int32_t graph_uuid(char text[UUID_BYTES], wfsm_error *error)
{
    static const char hex[] = "0123456789abcdef";
    unsigned char bytes[16];
    char *at = text;
    if (getentropy(bytes, sizeof bytes) != 0)
        return wfsm_error_set(error, WFSM_IO,
                              "the system has the system has no random numbers");
    bytes[6] = (unsigned char)((bytes[6] & 0x0F) | 0x40);
    bytes[8] = (unsigned char)((bytes[8] & 0x3F) | 0x80);
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *at++ = '-';
        *at++ = hex[bytes[i] >> 4];
        *at++ = hex[bytes[i] & 15];
    }
    *at = '\0';
    return WFSM_OK;
}
