/* verify/fairness.c: which processes act within a part of the graph, and which are passed over. */
#include "verify/fairness.h"

#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/invariant.h"

enum { SETS = 15 };

static void list_sets(wf_fairness *self, uint64_t **sets[SETS])
{
    uint64_t **const all[SETS] = {
        &self->here, &self->sure,      &self->ready,  &self->ready_sure, &self->always,
        &self->ever, &self->able,      &self->served, &self->acted,      &self->acting,
        &self->gone, &self->answering, &self->heard,  &self->certain,    &self->seen};
    memcpy(sets, all, sizeof all);
}

bool wf_fairness_init(wf_fairness *self, wf_search *search, const wf_subgraph *graph)
{
    const wfsm_allocator *allocator = search->explorer.allocator;
    uint64_t **sets[SETS];
    bool fine = true;
    *self = (wf_fairness){.search = search, .graph = graph, .next = WF_NONE};
    self->strong = search->options.fairness == WFSM_FAIRNESS_STRONG;
    fine = wf_processes_number(self);
    list_sets(self, sets);
    for (size_t i = 0; i < SETS; i++) {
        *sets[i] = wf_new(allocator, self->words * sizeof(uint64_t));
        fine &= *sets[i] != NULL;
    }
    self->witnesses = wf_new(allocator, self->count * sizeof *self->witnesses);
    self->part = wf_new(allocator, (size_t)search->space.count * sizeof *self->part);
    return fine && self->witnesses && (self->part || search->space.count == 0);
}

void wf_fairness_fini(wf_fairness *self)
{
    const wfsm_allocator *allocator = self->search->explorer.allocator;
    uint64_t **sets[SETS];
    list_sets(self, sets);
    for (size_t i = 0; i < SETS; i++)
        wf_free(allocator, *sets[i]);
    wf_free(allocator, self->asking);
    wf_free(allocator, self->witnesses);
    wf_free(allocator, self->part);
    wf_free(allocator, self->best);
}

bool wf_fairness_idle(const wf_fairness *self)
{
    for (uint32_t w = 0; w < self->words; w++)
        if (self->here[w])
            return false;
    return true;
}

/* ---- the moves of a state ---- */

/* Of the graph that is examined. */
static bool is_edge(const wf_fairness *self, uint32_t to, bool outside)
{
    const wf_state_space *states = self->graph->states;
    uint32_t edge = to | (outside ? (uint32_t)WF_EDGE_OUTSIDE : 0);
    if (!self->graph->has_edge(self->graph->user, self->at, edge))
        return false;
    wf_edges edges = wf_state_space_edges(states, self->at);
    while (wf_edges_next(states, &edges))
        if (edges.edge == edge)
            return true;
    return false;
}

static bool counts(const wf_fairness *self, const wf_successor *successor, uint32_t *to)
{
    const wf_explorer *explorer = &self->search->explorer;
    if (!successor->changed || successor->input.kind > WF_INPUT_EVENT)
        return false;
    *to = wf_state_space_find(&self->search->space, explorer->key, explorer->key_length);
    if (*to == WF_NONE || !is_edge(self, *to, successor->input.kind == WF_INPUT_EVENT))
        return false;
    return self->next == WF_NONE ? self->part[*to] == self->part[self->at] : *to == self->next;
}

/* Whatever the values, the input before this one was an answer to these people. */
static void end_input(wf_fairness *self)
{
    for (uint32_t w = 0; w < self->words; w++) {
        self->sure[w] |= self->certain[w] & self->here[w];
        self->ready_sure[w] |= self->certain[w] & self->ready[w];
        self->certain[w] = UINT64_MAX;
    }
}

static void note_input(wf_fairness *self, const wf_successor *successor)
{
    if (successor->first)
        end_input(self);
    wf_processes_answering(self, successor);
    wf_processes_ways(self, successor);
    for (uint32_t w = 0; w < self->words; w++) {
        self->heard[w] |= self->answering[w];
        self->certain[w] &= self->answering[w];
    }
}

/* Of the processes of one word of a set. */
static void bear_witness(wf_fairness *self, uint32_t word, uint64_t processes,
                         wf_witness witness)
{
    self->seen[word] |= processes;
    for (uint32_t i = 0; processes != 0; i++, processes >>= 1)
        if (processes & 1 && word * 64 + i < self->count)
            self->witnesses[word * 64 + i] = witness;
}

/* For weak fairness, a process that was withdrawn is served. A step in which it acts is the better witness. */
static int32_t note_step(void *user, wf_explorer *explorer, const wf_successor *successor)
{
    wf_fairness *self = user;
    uint32_t to = WF_NONE;
    (void)explorer;
    note_input(self, successor);
    if (!counts(self, successor, &to))
        return WFSM_OK;
    wf_processes_acting(self, successor);
    wf_processes_gone(self);
    const wf_witness witness = {self->at, to, true};
    for (uint32_t w = 0; w < self->words; w++) {
        uint64_t acts = (self->here[w] | self->ready[w]) & self->acting[w];
        uint64_t gone = self->here[w] & self->gone[w] & ~acts;
        if (self->next == WF_NONE) {
            bear_witness(self, w, acts & ~self->acted[w], witness);
            bear_witness(self, w, gone & ~self->seen[w], witness);
        }
        self->acted[w] |= acts;
        self->served[w] |= acts | gone;
    }
    return WFSM_OK;
}

/* For weak fairness, a state where it is not enabled is a witness, too. */
static void note_state(wf_fairness *self)
{
    for (uint32_t w = 0; w < self->words; w++) {
        self->differs |= (self->here[w] & ~self->sure[w]) != 0 ||
                         (self->strong && (self->ready[w] & ~self->ready_sure[w]) != 0);
        if (self->certainly) {
            self->here[w] &= self->sure[w];
            self->ready[w] &= self->ready_sure[w];
        }
        if (self->next == WF_NONE)
            bear_witness(self, w, ~self->here[w] & ~self->seen[w],
                         (wf_witness){self->at, self->at, false});
        self->always[w] &= self->here[w];
        self->ever[w] |= self->here[w];
        self->able[w] |= self->ready[w];
    }
}

static void begin(wf_fairness *self)
{
    wf_set_clear(self->served, self->words);
    wf_set_clear(self->acted, self->words);
    wf_set_clear(self->ever, self->words);
    wf_set_clear(self->able, self->words);
    wf_set_clear(self->seen, self->words);
    for (uint32_t w = 0; w < self->words; w++)
        self->always[w] = UINT64_MAX;
}

bool wf_fairness_visit(wf_fairness *self, uint32_t state)
{
    wf_search *search = self->search;
    size_t length;
    const uint8_t *key = wf_state_space_key(&search->space, state, &length);
    if (!wf_fairness_enter(self, state))
        return false;
    wf_set_clear(self->heard, self->words);
    wf_set_clear(self->certain, self->words);
    wf_ways_clear(&self->ways);
    bool fine =
        wf_successors_of_state(&search->explorer, key, length, note_step, self) == WFSM_OK;
    end_input(self);
    wf_processes_asked(self);
    wf_processes_sure(self);
    note_state(self);
    return fine;
}

static uint32_t missing(const wf_fairness *self, const uint64_t *wanted, const uint64_t *done)
{
    for (uint32_t p = 0; p < self->count; p++)
        if (wf_set_has(wanted, p) && !wf_set_has(done, p))
            return p;
    return WF_NONE;
}

uint32_t wf_fairness_weakly_passed_over(const wf_fairness *self)
{
    return missing(self, self->always, self->served);
}

uint32_t wf_fairness_passed_over(const wf_fairness *self)
{
    uint32_t process = wf_fairness_weakly_passed_over(self);
    return process == WF_NONE && self->strong ? missing(self, self->able, self->acted)
                                              : process;
}

/* Weak fairness is satisfied as soon as nobody is passed over; strong fairness has to see it all. */
bool wf_fairness_visit_part(wf_fairness *self, const uint32_t *members, size_t count)
{
    begin(self);
    self->next = WF_NONE;
    for (uint32_t p = 0; p < self->count; p++)
        self->witnesses[p] = (wf_witness){WF_NONE, WF_NONE, false};
    for (size_t i = 0; i < count; i++) {
        if (!wf_fairness_visit(self, members[i]))
            return false;
        if (!self->strong && wf_fairness_passed_over(self) == WF_NONE)
            return true;
    }
    return true;
}

bool wf_fairness_visit_cycle(wf_fairness *self, const uint32_t *states, size_t count)
{
    WF_INVARIANT(count > 0);
    begin(self);
    for (size_t i = 0; i < count; i++) {
        self->next = states[i];
        if (!wf_fairness_visit(self, states[i > 0 ? i - 1 : count - 1]))
            return false;
    }
    return true;
}

/* ---- why ---- */

static void set_cause(wf_search_diagnostic *found, uint8_t cause, uint32_t of)
{
    found->cause = cause;
    found->cause_of = of;
}

static uint32_t any_invocation(const wf_fairness *self)
{
    const wf_list *ledger = &self->search->explorer.snapshot.extras->ledger;
    for (size_t i = 0; i < ledger->count; i++)
        if (!wf_invocation_ended(wf_invocation_at(ledger, i)))
            return wf_invocation_at(ledger, i)->invoke;
    return WF_NONE;
}

void wf_fairness_rest_cause(const wf_fairness *self, wf_search_diagnostic *found)
{
    uint32_t budget = wf_budget_refusing(&self->search->explorer.snapshot, 0),
             invoke = any_invocation(self);
    uint16_t flags = self->search->space.flags[self->at];
    bool none = self->search->options.fairness == WFSM_FAIRNESS_NONE;
    if (flags & WF_FLAG_DONE)
        set_cause(found, WF_CAUSE_ENDED, 0);
    else if (invoke != WF_NONE && budget != WF_NONE)
        set_cause(found,
                  self->search->explorer.machine->budgets[budget].counts == WF_COUNT_CLAIMS
                      ? WF_CAUSE_UNCLAIMED
                      : WF_CAUSE_REFUSED,
                  budget);
    else if (none && flags & WF_FLAG_AWAITING)
        set_cause(found, WF_CAUSE_PERSON, 0);
    else if (none && invoke != WF_NONE)
        set_cause(found, WF_CAUSE_AGENT, invoke);
    else if (none && self->search->explorer.snapshot.extras->timers.count > 0)
        set_cause(found, WF_CAUSE_TIMER, 0);
    else
        set_cause(found, WF_CAUSE_NOBODY, wf_leaf_of(&self->search->explorer.snapshot));
}

/* People, or somebody else. */
static bool anybody_acted(const wf_fairness *self, bool people)
{
    for (uint32_t p = 0; p < self->count; p++)
        if (wf_set_has(self->acted, p) && wf_process_is_person(self, p) == people)
            return true;
    return false;
}

/* Somebody who could act in each state, and never did. Where nobody acts, in one of them. */
void wf_fairness_cycle_cause(const wf_fairness *self, wf_search_diagnostic *found)
{
    const uint64_t *enabled = anybody_acted(self, false) ? self->always : self->ever;
    for (uint32_t p = 0; p < self->count && found->cause == WF_CAUSE_NONE; p++)
        if (wf_set_has(enabled, p) && !wf_set_has(self->acted, p))
            wf_process_cause(self, p, found);
    if (found->cause == WF_CAUSE_NONE && !anybody_acted(self, false) &&
        anybody_acted(self, true))
        found->cause = WF_CAUSE_ANSWERS;
}
