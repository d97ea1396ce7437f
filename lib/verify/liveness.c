/* verify/liveness.c: diagnostics that need the whole graph: states that cannot reach an end, and cycles
 * that can last for ever. */
#include "verify/liveness.h"

#include "base/memory.h"
#include "verify/components.h"
#include "verify/fairness.h"
#include "verify/ranking.h"
#include "base/invariant.h"

static uint16_t flags_of(const wf_search *self, uint32_t state)
{
    return self->space.flags[state];
}

/* The last active state of a key. */
static uint32_t leaf_of(wf_search *self, uint32_t state)
{
    size_t length;
    const uint8_t *key = wf_state_space_key(&self->space, state, &length);
    for (uint32_t i = self->explorer.state_bytes; i-- > 0;)
        if (key[1 + i] != 0)
            return i * 8 + 31 - (uint32_t)__builtin_clz(key[1 + i]);
    return 0;
}

static wf_subgraph subgraph(wf_search *self, void *user)
{
    return (wf_subgraph){.states = &self->space, .user = user};
}

/* ---- no end ---- */

static bool any_edge(void *user, uint32_t state, uint32_t edge)
{
    (void)user, (void)state, (void)edge;
    return true;
}

static bool leads_to_end(const wf_search *self, uint32_t state)
{
    if (flags_of(self, state) &
        (WF_FLAG_DONE | WF_FLAG_TERMINAL | WF_FLAG_CUT | WF_FLAG_UNTRIED))
        return true;
    wf_edges edges = wf_state_space_edges(&self->space, state);
    while (wf_edges_next(&self->space, &edges))
        if (flags_of(self, edges.edge & WF_EDGE_STATE) & WF_FLAG_MARK)
            return true;
    return false;
}

/* The components that this one leads to were visited before. */
static bool mark_end(void *user, const uint32_t *members, size_t count)
{
    wf_search *self = user;
    bool ends = false;
    for (size_t i = 0; i < count && !ends; i++)
        ends = leads_to_end(self, members[i]);
    for (size_t i = 0; i < count && ends; i++)
        self->space.flags[members[i]] |= WF_FLAG_MARK;
    return true;
}

static bool note_state(wf_search *self, uint8_t rule, uint32_t subject, uint32_t state)
{
    return wf_search_report(
        self, (wf_search_diagnostic){
                  .rule = rule, .at_state = true, .subject = subject, .state = state});
}

static bool has_end(const wf_search *self)
{
    for (uint32_t s = 0; s < self->space.count; s++)
        if (flags_of(self, s) & (WF_FLAG_DONE | WF_FLAG_TERMINAL))
            return true;
    return false;
}

bool wf_moves_nowhere(const wf_search *self, uint32_t state)
{
    wf_edges edges = wf_state_space_edges(&self->space, state);
    while (wf_edges_next(&self->space, &edges))
        if (edges.edge != (state | (uint32_t)WF_EDGE_OUTSIDE))
            return false;
    return true;
}

/* Not for a machine that has no end at all. Deadlocks were reported by the search. */
static bool find_no_end(wf_search *self)
{
    wf_subgraph graph = subgraph(self, self);
    WF_INVARIANT(self->at == self->space.count);
    graph.has_edge = any_edge;
    if (!has_end(self))
        return true;
    if (wf_graph_components(&graph, mark_end, self) == WF_GRAPH_NO_MEMORY)
        return false;
    for (uint32_t s = 0; s < self->space.count; s++) {
        bool ends = (flags_of(self, s) & WF_FLAG_MARK) != 0;
        self->space.flags[s] &= (uint16_t)~WF_FLAG_MARK;
        if (!ends && !wf_moves_nowhere(self, s) &&
            !note_state(self, WF_RULE_NO_END, leaf_of(self, s), s))
            return false;
    }
    return true;
}

/* ---- cycles ---- */

typedef struct rounds {
    wf_search *self;
    wf_subgraph graph;
    wf_fairness fairness;
    uint8_t rule;
    uint32_t subject; /* WF_NONE: the state */
    bool failed;
} rounds;

static bool is_inside(void *user, uint32_t state, uint32_t edge)
{
    (void)user, (void)state;
    return (edge & (uint32_t)WF_EDGE_OUTSIDE) == 0;
}

/* A cycle through an end, or through a state that waits for a person, is no livelock. */
static bool is_busy(void *user, uint32_t state)
{
    const rounds *all = user;
    return (flags_of(all->self, state) & (WF_FLAG_TERMINAL | WF_FLAG_AWAITING)) == 0;
}

static wf_search_diagnostic *find_like(wf_search *self, const wf_search_diagnostic *like)
{
    for (size_t i = 0; i < self->found_count; i++)
        if (self->found[i].rule == like->rule && self->found[i].subject == like->subject)
            return &self->found[i];
    return NULL;
}

/* A timer that stays set, or an agent at work, ends a round that passes over it. */
static bool continues_for_ever(rounds *all, const uint32_t *members, size_t count)
{
    bool fair = true;
    if (all->self->options.fairness != WFSM_FAIRNESS_NONE &&
        !wf_is_fair_part(&all->fairness, members, count, &fair))
        all->failed = true;
    return fair;
}

/* Of several cycles with one subject, the one whose first state has the smallest number: its
 * trace is the shortest. */
static bool note_round(void *user, const uint32_t *members, size_t count)
{
    rounds *all = user;
    uint32_t first = members[0];
    for (size_t i = 1; i < count; i++)
        if (members[i] < first)
            first = members[i];
    if (count == 1 && !wf_graph_has_loop(&all->graph, first))
        return true;
    if (!continues_for_ever(all, members, count))
        return true;
    wf_search_diagnostic diagnostic = {
        .rule = all->rule, .at_state = true, .state = first, .round = true};
    diagnostic.subject = all->subject == WF_NONE ? leaf_of(all->self, first) : all->subject;
    wf_search_diagnostic *before = find_like(all->self, &diagnostic);
    if (!before)
        return wf_search_report(all->self, diagnostic) || !(all->failed = true);
    if (before->round && first < before->state)
        before->state = first;
    return true;
}

static bool add_cycles(const rounds *all)
{
    wf_search *self = all->self;
    for (size_t i = 0; i < self->found_count; i++) {
        wf_search_diagnostic *diagnostic = &self->found[i];
        bool mine = diagnostic->rule == all->rule &&
                    (all->subject == WF_NONE || diagnostic->subject == all->subject);
        size_t length = 0;
        if (!diagnostic->round || !mine)
            continue;
        diagnostic->cycle = wf_graph_cycle(&all->graph, diagnostic->state, &length);
        diagnostic->cycle_count = (uint32_t)length;
        if (!diagnostic->cycle)
            return false;
    }
    return true;
}

static bool find_cycles(rounds *all)
{
    return wf_graph_components(&all->graph, note_round, all) != WF_GRAPH_NO_MEMORY &&
           !all->failed && add_cycles(all);
}

/* Where values are hidden, a cycle may be one that comes to an end. */
static bool find_lasting_cycles(rounds *all)
{
    wf_ranking ranking;
    const wf_subgraph whole = all->graph;
    bool fine = wf_ranking_begin(&ranking, all->self, &whole);
    all->graph = ranking.rest;
    fine = fine && find_cycles(all);
    all->graph = whole;
    wf_ranking_fini(&ranking);
    return fine;
}

static bool find_livelocks(wf_search *self)
{
    rounds all = {.self = self, .rule = WF_RULE_LIVELOCK, .subject = WF_NONE};
    all.graph = subgraph(self, &all);
    all.graph.has_state = is_busy;
    all.graph.has_edge = is_inside;
    bool fine = wf_fairness_init(&all.fairness, self, &all.graph);
    all.fairness.certainly = true;
    fine = fine && (wf_search_hides(self) ? find_lasting_cycles(&all) : find_cycles(&all));
    wf_fairness_fini(&all.fairness);
    return fine;
}

bool wf_find_cycles(wf_search *self)
{
    return wf_find_pending(self) &&
           (!wf_search_asks(self, WF_RULE_LIVELOCK) || find_livelocks(self));
}

/* ---- what never happened ---- */

static bool is_default(const wfsm_machine *machine, uint32_t transition)
{
    return machine->states[machine->transitions[transition].source].initial == transition;
}

static bool is_history(const wf_state *state)
{
    return state->type == WF_SHALLOW || state->type == WF_DEEP;
}

static bool note_dead(wf_search *self, uint8_t rule, uint32_t subject)
{
    return wf_search_report(
        self, (wf_search_diagnostic){.rule = rule, .subject = subject, .state = WF_NONE});
}

static bool find_dead(wf_search *self)
{
    const wfsm_machine *machine = self->explorer.machine;
    bool fine = true; /* the root is entered unless no start succeeds, which is an error */
    for (uint32_t s = 1; s < machine->state_count && fine; s++)
        if (!wf_set_has(self->reached, s) && !is_history(&machine->states[s]) &&
            wf_set_has(self->reached, machine->states[s].parent))
            fine = note_dead(self, WF_RULE_DEAD_STATE, s);
    for (uint32_t t = 0; t < machine->transition_count && fine; t++)
        if (!self->taken[t] && !is_default(machine, t) &&
            wf_set_has(self->reached, machine->transitions[t].source))
            fine = note_dead(self, WF_RULE_DEAD_TRANSITION, t);
    for (uint32_t i = 0; i < machine->property_count && fine; i++)
        if (machine->properties[i].kind == WF_REACHABLE && !self->held[i])
            fine = note_dead(self, WF_RULE_UNREACHED, i);
    return fine;
}

bool wf_find_never_seen(wf_search *self)
{
    bool dead = wf_search_asks(self, WF_RULE_DEAD_STATE) && !self->explorer.undecided.is;
    return (!dead || find_dead(self)) &&
           (!wf_search_asks(self, WF_RULE_NO_END) || find_no_end(self));
}
