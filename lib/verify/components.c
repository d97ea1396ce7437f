/* verify/components.c: Tarjan's algorithm without recursion, because graphs are deep. */
#include "verify/components.h"

#include <string.h>
#include "base/memory.h"
#include "base/invariant.h"

typedef struct visit {
    uint32_t state;
    wf_edges edges; /* those that are not followed yet */
} visit;

typedef struct search {
    const wf_subgraph *graph;
    uint32_t *
        order; /* of discovery, from 1; 0: not discovered; WF_NONE: its component is complete */
    uint32_t *low;
    uint32_t *stack; /* discovered, component not complete */
    size_t stack_count;
    visit *path;
    size_t path_count, path_capacity;
    uint32_t found;
} search;

static bool has_state(const wf_subgraph *graph, uint32_t state)
{
    return !graph->has_state || graph->has_state(graph->user, state);
}

static bool follows(const wf_subgraph *graph, uint32_t state, uint32_t edge)
{
    return graph->has_edge(graph->user, state, edge) && has_state(graph, edge & WF_EDGE_STATE);
}

static bool enter(search *self, uint32_t state)
{
    visit *path = wf_grow(self->graph->states->allocator, self->path, &self->path_capacity,
                          self->path_count + 1, sizeof *path);
    if (!path)
        return false;
    self->path = path;
    path[self->path_count++] = (visit){state, wf_state_space_edges(self->graph->states, state)};
    self->order[state] = self->low[state] = ++self->found;
    self->stack[self->stack_count++] = state;
    return true;
}

static void lower(uint32_t *low, uint32_t to)
{
    if (to < *low)
        *low = to;
}

/* The members of the component are on top of the stack. */
static bool leave(search *self, uint32_t state, wf_component_sink *sink, void *user)
{
    size_t from = self->stack_count;
    WF_INVARIANT(self->low[state] <= self->order[state]);
    if (self->low[state] != self->order[state])
        return true;
    do {
        self->order[self->stack[--from]] = WF_NONE;
    } while (self->stack[from] != state);
    size_t count = self->stack_count - from;
    self->stack_count = from;
    return sink(user, self->stack + from, count);
}

static enum wf_graph_end walk(search *self, wf_component_sink *sink, void *user)
{
    const wf_subgraph *graph = self->graph;
    while (self->path_count > 0) {
        WF_INVARIANT(self->path_count <= self->stack_count);
        visit *top = &self->path[self->path_count - 1];
        uint32_t state = top->state;
        if (wf_edges_next(graph->states, &top->edges)) {
            uint32_t edge = top->edges.edge;
            uint32_t to = edge & WF_EDGE_STATE;
            if (!follows(graph, state, edge))
                continue;
            if (self->order[to] == 0 && !enter(self, to))
                return WF_GRAPH_NO_MEMORY;
            if (self->order[to] != WF_NONE)
                lower(&self->low[state], self->order[to]);
            continue;
        }
        self->path_count--;
        if (self->path_count > 0)
            lower(&self->low[self->path[self->path_count - 1].state], self->low[state]);
        if (!leave(self, state, sink, user))
            return WF_GRAPH_STOPPED;
    }
    return WF_GRAPH_DONE;
}

static enum wf_graph_end walk_all(search *self, wf_component_sink *sink, void *user)
{
    enum wf_graph_end end = WF_GRAPH_DONE;
    uint32_t count = self->graph->states->count;
    for (uint32_t s = 0; s < count && end == WF_GRAPH_DONE; s++) {
        if (self->order[s] != 0 || !has_state(self->graph, s))
            continue;
        end = enter(self, s) ? walk(self, sink, user) : WF_GRAPH_NO_MEMORY;
    }
    return end;
}

enum wf_graph_end wf_graph_components(const wf_subgraph *graph, wf_component_sink *sink,
                                      void *user)
{
    const wfsm_allocator *allocator = graph->states->allocator;
    size_t bytes = graph->states->count * sizeof(uint32_t);
    search self = {.graph = graph};
    self.order = wf_new(allocator, bytes);
    self.low = wf_new(allocator, bytes);
    self.stack = wf_new(allocator, bytes);
    enum wf_graph_end end = WF_GRAPH_NO_MEMORY;
    if (self.order && self.low && self.stack)
        end = walk_all(&self, sink, user);
    wf_free(allocator, self.order);
    wf_free(allocator, self.low);
    wf_free(allocator, self.stack);
    wf_free(allocator, self.path);
    return end;
}

bool wf_graph_has_loop(const wf_subgraph *graph, uint32_t state)
{
    wf_edges edges = wf_state_space_edges(graph->states, state);
    while (wf_edges_next(graph->states, &edges))
        if ((edges.edge & WF_EDGE_STATE) == state && follows(graph, state, edges.edge))
            return true;
    return false;
}

/* ---- cycles ---- */

/* Breadth first; from[s] is the state before s, plus one. */
static bool search_path(const wf_subgraph *graph, uint32_t start, uint32_t goal, uint32_t *from,
                        uint32_t *queue)
{
    size_t head = 0, count = 0;
    queue[count++] = start;
    while (head < count) {
        uint32_t state = queue[head++];
        wf_edges edges = wf_state_space_edges(graph->states, state);
        while (wf_edges_next(graph->states, &edges)) {
            uint32_t to = edges.edge & WF_EDGE_STATE;
            if (!follows(graph, state, edges.edge) || from[to] != 0)
                continue;
            from[to] = state + 1;
            if (to == goal)
                return true;
            queue[count++] = to;
        }
    }
    return false;
}

/* The states from the goal back to the start, the other way round. */
static size_t collect(uint32_t *list, const uint32_t *from, uint32_t start, uint32_t goal)
{
    size_t count = 0;
    uint32_t at = goal;
    do {
        list[count++] = at;
        at = from[at] - 1;
    } while (at != start);
    for (size_t i = 0; i < count / 2; i++) {
        uint32_t swap = list[i];
        list[i] = list[count - 1 - i];
        list[count - 1 - i] = swap;
    }
    return count;
}

uint32_t *wf_graph_path(const wf_subgraph *graph, uint32_t from, uint32_t to, size_t *count)
{
    const wfsm_allocator *allocator = graph->states->allocator;
    size_t bytes = ((size_t)graph->states->count + 1) * sizeof(uint32_t);
    uint32_t *before = wf_new(allocator, bytes), *list = wf_new(allocator, bytes);
    *count = 0;
    if (before && list && search_path(graph, from, to, before, list))
        *count = collect(list, before, from, to);
    if (!before) {
        wf_free(allocator, list);
        list = NULL;
    }
    wf_free(allocator, before);
    return list;
}

uint32_t *wf_graph_cycle(const wf_subgraph *graph, uint32_t state, size_t *count)
{
    return wf_graph_path(graph, state, state, count);
}
