/* The queries of a graph: JSON from the instance and its journal. */
#include "state_graph_inside.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

json_t *view_text(const char *text, size_t length)
{
    return text ? json_loadb(text, length, JSON_DECODE_ANY, NULL) : NULL;
}

json_t *view_time(int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm parts;
    char text[64];
    size_t length;
    if (!gmtime_r(&seconds, &parts))
        return json_null();
    length = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text + length, sizeof text - length, ".%03dZ", (int)(ms % 1000));
    return json_string(text);
}

json_t *view_state(const json_t *configuration)
{
    const char *path = json_string_value(json_array_get(configuration, 0));
    return path ? json_stringn(path, strcspn(path, ".")) : NULL;
}

/* ---- the context ---- */

/* Times that the document keeps as milliseconds. */
static void date_output(json_t *output)
{
    json_t *at = json_object_get(output, "timestamp");
    if (json_is_number(at))
        json_object_set_new(output, "timestamp", view_time((int64_t)json_number_value(at)));
}

static void date_outputs(json_t *context)
{
    const char *agent;
    json_t *output;
    size_t i;
    json_object_foreach(json_object_get(context, "agentOutputs"), agent, output)
        date_output(output);
    json_array_foreach(json_object_get(context, "outputs"), i, output) date_output(output);
    date_output(json_object_get(context, "lastOutput"));
}

static json_t *active_agent(const json_t *work)
{
    const json_t *pool = json_object_get(work, "pool");
    json_t *agent = json_object();
    const char *group = json_string_value(json_object_get(pool, "group"));
    const json_t *claimed = json_object_get(work, "claimed");
    json_object_set(agent, "id", json_object_get(work, "id"));
    json_object_set(agent, "type", json_object_get(work, "src"));
    if (group)
        json_object_set_new(agent, "featureId", json_string(group));
    if (json_object_get(pool, "phase"))
        json_object_set(agent, "phase", json_object_get(pool, "phase"));
    json_object_set_new(agent, "startedAt", view_time(json_integer_value(claimed)));
    json_object_set_new(agent, "status", json_string("running"));
    return agent;
}

static json_t *active_agents(state_graph *graph)
{
    size_t length, i;
    const char *text = wfsm_instance_invocations(graph->instance, &length);
    json_t *all = view_text(text, length), *active = json_array(), *work;
    json_array_foreach(
        all, i,
        work) if (strcmp(json_string_value(json_object_get(work, "status")), "running") == 0)
        json_array_append_new(active, active_agent(work));
    json_decref(all);
    return active;
}

json_t *view_context(state_graph *graph)
{
    size_t length;
    const char *text = wfsm_instance_context(graph->instance, &length);
    json_t *context = view_text(text, length);
    if (!context)
        return NULL;
    date_outputs(context);
    json_object_set_new(context, "activeAgents", active_agents(graph));
    json_object_set_new(context, "checkpoints", view_checkpoints(graph));
    return context;
}

/* ---- the history ---- */

static json_t *transition(const json_t *record, json_t *from, json_t *to, json_t *event,
                          json_t *metadata)
{
    json_t *one = json_object();
    json_object_set_new(one, "from", from);
    json_object_set_new(one, "to", to);
    json_object_set(one, "event", event);
    json_object_set_new(one, "timestamp",
                        view_time(json_integer_value(json_object_get(record, "now"))));
    if (json_is_object(metadata))
        json_object_set(one, "metadata", metadata);
    return one;
}

static json_t *restored(const json_t *record, const json_t *input)
{
    json_t *metadata = json_pack("{s:O}", "checkpointId", json_object_get(input, "id"));
    json_t *one = transition(record, json_string("RECOVERING"),
                             view_state(json_object_get(record, "configuration")),
                             json_object_get(input, "event"), metadata);
    json_decref(metadata);
    return one;
}

/* Done and error events belong to an agent, not to the rules. */
static int is_rule(const char *event)
{
    return event && strncmp(event, "done.", 5) != 0 && strncmp(event, "error.", 6) != 0;
}

static json_t *of_record(const json_t *record)
{
    const json_t *input = json_object_get(record, "input");
    const char *kind = json_string_value(json_object_get(input, "kind"));
    const json_t *taken = json_array_get(json_object_get(record, "transitions"), 0);
    json_t *event = json_object_get(taken, "event");
    if (kind && strcmp(kind, "restore") == 0)
        return restored(record, input);
    if (!is_rule(json_string_value(event)) ||
        json_array_size(json_object_get(taken, "to")) == 0)
        return NULL;
    return transition(record, view_state(json_object_get(record, "from")),
                      view_state(json_object_get(taken, "to")), event,
                      json_object_get(input, "data"));
}

static int32_t add_record(void *user, const wfsm_row *row)
{
    json_t *record = view_text(row->text, row->length), *one = of_record(record);
    if (one)
        json_array_append_new(user, one);
    json_decref(record);
    return WFSM_OK;
}

json_t *view_history(state_graph *graph)
{
    json_t *history = json_array();
    if (graph->stored &&
        wfsm_store_records(graph->options.store, wfsm_instance_id(graph->instance), 1,
                           UINT64_MAX, add_record, history, NULL) != WFSM_OK) {
        json_decref(history);
        return NULL;
    }
    return history;
}

json_t *view_last(state_graph *graph)
{
    size_t length;
    const char *text = wfsm_instance_record(graph->instance, &length);
    json_t *record = view_text(text, length), *one = of_record(record);
    json_decref(record);
    return one;
}
