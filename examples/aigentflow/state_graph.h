/* StateGraph of seed 004 on libwfsm: one workflow, driven by hand.
 *
 *     state_graph_new(&graph, &options, error);
 *     state_graph_on(graph, "transition", told, NULL, error);
 *     state_graph_update(graph, "{\"prompt\":\"Add login page\"}", error);
 *     state_graph_transition(graph, "START", NULL, &taken, error);
 *
 * The instance's name in the store is PROJECT/TASK, so a graph finds the tasks of its own
 * project only. It is stored from its first change on. When a call returns, its changes are
 * stored, or nothing has changed. Only one thread at a time may use a graph.
 *
 * JSON is text that ends with a NUL, borrowed until the next call on the graph. Calls that can
 * fail return a wfsm_status. An event that is refused is not a failure: *taken is 0. */
#ifndef AIGENTFLOW_STATE_GRAPH_H
#define AIGENTFLOW_STATE_GRAPH_H

#include <wfsm/wfsm.h>

typedef struct state_graph state_graph;

enum state_graph_level {
    STATE_GRAPH_DEBUG,
    STATE_GRAPH_INFO,
    STATE_GRAPH_WARN,
    STATE_GRAPH_ERROR
};

typedef struct state_graph_options {
    wfsm_machine *machine; /* aigentflow.json or linear.json; referenced */
    wfsm_store *store;     /* borrowed */
    const wfsm_functions *functions; /* of the machine; NULL: it has none */
    const char *project;   /* 1 to 200 bytes, without a '/' */
    int32_t max_retries;            /* 0: 3; -1: none */
    int32_t max_concurrent_agents;  /* 0: 15 */
    int64_t (*now)(void *user);     /* milliseconds since 1970; NULL: the clock */
    /* Called with the messages of the graph; may be NULL. */
    void (*log)(void *user, int level, const char *line);
    void *user;
} state_graph_options;

/* A new graph in the state IDLE, with a task id of its own (UUID, version 4). INVALID for a
 * wrong project or number; NO_MEMORY; and the errors of wfsm_instance_start(). */
int32_t state_graph_new(state_graph **graph, const state_graph_options *options,
                        wfsm_error *error);
/* NULL is allowed. The stored task stays. */
void state_graph_free(state_graph *graph);

/* The state, as the enumeration names it, and the context as StateContext, with `activeAgents`
 * (from the ledger) and `checkpoints`. history: [{"from","to",
 * "event","timestamp","metadata"?}], oldest first. NULL when out of memory or when the store
 * cannot be read. */
const char *state_graph_state(state_graph *graph);
const char *state_graph_task(const state_graph *graph);
const char *state_graph_context(state_graph *graph);
const char *state_graph_history(state_graph *graph);

/* Attempts a transition; metadata is a JSON object or NULL. It is the event's data. */
int32_t state_graph_transition(state_graph *graph, const char *event, const char *metadata,
                               int *taken, wfsm_error *error);
/* True if the event would be taken without metadata. */
int state_graph_can(state_graph *graph, const char *event);
/* The events that would be taken, in the order of the rules: a JSON list. */
const char *state_graph_valid_events(state_graph *graph);

/* Makes a checkpoint. artifacts: a JSON list, or NULL. *checkpoint (may be NULL):
 * {"id","state","timestamp","context","artifacts"}. */
int32_t state_graph_checkpoint(state_graph *graph, const char *artifacts,
                               const char **checkpoint, wfsm_error *error);
/* Restores a checkpoint, from RECOVERING, or from ERROR by START_RECOVERY. *restored is 0 in
 * any other state and for an unknown checkpoint; then nothing has changed. */
int32_t state_graph_restore(state_graph *graph, const char *id, int *restored,
                            wfsm_error *error);
/* The newest checkpoint, or "null". */
const char *state_graph_latest_checkpoint(state_graph *graph);

/* Replaces keys of the context. SEMANTIC for an unknown key or a value of the wrong type; then
 * nothing has changed. */
int32_t state_graph_update(state_graph *graph, const char *updates, wfsm_error *error);
int32_t state_graph_increment_retry(state_graph *graph, int64_t *count, wfsm_error *error);
int32_t state_graph_reset_retries(state_graph *graph, wfsm_error *error);

/* Continues with a task of the store. *loaded is 0 if the project has no such task; then the
 * graph is as it was. */
int32_t state_graph_load(state_graph *graph, const char *task, int *loaded, wfsm_error *error);

int state_graph_is_terminal(state_graph *graph);
int state_graph_is_error(state_graph *graph);
int state_graph_is_awaiting_input(state_graph *graph);

/* Listeners are called after the commit. `name` and the argument:
 *   transition   {"from","to","event","timestamp","metadata"?}
 *   state:X      the context, when X is entered
 *   checkpoint   the checkpoint
 *   restore      the checkpoint, after `transition` and `state:X` of the same
 *   loaded       {"state","context"}
 * The listener must not call the graph. At most 32 of them. */
typedef void (*state_graph_listener)(void *user, const char *name, const char *json);
int32_t state_graph_on(state_graph *graph, const char *name, state_graph_listener listener,
                       void *user, wfsm_error *error);

/* The tasks of a project in the store, as a JSON list of
 * {"projectId","taskId","state","context", "history"} that the caller frees. Removing a task;
 * an unknown one is not an error. */
int32_t state_graph_list(const state_graph_options *options, char **tasks, wfsm_error *error);
int32_t state_graph_delete(wfsm_store *store, const char *project, const char *task,
                           wfsm_error *error);

#endif
