/* verify/components.h: strongly connected components of the state graph, and cycles. */
#ifndef WF_VERIFY_COMPONENTS_H
#define WF_VERIFY_COMPONENTS_H

#include "verify/state_space.h"

/* The part of the graph that is examined. */
typedef struct wf_subgraph {
    const wf_state_space *states;
    void *user;
    bool (*has_state)(void *user, uint32_t state); /* NULL: all */
    bool (*has_edge)(void *user, uint32_t state, uint32_t edge);
} wf_subgraph;

/* Called for each component, after all components that it leads to. False ends it. */
typedef bool wf_component_sink(void *user, const uint32_t *members, size_t count);

enum wf_graph_end { WF_GRAPH_DONE, WF_GRAPH_STOPPED, WF_GRAPH_NO_MEMORY };
enum wf_graph_end wf_graph_components(const wf_subgraph *graph, wf_component_sink *sink,
                                      void *user);
/* True if the state has an edge to itself. */
bool wf_graph_has_loop(const wf_subgraph *graph, uint32_t state);
/* A shortest path from one state to another in the subgraph, without the state at the beginning;
 * *count is 0 if there is none. The list is new; NULL when out of memory. */
uint32_t *wf_graph_path(const wf_subgraph *graph, uint32_t from, uint32_t to, size_t *count);
/* The same from a state back to itself. */
uint32_t *wf_graph_cycle(const wf_subgraph *graph, uint32_t state, size_t *count);
#endif
