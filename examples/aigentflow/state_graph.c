#include "state_graph_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- a graph and its instance ---- */

int64_t graph_now(const state_graph *graph)
{
    struct timespec at;
    if (graph->options.now)
        return graph->options.now(graph->options.user);
    clock_gettime(CLOCK_REALTIME, &at);
    return (int64_t)at.tv_sec * 1000 + at.tv_nsec / 1000000;
}

void graph_name(char name[2 * NAME_BYTES], const char *project, const char *task)
{
    snprintf(name, 2 * NAME_BYTES, "%s/%s", project, task);
}

const char *graph_answer(state_graph *graph, json_t *json)
{
    char *text = json ? json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    json_decref(json);
    free(graph->answer);
    graph->answer = text;
    return text;
}

static int32_t start(state_graph *graph, wfsm_store *store, json_t *input, wfsm_error *error)
{
    char name[2 * NAME_BYTES], *text = json_dumps(input, JSON_COMPACT);
    wfsm_instance *instance = NULL;
    int32_t status = WFSM_NO_MEMORY;
    graph_name(name, graph->project, graph->task);
    const wfsm_start_options options = {.size = sizeof options,
                                        .id = name,
                                        .store = store,
                                        .functions = graph->options.functions,
                                        .input = text,
                                        .length = text ? strlen(text) : 0};
    if (text)
        status = wfsm_instance_start(&instance, graph->options.machine, &options,
                                     graph_now(graph), error);
    free(text);
    if (status != WFSM_OK)
        return status;
    wfsm_instance_free(graph->instance);
    graph->instance = instance;
    graph->stored = store != NULL;
    return WFSM_OK;
}

int32_t graph_store(state_graph *graph, wfsm_error *error)
{
    size_t length;
    if (graph->stored)
        return WFSM_OK;
    const char *text = wfsm_instance_context(graph->instance, &length);
    json_t *context = view_text(text, length);
    int32_t status = start(graph, graph->options.store, context, error);
    json_decref(context);
    return status;
}

static int32_t check(const state_graph_options *options, wfsm_error *error)
{
    const char *project = options->project;
    if (!options->machine || !options->store)
        return wfsm_error_set(error, WFSM_INVALID, "a graph needs a machine and a store");
    if (!project || project[0] == '\0' || strlen(project) > 200 || strchr(project, '/'))
        return wfsm_error_set(error, WFSM_INVALID,
                              "the name of a project is 1 to 200 bytes without a '/'");
    if (options->max_retries < -1 || options->max_concurrent_agents < 0)
        return wfsm_error_set(error, WFSM_INVALID, "retries and agents cannot be negative");
    return WFSM_OK;
}

static int32_t begin(state_graph *graph, wfsm_error *error)
{
    const state_graph_options *given = &graph->options;
    json_t *input =
        json_pack("{s:s, s:s, s:i, s:i}", "projectId", graph->project, "taskId", graph->task,
                  "maxRetries",
                  given->max_retries == 0  ? 3
                  : given->max_retries > 0 ? given->max_retries
                                           : 0,
                  "maxConcurrentAgents",
                  given->max_concurrent_agents == 0 ? 15 : given->max_concurrent_agents);
    int32_t status = input ? start(graph, NULL, input, error) : WFSM_INVALID;
    json_decref(input);
    return status;
}

int32_t state_graph_new(state_graph **graph, const state_graph_options *options,
                        wfsm_error *error)
{
    state_graph *made;
    int32_t status = check(options, error);
    if (status != WFSM_OK)
        return status;
    if (!(made = calloc(1, sizeof *made)))
        return wfsm_error_set(error, WFSM_NO_MEMORY, "out of memory");
    made->options = *options;
    wfsm_machine_ref(options->machine);
    snprintf(made->project, sizeof made->project, "%s", options->project);
    status = graph_uuid(made->task, error);
    if (status == WFSM_OK)
        status = begin(made, error);
    if (status == WFSM_OK)
        *graph = made;
    else
        state_graph_free(made);
    return status;
}

void state_graph_free(state_graph *graph)
{
    if (!graph)
        return;
    wfsm_instance_free(graph->instance);
    wfsm_machine_unref(graph->options.machine);
    free(graph->answer);
    free(graph);
}

/* ---- what it shows ---- */

const char *state_graph_state(state_graph *graph)
{
    size_t length;
    const char *text = wfsm_instance_configuration(graph->instance, &length);
    json_t *paths = view_text(text, length), *state = view_state(paths);
    snprintf(graph->state, sizeof graph->state, "%s", state ? json_string_value(state) : "");
    json_decref(state);
    json_decref(paths);
    return graph->state;
}

const char *state_graph_task(const state_graph *graph)
{
    return graph->task;
}

const char *state_graph_context(state_graph *graph)
{
    return graph_answer(graph, view_context(graph));
}

const char *state_graph_history(state_graph *graph)
{
    return graph_answer(graph, view_history(graph));
}

int state_graph_is_terminal(state_graph *graph)
{
    return wfsm_instance_has_tag(graph->instance, "terminal");
}

int state_graph_is_error(state_graph *graph)
{
    return wfsm_instance_has_tag(graph->instance, "error");
}

int state_graph_is_awaiting_input(state_graph *graph)
{
    return wfsm_instance_has_tag(graph->instance, "awaiting_input");
}

/* ---- transitions ---- */

static void told(state_graph *graph)
{
    json_t *transition = view_last(graph);
    if (!transition)
        return;
    graph_log(graph, STATE_GRAPH_DEBUG, "Transition: %s -> %s (%s)",
              json_string_value(json_object_get(transition, "from")),
              json_string_value(json_object_get(transition, "to")),
              json_string_value(json_object_get(transition, "event")));
    graph_emit_transition(graph, transition);
    json_decref(transition);
}

/* The action failed and changed nothing. The workflow goes to ERROR if it can. */
static int32_t action_failed(state_graph *graph, wfsm_error *error)
{
    json_t *why = json_pack("{s:s}", "error", wfsm_error_message(error));
    char *metadata = json_dumps(why, JSON_COMPACT);
    int taken;
    int32_t status = WFSM_NO_MEMORY;
    graph_log(graph, STATE_GRAPH_ERROR, "Action failed for transition: %s",
              wfsm_error_message(error));
    json_decref(why);
    if (metadata)
        status = state_graph_transition(graph, "ERROR", metadata, &taken, NULL);
    free(metadata);
    return status;
}

/* If the event would be refused, nothing is stored. */
static int refused(state_graph *graph, const wfsm_event *event)
{
    int32_t outcome;
    if (wfsm_instance_can(graph->instance, event, graph_now(graph), &outcome, NULL, NULL) !=
        WFSM_OK)
        return 0;
    if (outcome == WFSM_BLOCKED)
        graph_log(graph, STATE_GRAPH_DEBUG, "Guard blocked transition for event '%s'",
                  event->name);
    else if (outcome == WFSM_NO_TRANSITION ||
             wfsm_instance_status(graph->instance) == WFSM_DONE)
        graph_log(graph, STATE_GRAPH_WARN, "No transition rule for event '%s' from state '%s'",
                  event->name, state_graph_state(graph));
    else
        return 0;
    return 1;
}

int32_t state_graph_transition(state_graph *graph, const char *event, const char *metadata,
                               int *taken, wfsm_error *error)
{
    const wfsm_event sent = {.size = sizeof sent,
                             .name = event,
                             .data = metadata,
                             .length = metadata ? strlen(metadata) : 0};
    wfsm_error *own = error ? error : wfsm_error_new(NULL);
    int32_t outcome = WFSM_NO_TRANSITION, status = WFSM_OK;
    *taken = 0;
    if (!refused(graph, &sent)) {
        status = graph_store(graph, own);
        if (status == WFSM_OK)
            status =
                wfsm_instance_send(graph->instance, &sent, graph_now(graph), &outcome, own);
        *taken = status == WFSM_OK && (outcome == WFSM_TAKEN || outcome == WFSM_ENDED);
        if (*taken)
            told(graph);
        else if (status == WFSM_OK && outcome == WFSM_FAILED)
            status = action_failed(graph, own);
    }
    if (!error)
        wfsm_error_free(own);
    return status;
}

int state_graph_can(state_graph *graph, const char *event)
{
    const wfsm_event sent = {.size = sizeof sent, .name = event};
    int32_t outcome;
    return wfsm_instance_status(graph->instance) == WFSM_RUNNING &&
           wfsm_instance_can(graph->instance, &sent, graph_now(graph), &outcome, NULL, NULL) ==
               WFSM_OK &&
           (outcome == WFSM_TAKEN || outcome == WFSM_ENDED);
}

/* The events of a state, in the order of the document, which is that of the rules. */
static json_t *handled(state_graph *graph)
{
    size_t length;
    const char *text = wfsm_machine_document(wfsm_instance_machine(graph->instance), &length);
    json_t *document = view_text(text, length);
    json_t *state =
        json_object_get(json_object_get(document, "states"), state_graph_state(graph));
    json_t *on = json_incref(json_object_get(state, "on"));
    json_decref(document);
    return on;
}

const char *state_graph_valid_events(state_graph *graph)
{
    json_t *events = json_array(), *on = handled(graph), *rule;
    const char *name;
    json_object_foreach(on, name, rule) if (state_graph_can(graph, name))
        json_array_append_new(events, json_string(name));
    if (strcmp(state_graph_state(graph), "RECOVERING") == 0 &&
        strcmp(state_graph_latest_checkpoint(graph), "null") != 0)
        json_array_append_new(events, json_string("RESTORE_CHECKPOINT"));
    json_decref(on);
    return graph_answer(graph, events);
}
