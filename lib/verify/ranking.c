#include "verify/ranking.h"

#include "base/memory.h"
#include "logic/schema_tree.h"
#include "verify/cone_find.h"
#include "verify/hiding.h"
#include "verify/symbolic_eval.h"

/* ---- measures ---- */

/* Integers beyond it are not exact. */
#define BOUND_MOST 9007199254740992.0 /* 2^53 */

static const wf_schema *integer_schema(const wfsm_machine *machine, uint32_t slot)
{
    const wf_schema *schema = wf_key_schema(machine, slot);
    return schema && schema->types == 1u << WF_INTEGER_TYPE ? schema : NULL;
}

static bool is_bound(const wf_bound *bound)
{
    return bound->set && bound->value >= -BOUND_MOST && bound->value <= BOUND_MOST;
}

bool wf_is_measure(const wfsm_machine *machine, uint32_t slot)
{
    const wf_schema *schema = integer_schema(machine, slot);
    return schema && (is_bound(&schema->maximum) || is_bound(&schema->minimum));
}

static void add_measure(wf_ranking *self, uint32_t part, bool rises)
{
    if (self->measure_count < WF_MEASURES_MOST)
        self->measures[self->measure_count++] = (wf_measure){.part = part, .rises = rises};
}

static void find_measures(wf_ranking *self)
{
    const wfsm_machine *machine = self->search->explorer.machine;
    for (uint32_t i = 0; i < machine->budget_count; i++)
        if (machine->budgets[i].counts == WF_COUNT_ROUNDS)
            add_measure(self, machine->keys.count + i, true);
    for (uint32_t i = 0; i < machine->keys.count; i++) {
        const wf_schema *schema = integer_schema(machine, i);
        if (schema && is_bound(&schema->maximum))
            add_measure(self, i, true);
        if (schema && is_bound(&schema->minimum))
            add_measure(self, i, false);
    }
}

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
    self->visited = wf_new(allocator, states);
    if (!self->edges || !self->first || !self->part || !self->visited)
        return false;
    number_edges(self);
    find_measures(self);
    return true;
}

void wf_ranking_fini(wf_ranking *self)
{
    const wfsm_allocator *allocator = self->search->explorer.allocator;
    wf_free(allocator, self->steps);
    wf_free(allocator, self->edges);
    wf_free(allocator, self->first);
    wf_free(allocator, self->part);
    wf_free(allocator, self->visited);
}

/* ---- what a step does to a measure ---- */

typedef struct change {
    bool rises, falls;         /* certainly */
    bool may_rise, may_fall;
} change;

static const change unchanged = {0};

static bool is_less(wf_symbolic *self, const wf_value *a, const wf_value *b, bool *known)
{
    const wf_literal literal = {.kind = WF_IS_TRUE,
                                .term = wf_symbolic_compared(self, "<", a, b)};
    bool yes = false;
    *known = literal.term != WF_NONE && wf_decide_follows(self, &literal, &yes);
    return *known && yes;
}

static change change_of(wf_symbolic *self, const wf_value *before, const wf_value *after)
{
    change made = {0};
    bool known;
    made.rises = is_less(self, before, after, &known);
    made.may_rise = made.rises || !known;
    made.falls = is_less(self, after, before, &known);
    made.may_fall = made.falls || !known;
    return made;
}

static bool is_same(const wf_value *a, const wf_value *b)
{
    wf_term one, other;
    if (wf_symbolic_term(a, &one) && wf_symbolic_term(b, &other))
        return one == other;
    return a->type == WF_NUMBER && b->type == WF_NUMBER && a->as.number == b->as.number;
}

static change change_of_key(const wf_ranking *self, const wf_measure *measure)
{
    const wf_value *after = &self->search->explorer.snapshot.slots[measure->part];
    return is_same(&measure->value, after)
               ? unchanged
               : change_of(self->search->symbolic, &measure->value, after);
}

static change change_of_budget(const wf_ranking *self, uint32_t budget)
{
    const wf_explorer *explorer = &self->search->explorer;
    const wf_list list = wf_draft_before(&explorer->step, WF_BUDGETS);
    const wf_spent *before = wf_spent_at(&list, budget);
    const wf_spent *after = wf_spent_at(&explorer->snapshot.extras->budgets, budget);
    bool rises = after->used > before->used && after->limit == before->limit;
    bool same = after->used == before->used && after->limit == before->limit;
    return (change){.rises = rises, .may_rise = !same, .may_fall = !rises && !same};
}

static wf_ranked_step effect_of(const wf_ranking *self)
{
    const uint32_t keys = self->search->explorer.machine->keys.count;
    wf_ranked_step made = {.next = WF_NONE};
    for (uint32_t i = 0; i < self->measure_count; i++) {
        const wf_measure *measure = &self->measures[i];
        change one = measure->part < keys ? change_of_key(self, measure)
                                          : change_of_budget(self, measure->part - keys);
        made.nearer |= (uint64_t)(measure->rises ? one.rises : one.falls) << i;
        made.away |= (uint64_t)(measure->rises ? one.may_fall : one.may_rise) << i;
    }
    return made;
}

/* False when out of memory. */
static bool add_step(wf_ranking *self, uint32_t edge, wf_ranked_step made)
{
    for (uint32_t i = self->edges[edge]; i != WF_NONE; i = self->steps[i].next)
        if (self->steps[i].nearer == made.nearer && self->steps[i].away == made.away)
            return true;
    wf_ranked_step *steps = wf_grow(self->search->explorer.allocator, self->steps,
                                    &self->step_capacity, self->step_count + 1, sizeof *steps);
    if (!steps)
        return false;
    made.next = self->edges[edge];
    steps[self->step_count] = made;
    self->steps = steps;
    self->edges[edge] = (uint32_t)self->step_count++;
    return true;
}

static int32_t note_step(void *user, wf_explorer *explorer, const wf_successor *successor)
{
    wf_ranking *self = user;
    uint32_t to =
        wf_state_space_find(&self->search->space, explorer->key, explorer->key_length);
    uint32_t outside = successor->input.kind >= WF_INPUT_EVENT ? (uint32_t)WF_EDGE_OUTSIDE : 0;
    uint32_t edge =
        successor->changed && to != WF_NONE ? edge_at(self, self->at, to | outside) : WF_NONE;
    if (edge == WF_NONE)
        return WFSM_OK;
    bool fine = add_step(self, edge, effect_of(self));
    return fine && !wf_symbolic_failed(self->search->symbolic) ? WFSM_OK : WFSM_NO_MEMORY;
}

/* ---- components ---- */

static bool visit(wf_ranking *self, uint32_t state)
{
    wf_explorer *explorer = &self->search->explorer;
    const uint32_t keys = explorer->machine->keys.count;
    size_t length;
    const uint8_t *key = wf_state_space_key(&self->search->space, state, &length);
    if (self->visited[state])
        return true;
    if (wf_state_key_restore(explorer, key, length) != WFSM_OK)
        return false;
    for (uint32_t i = 0; i < self->measure_count; i++)
        if (self->measures[i].part < keys)
            self->measures[i].value = explorer->snapshot.slots[self->measures[i].part];
    self->visited[state] = 1;
    self->at = state;
    return wf_successors_of_state(explorer, key, length, note_step, self) == WFSM_OK;
}

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
    for (size_t i = 0; i < count; i++) {
        self->part[members[i]] = self->parts;
        if (!visit(self, members[i]))
            return !(self->failed = true);
    }
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
    } while (self->again && !self->failed);
    return !self->failed;
}

bool wf_ranking_begin(wf_ranking *self, wf_search *search, const wf_subgraph *graph)
{
    return init(self, search, graph) && cut(self);
}
