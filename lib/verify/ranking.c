#include "verify/ranking.h"

#include "base/memory.h"

/* ---- edges ---- */

/* Its number; WF_NONE if there is none. */
static uint32_t edge_at(const wf_ranking *self, uint32_t state, uint32_t edge)
{
    wf_edges edges = wf_state_space_edges(self->graph->states, state);
    for (uint32_t i = self->first[state]; wf_edges_next(self->graph->states, &edges); i++)
        if (edges.edge == edge)
            return i;
    return WF_NONE;
}

static bool is_cut(const wf_ranking *self, uint32_t edge)
{
    uint32_t step = self->edges[edge];
    bool any = step != WF_NONE;
    for (; step != WF_NONE; step = self->steps[step].next)
        if (!self->steps[step].cut)
            return false;
    return any;
}

static bool has_state(void *user, uint32_t state)
{
    const wf_ranking *self = user;
    return !self->graph->has_state || self->graph->has_state(self->graph->user, state);
}

static bool has_edge(void *user, uint32_t state, uint32_t edge)
{
    const wf_ranking *self = user;
    uint32_t number = edge_at(self, state, edge);
    return number != WF_NONE && !is_cut(self, number) &&
           self->graph->has_edge(self->graph->user, state, edge);
}

static void number_edges(wf_ranking *self)
{
    const wf_state_space *states = self->graph->states;
    uint32_t count = 0;
    for (uint32_t s = 0; s < states->count; s++) {
        wf_edges edges = wf_state_space_edges(states, s);
        self->first[s] = count;
        while (wf_edges_next(states, &edges))
            self->edges[count++] = WF_NONE;
    }
}

/* False when out of memory. */
static bool add_step(wf_ranking *self, uint32_t edge, const wf_measured *made)
{
    wf_ranked_step *steps = wf_grow(self->search->explorer.allocator, self->steps,
                                    &self->step_capacity, self->step_count + 1, sizeof *steps);
    if (!steps)
        return false;
    steps[self->step_count] =
        (wf_ranked_step){.nearer = made->nearer, .away = made->away, .next = self->edges[edge]};
    self->steps = steps;
    self->edges[edge] = (uint32_t)self->step_count++;
    return true;
}

static bool add_steps(wf_ranking *self)
{
    const wf_measures *all = &self->search->measures;
    bool fine = true;
    for (size_t i = 0; i < all->count && fine; i++) {
        const wf_measured *made = &all->list[i];
        uint32_t edge = edge_at(self, made->state, made->edge);
        fine = edge == WF_NONE || add_step(self, edge, made);
    }
    return fine;
}

static bool init(wf_ranking *self, wf_search *search, const wf_subgraph *graph)
{
    const wfsm_allocator *allocator = search->explorer.allocator;
    const size_t states = search->space.count + (size_t)1;
    *self = (wf_ranking){.search = search, .graph = graph};
    self->rest = (wf_subgraph){
        .states = graph->states, .user = self, .has_state = has_state, .has_edge = has_edge};
    self->edges = wf_new(allocator, (search->space.edge_count + 1) * sizeof *self->edges);
    self->first = wf_new(allocator, states * sizeof *self->first);
    self->part = wf_new(allocator, states * sizeof *self->part);
    if (!self->edges || !self->first || !self->part)
        return false;
    number_edges(self);
    return add_steps(self);
}

void wf_ranking_fini(wf_ranking *self)
{
    const wfsm_allocator *allocator = self->search->explorer.allocator;
    wf_free(allocator, self->steps);
    wf_free(allocator, self->edges);
    wf_free(allocator, self->first);
    wf_free(allocator, self->part);
}

/* ---- components ---- */

/* Calls `each` for the edges within the component at hand. */
static void each_edge(wf_ranking *self, uint32_t state,
                      void (*each)(wf_ranking *self, uint32_t edge, uint64_t *away),
                      uint64_t *away)
{
    wf_edges edges = wf_state_space_edges(self->graph->states, state);
    for (uint32_t i = self->first[state]; wf_edges_next(self->graph->states, &edges); i++)
        if (has_edge(self, state, edges.edge) &&
            self->part[edges.edge & WF_EDGE_STATE] == self->parts)
            each(self, i, away);
}

/* Nothing is known of an edge without steps. */
static void collect_away(wf_ranking *self, uint32_t edge, uint64_t *away)
{
    *away |= self->edges[edge] == WF_NONE ? UINT64_MAX : 0;
    for (uint32_t i = self->edges[edge]; i != WF_NONE; i = self->steps[i].next)
        *away |= self->steps[i].cut ? 0 : self->steps[i].away;
}

static void cut_steps(wf_ranking *self, uint32_t edge, uint64_t *away)
{
    for (uint32_t i = self->edges[edge]; i != WF_NONE; i = self->steps[i].next) {
        if (self->steps[i].cut || (self->steps[i].nearer & ~*away) == 0)
            continue;
        self->steps[i].cut = true;
        self->again = true;
    }
}

static bool cut_component(void *user, const uint32_t *members, size_t count)
{
    wf_ranking *self = user;
    uint64_t away = 0;
    if (count == 1 && !wf_graph_has_loop(&self->rest, members[0]))
        return true;
    self->parts++;
    for (size_t i = 0; i < count; i++)
        self->part[members[i]] = self->parts;
    for (size_t i = 0; i < count; i++)
        each_edge(self, members[i], collect_away, &away);
    for (size_t i = 0; i < count; i++)
        each_edge(self, members[i], cut_steps, &away);
    return true;
}

static bool cut(wf_ranking *self)
{
    do {
        self->again = false;
        if (wf_graph_components(&self->rest, cut_component, self) == WF_GRAPH_NO_MEMORY)
            return false;
    } while (self->again);
    return true;
}

bool wf_ranking_begin(wf_ranking *self, wf_search *search, const wf_subgraph *graph)
{
    return init(self, search, graph) && cut(self);
}
