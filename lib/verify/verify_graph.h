/* verify/verify_graph.h: the components of the graph of states: sets in which each state can be
 * reached from each other. */
#ifndef WF_TOOLS_VERIFY_GRAPH_H
#define WF_TOOLS_VERIFY_GRAPH_H

#include "verify/verify_states.h"

/* Which part of the graph is looked at. */
typedef struct wf_subgraph {
    const wf_states *states;
    uint32_t begun; /* states whose edges are known: the first ones */
    void *user;
    bool (*has_state)(void *user, uint32_t state); /* NULL: all */
    bool (*has_edge)(void *user, uint32_t state, uint32_t edge);
} wf_subgraph;

/* Components are told one by one, each after all that it leads to. False ends it. */
typedef bool wf_component_sink(void *user, const uint32_t *members, size_t count);

enum wf_graph_end { WF_GRAPH_DONE, WF_GRAPH_STOPPED, WF_GRAPH_NO_MEMORY };
enum wf_graph_end wf_graph_components(const wf_subgraph *graph, wf_component_sink *sink,
                                      void *user);
/* Does the state have an edge to itself? */
bool wf_graph_has_loop(const wf_subgraph *graph, uint32_t state);
/* A shortest way from a state back to itself through the subgraph, without the state at its
 * beginning; *count 0 if there is none. The list is new; NULL when out of memory. */
uint32_t *wf_graph_cycle(const wf_subgraph *graph, uint32_t state, size_t *count);
#endif
