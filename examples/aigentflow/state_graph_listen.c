#include "state_graph_inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int32_t state_graph_on(state_graph *graph, const char *name, state_graph_listener listener,
                       void *user, wfsm_error *error)
{
    if (graph->listener_count == MOST_LISTENERS || strlen(name) >= NAME_BYTES) {
        wfsm_error_set(error, WFSM_LIMIT, "too many listeners, or too long a name");
        return WFSM_LIMIT;
    }
    listening *one = &graph->listeners[graph->listener_count++];
    snprintf(one->name, sizeof one->name, "%s", name);
    one->listener = listener;
    one->user = user;
    return WFSM_OK;
}

void graph_emit(state_graph *graph, const char *name, const json_t *json)
{
    char *text = json ? json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    for (size_t i = 0; text && i < graph->listener_count; i++)
        if (strcmp(graph->listeners[i].name, name) == 0)
            graph->listeners[i].listener(graph->listeners[i].user, name, text);
    free(text);
}

void graph_emit_transition(state_graph *graph, const json_t *transition)
{
    char name[NAME_BYTES + 8];
    json_t *context = view_context(graph);
    snprintf(name, sizeof name, "state:%s",
             json_string_value(json_object_get(transition, "to")));
    graph_emit(graph, "transition", transition);
    graph_emit(graph, name, context);
    json_decref(context);
}

void graph_log(const state_graph *graph, int level, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    if (!graph->options.log)
        return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    graph->options.log(graph->options.user, level, line);
}
