/* Changing a graph's context, and the tasks that a store has. */
#include "state_graph_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the context ---- */

/* Guards read the current agent's output as `lastOutput`, so both must be equal. */
static void follow(state_graph *graph, json_t *updates)
{
    size_t length;
    const char *text = wfsm_instance_context(graph->instance, &length), *agent;
    json_t *context = view_text(text, length), *output;
    if (json_object_get(context, "lastOutput") && (json_object_get(updates, "agentOutputs") ||
                                                   json_object_get(updates, "currentAgent"))) {
        json_object_update(context, updates);
        agent = json_string_value(json_object_get(context, "currentAgent"));
        output =
            !agent ? NULL : json_object_get(json_object_get(context, "agentOutputs"), agent);
        json_object_set_new(updates, "lastOutput",
                            output ? json_deep_copy(output) : json_null());
    }
    json_decref(context);
}

static int32_t patch(state_graph *graph, const json_t *updates, wfsm_error *error)
{
    char *text = json_dumps(updates, JSON_COMPACT);
    wfsm_error *own = error ? error : wfsm_error_new(NULL);
    int32_t outcome, status = WFSM_NO_MEMORY;
    if (text)
        status = wfsm_instance_patch(graph->instance, text, strlen(text), graph_now(graph),
                                     &outcome, own);
    free(text);
    if (status == WFSM_OK && outcome == WFSM_FAILED)
        status = wfsm_error_status(own) != WFSM_OK ? wfsm_error_status(own) : WFSM_SEMANTIC;
    if (status == WFSM_OK && outcome == WFSM_ENDED)
        status = wfsm_error_set(own, WFSM_DENIED, "the workflow has ended");
    if (!error)
        wfsm_error_free(own);
    return status;
}

int32_t state_graph_update(state_graph *graph, const char *updates, wfsm_error *error)
{
    json_t *given = json_loads(updates, 0, NULL);
    int32_t status;
    if (!json_is_object(given)) {
        json_decref(given);
        return wfsm_error_set(error, WFSM_SYNTAX, "updates are a JSON object");
    }
    follow(graph, given);
    status = patch(graph, given, error);
    json_decref(given);
    return status;
}

static int32_t set_retries(state_graph *graph, int64_t count, wfsm_error *error)
{
    json_t *updates = json_pack("{s:I}", "retryCount", (json_int_t)count);
    int32_t status = patch(graph, updates, error);
    json_decref(updates);
    return status;
}

int32_t state_graph_increment_retry(state_graph *graph, int64_t *count, wfsm_error *error)
{
    size_t length;
    const char *text = wfsm_instance_context(graph->instance, &length);
    json_t *context = view_text(text, length);
    *count = json_integer_value(json_object_get(context, "retryCount")) + 1;
    json_decref(context);
    return set_retries(graph, *count, error);
}

int32_t state_graph_reset_retries(state_graph *graph, wfsm_error *error)
{
    return set_retries(graph, 0, error);
}

/* ---- what is stored ---- */

static void loaded_told(state_graph *graph)
{
    json_t *state = json_pack("{s:s, s:o}", "state", state_graph_state(graph), "context",
                              view_context(graph));
    graph_emit(graph, "loaded", state);
    json_decref(state);
}

int32_t state_graph_load(state_graph *graph, const char *task, int *loaded, wfsm_error *error)
{
    char name[2 * NAME_BYTES];
    wfsm_instance *instance = NULL;
    *loaded = 0;
    if (strlen(task) >= sizeof graph->task)
        return WFSM_OK;
    graph_name(name, graph->project, task);
    int32_t status = wfsm_instance_load(&instance, NULL, graph->options.store,
                                        graph->options.functions, name, error);
    if (status != WFSM_OK)
        return status == WFSM_NOT_FOUND ? WFSM_OK : status;
    wfsm_instance_free(graph->instance);
    graph->instance = instance;
    graph->stored = 1;
    snprintf(graph->task, sizeof graph->task, "%s", task);
    *loaded = 1;
    loaded_told(graph);
    return WFSM_OK;
}

static int32_t add_name(void *user, const wfsm_row *row)
{
    return json_array_append_new(user, json_string(row->head->instance)) == 0 ? WFSM_OK
                                                                              : WFSM_NO_MEMORY;
}

static json_t *persisted(state_graph *graph)
{
    json_t *one = json_pack("{s:s, s:s, s:s}", "projectId", graph->project, "taskId",
                            graph->task, "state", state_graph_state(graph));
    json_object_set_new(one, "context", view_context(graph));
    json_object_set_new(one, "history", view_history(graph));
    return one;
}

static int32_t add_tasks(state_graph *graph, const json_t *names, json_t *tasks,
                         wfsm_error *error)
{
    size_t i, prefix = strlen(graph->project) + 1;
    json_t *name;
    json_array_foreach(names, i, name)
    {
        int loaded;
        const char *task = json_string_value(name) + prefix;
        int32_t status = strchr(task, '/') ? WFSM_OK /* the child workflow of a task */
                                           : state_graph_load(graph, task, &loaded, error);
        if (status != WFSM_OK)
            return status;
        if (!strchr(task, '/') && loaded)
            json_array_append_new(tasks, persisted(graph));
    }
    return WFSM_OK;
}

int32_t state_graph_list(const state_graph_options *options, char **tasks, wfsm_error *error)
{
    state_graph *graph = NULL;
    json_t *names = json_array(), *all = json_array();
    char prefix[2 * NAME_BYTES];
    int32_t status = state_graph_new(&graph, options, error);
    if (status == WFSM_OK) {
        graph_name(prefix, options->project, "");
        wfsm_query query = {.size = sizeof query, .prefix = prefix};
        status = wfsm_store_list(options->store, &query, add_name, names, error);
    }
    if (status == WFSM_OK)
        status = add_tasks(graph, names, all, error);
    *tasks = status == WFSM_OK ? json_dumps(all, JSON_COMPACT) : NULL;
    json_decref(names);
    json_decref(all);
    state_graph_free(graph);
    return status;
}

int32_t state_graph_delete(wfsm_store *store, const char *project, const char *task,
                           wfsm_error *error)
{
    char name[2 * NAME_BYTES];
    graph_name(name, project, task);
    return wfsm_store_remove(store, name, error);
}
