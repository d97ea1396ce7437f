/* Shared by the files of StateGraph. */
#ifndef AIGENTFLOW_STATE_GRAPH_INSIDE_H
#define AIGENTFLOW_STATE_GRAPH_INSIDE_H

#include <jansson.h>

#include "state_graph.h"

enum { MOST_LISTENERS = 32, UUID_BYTES = 37, NAME_BYTES = 256 };

typedef struct listening {
    char name[NAME_BYTES];
    state_graph_listener listener;
    void *user;
} listening;

struct state_graph {
    state_graph_options options;
    char project[NAME_BYTES], task[UUID_BYTES + 200], state[NAME_BYTES];
    wfsm_instance *instance;
    int stored;        /* else it is in memory, until its first change */
    char *answer;      /* the text that was returned last; freed by the graph */
    listening listeners[MOST_LISTENERS];
    size_t listener_count;
};

/* ---- state_graph.c ---- */
int64_t graph_now(const state_graph *graph);
/* Stores the graph, if it is not yet. */
int32_t graph_store(state_graph *graph, wfsm_error *error);
/* PROJECT/TASK; cut when too long, which the library then refuses. */
void graph_name(char name[2 * NAME_BYTES], const char *project, const char *task);
/* Returns a text that the graph keeps. Takes over `json`. NULL when out of memory; then the
 * last text stays valid. */
const char *graph_answer(state_graph *graph, json_t *json);

/* ---- state_graph_view.c: JSON that the caller owns; NULL when there is none ---- */
json_t *view_text(const char *text, size_t length);
json_t *view_time(int64_t ms);
/* The state of the enumeration in a list of paths. */
json_t *view_state(const json_t *configuration);
json_t *view_context(state_graph *graph);
json_t *view_history(state_graph *graph);
/* The transition of the instance's last record; NULL if it has none. */
json_t *view_last(state_graph *graph);

/* ---- state_graph_checkpoints.c ---- */
/* A UUID, version 4. */
int32_t graph_uuid(char text[UUID_BYTES], wfsm_error *error);
json_t *view_checkpoints(state_graph *graph);

/* ---- state_graph_listen.c ---- */
void graph_emit(state_graph *graph, const char *name, const json_t *json);
/* `transition` and `state:X`. */
void graph_emit_transition(state_graph *graph, const json_t *transition);
void graph_log(const state_graph *graph, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
