/* verify/components.c: Tarjan's algorithm without recursion, because graphs are deep. */
#include "verify/components.h"

#include <string.h>
#include "base/memory.h"
#include "base/invariant.h"

typedef struct visit {
    uint32_t state;
    uint32_t edge; /* the next one to follow */
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

static uint32_t first_edge(const wf_subgraph *graph, uint32_t state)
{
    return state < graph->begun ? graph->states->first_edge[state] : 0;
}

static uint32_t end_edge(const wf_subgraph *graph, uint32_t state)
{
    return state < graph->begun ? wf_state_space_edges_end(graph->states, state, graph->begun)
                                : 0;
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
    path[self->path_count++] = (visit){state, first_edge(self->graph, state)};
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
        if (top->edge < end_edge(graph, state)) {
            uint32_t edge = graph->states->edges[top->edge++];
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
    for (uint32_t e = first_edge(graph, state); e < end_edge(graph, state); e++)
        if ((graph->states->edges[e] & WF_EDGE_STATE) == state &&
            follows(graph, state, graph->states->edges[e]))
            return true;
    return false;
}

/* ---- cycles ---- */

/* Breadth first; from[s] is the state before s, plus one. */
static bool search_back(const wf_subgraph *graph, uint32_t goal, uint32_t *from,
                        uint32_t *queue)
{
    size_t head = 0, count = 0;
    queue[count++] = goal;
    while (head < count) {
        uint32_t state = queue[head++];
        for (uint32_t e = first_edge(graph, state); e < end_edge(graph, state); e++) {
            uint32_t to = graph->states->edges[e] & WF_EDGE_STATE;
            if (!follows(graph, state, graph->states->edges[e]) || from[to] != 0)
                continue;
            from[to] = state + 1;
            if (to == goal)
                return true;
            queue[count++] = to;
        }
    }
    return false;
}

uint32_t *wf_graph_cycle(const wf_subgraph *graph, uint32_t state, size_t *count)
{
    const wfsm_allocator *allocator = graph->states->allocator;
    size_t bytes = ((size_t)graph->states->count + 1) * sizeof(uint32_t);
    uint32_t *from = wf_new(allocator, bytes), *list = wf_new(allocator, bytes);
    *count = 0;
    if (from && list && search_back(graph, state, from, list)) {
        uint32_t at = state;
        do {
            list[(*count)++] = at;
            at = from[at] - 1;
        } while (at != state);
        for (size_t i = 0; i < *count / 2; i++) {
            uint32_t swap = list[i];
            list[i] = list[*count - 1 - i];
            list[*count - 1 - i] = swap;
        }
    }
    if (!from) {
        wf_free(allocator, list);
        list = NULL;
    }
    wf_free(allocator, from);
    return list;
}
