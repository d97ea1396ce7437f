/* verify/fair_cycle.c: looks for a cycle that passes over no process. Of weak fairness, a strongly connected
 * component contains one if all of it passes over none: what a part of it serves, the whole serves,
 * too. Of strong fairness, the states where somebody can act who never does are taken out, and what
 * is left is examined again. */
#include "verify/fairness.h"

#include <string.h>
#include "base/memory.h"
#include "base/invariant.h"

/* ---- components ---- */

static void number(wf_fairness *self, const uint32_t *members, size_t count)
{
    self->parts++;
    for (size_t i = 0; i < count; i++)
        self->part[members[i]] = self->parts;
}

static bool in_part(void *user, uint32_t state)
{
    const wf_fairness *self = user;
    return self->part[state] == self->part[self->first];
}

static bool has_edge(void *user, uint32_t state, uint32_t edge)
{
    const wf_fairness *self = user;
    return self->graph->has_edge(self->graph->user, state, edge);
}

/* The part that the state `first` belongs to. */
static wf_subgraph part_of(wf_fairness *self)
{
    return (wf_subgraph){.states = self->graph->states,
                         .user = self,
                         .has_state = in_part,
                         .has_edge = has_edge};
}

static uint32_t smallest(const uint32_t *members, size_t count)
{
    uint32_t first = members[0];
    for (size_t i = 1; i < count; i++)
        first = members[i] < first ? members[i] : first;
    return first;
}

static bool keep_best(wf_fairness *self, const uint32_t *members, size_t count)
{
    const wfsm_allocator *allocator = self->search->explorer.allocator;
    uint32_t *copy = wf_new(allocator, count * sizeof *copy);
    if (!copy)
        return false;
    memcpy(copy, members, count * sizeof *copy);
    wf_free(allocator, self->best);
    self->best = copy;
    self->best_count = count;
    self->best_instant = self->instant;
    self->first = smallest(members, count);
    return true;
}

static bool examine(wf_fairness *self, const uint32_t *members, size_t count);

/* ---- strong fairness ---- */

typedef struct remains {
    wf_fairness *fairness;
    uint32_t part;
} remains;

static bool remains_state(void *user, uint32_t state)
{
    const remains *self = user;
    return self->fairness->part[state] == self->part;
}

static bool remains_edge(void *user, uint32_t state, uint32_t edge)
{
    const remains *self = user;
    return has_edge(self->fairness, state, edge);
}

static wf_subgraph graph_of(const remains *self)
{
    return (wf_subgraph){.states = self->fairness->graph->states,
                         .user = (void *)self,
                         .has_state = remains_state,
                         .has_edge = remains_edge};
}

static bool examine_rest(void *user, const uint32_t *members, size_t count)
{
    const remains *self = user;
    wf_subgraph graph = graph_of(self);
    if (count == 1 && !wf_graph_has_loop(&graph, members[0]))
        return true;
    return examine(self->fairness, members, count);
}

/* Takes out the states where somebody is enabled who never acts. */
static bool take_out(wf_fairness *self, const uint32_t *members, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!wf_fairness_visit(self, members[i]))
            return false;
        for (uint32_t w = 0; w < self->words; w++)
            if (self->ready[w] & self->able[w] & ~self->acted[w])
                self->part[members[i]] = 0;
    }
    return true;
}

static bool examine_less(wf_fairness *self, const uint32_t *members, size_t count)
{
    remains rest = {self, self->parts};
    if (!take_out(self, members, count))
        return !(self->failed = true);
    wf_subgraph graph = graph_of(&rest);
    enum wf_graph_end end = wf_graph_components(&graph, examine_rest, &rest);
    self->failed |= end == WF_GRAPH_NO_MEMORY;
    return !self->failed;
}

/* ---- cycles that take no time ---- */

static bool examine_instant(void *user, const uint32_t *members, size_t count)
{
    const remains *rest = user;
    wf_fairness *self = rest->fairness;
    wf_subgraph graph = graph_of(rest);
    bool later = self->first != WF_NONE && smallest(members, count) > self->first;
    if (later || (count == 1 && !wf_graph_has_loop(&graph, members[0])))
        return true;
    number(self, members, count);
    self->instant = true;
    bool fine = wf_fairness_visit_part(self, members, count) &&
                (wf_fairness_passed_over(self) != WF_NONE || keep_best(self, members, count));
    self->instant = false;
    self->failed |= !fine;
    return fine;
}

/* A punctual host fires what is due before anything else happens, also if that never ends. */
static bool examine_instants(wf_fairness *self, const uint32_t *members, size_t count)
{
    remains rest = {self, self->parts};
    wf_subgraph graph = graph_of(&rest);
    for (size_t i = 0; i < count; i++) {
        if (!wf_fairness_enter(self, members[i]))
            return !(self->failed = true);
        if (self->waits)
            self->part[members[i]] = 0;
    }
    enum wf_graph_end end = wf_graph_components(&graph, examine_instant, &rest);
    self->failed |= end == WF_GRAPH_NO_MEMORY;
    return !self->failed;
}

/* ---- both ---- */

/* False ends it. */
static bool examine(wf_fairness *self, const uint32_t *members, size_t count)
{
    if (self->first != WF_NONE && smallest(members, count) > self->first)
        return true;
    number(self, members, count);
    if (!wf_fairness_visit_part(self, members, count))
        return !(self->failed = true);
    if (wf_fairness_weakly_passed_over(self) != WF_NONE)
        return !self->search->explorer.times.punctual || examine_instants(self, members, count);
    if (wf_fairness_passed_over(self) != WF_NONE)
        return examine_less(self, members, count);
    return keep_best(self, members, count) || !(self->failed = true);
}

bool wf_is_fair_part(wf_fairness *self, const uint32_t *members, size_t count, bool *fair)
{
    self->first = WF_NONE;
    (void)examine(self, members, count);
    *fair = self->first != WF_NONE;
    return !self->failed;
}

static bool examine_component(void *user, const uint32_t *members, size_t count)
{
    wf_fairness *self = user;
    if (count == 1 && !wf_graph_has_loop(self->graph, members[0]))
        return true;
    return examine(self, members, count);
}

/* ---- the cycle ---- */

typedef struct walk {
    wf_fairness *fairness;
    uint32_t *states;
    size_t count, capacity;
} walk;

static bool add_state(walk *self, uint32_t state)
{
    uint32_t *states = wf_grow(self->fairness->search->explorer.allocator, self->states,
                               &self->capacity, self->count + 1, sizeof *states);
    if (!states)
        return false;
    self->states = states;
    states[self->count++] = state;
    return true;
}

/* A shortest way within the part. */
static bool go_to(walk *self, uint32_t from, uint32_t to)
{
    const wfsm_allocator *allocator = self->fairness->search->explorer.allocator;
    wf_subgraph graph = part_of(self->fairness);
    size_t count = 0;
    uint32_t *path = wf_graph_path(&graph, from, to, &count);
    bool fine = path != NULL;
    for (size_t i = 0; i < count && fine; i++)
        fine = add_state(self, path[i]);
    wf_free(allocator, path);
    return fine;
}

/* One more round, in which the process is served. */
static bool serve(walk *self, uint32_t process)
{
    uint32_t first = self->fairness->first;
    wf_witness witness = self->fairness->witnesses[process];
    WF_INVARIANT(witness.from != WF_NONE);
    if (witness.from != first && !go_to(self, first, witness.from))
        return false;
    if (witness.step && !add_state(self, witness.to))
        return false;
    return witness.to == first || go_to(self, witness.to, first);
}

static bool walk_round(walk *self)
{
    wf_fairness *fairness = self->fairness;
    uint32_t process = WF_NONE;
    number(fairness, fairness->best, fairness->best_count);
    fairness->instant = fairness->best_instant;
    if (!wf_fairness_visit_part(fairness, fairness->best, fairness->best_count) ||
        !go_to(self, fairness->first, fairness->first))
        return false;
    for (uint32_t i = 0; i <= fairness->count; i++) {
        if (!wf_fairness_visit_cycle(fairness, self->states, self->count))
            return false;
        process = wf_fairness_passed_over(fairness);
        if (process == WF_NONE)
            return true;
        if (!serve(self, process))
            return false;
    }
    return true;
}

static bool examine_all(wf_fairness *self, bool certainly)
{
    self->first = WF_NONE;
    self->instant = false;
    self->certainly = certainly;
    enum wf_graph_end end = wf_graph_components(self->graph, examine_component, self);
    return end != WF_GRAPH_NO_MEMORY && !self->failed;
}

bool wf_fair_cycle(wf_fairness *self, wf_search_diagnostic *found)
{
    walk round = {.fairness = self};
    if (!examine_all(self, false))
        return false;
    if (self->first == WF_NONE && self->differs && !examine_all(self, true))
        return false;
    if (self->first == WF_NONE)
        return true;
    found->unsure = self->certainly;
    bool fine = walk_round(&round);
    found->state = self->first;
    found->cycle = round.states;
    found->cycle_count = (uint32_t)round.count;
    if (fine)
        wf_fairness_cycle_cause(self, found);
    return fine;
}
