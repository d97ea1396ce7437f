/* verify/fairness.c: the processes, and which of them act within a part of the graph. */
#include "verify/fairness.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/invariant.h"

/* ---- processes ---- */

static const wfsm_machine *machine_of(const wf_fairness *self)
{
    return self->search->explorer.machine;
}

/* By the name that the timer raises; names that are computed have one number. */
static uint32_t timer_process(const wf_fairness *self, const wf_value *name)
{
    const wfsm_machine *machine = machine_of(self);
    uint32_t event = name && name->type == WF_STRING
                         ? wf_names_find(&machine->events, name->as.text, name->length)
                         : WF_NONE;
    return machine->invoke_count + (event == WF_NONE ? machine->events.count : event);
}

static uint32_t budget_process(const wf_fairness *self, uint32_t budget)
{
    return machine_of(self)->invoke_count + machine_of(self)->events.count + 1 + budget;
}

static uint32_t person_process(const wf_fairness *self)
{
    return self->count - 1;
}

/* The last process is somebody who is asked. */
static uint32_t count_processes(const wfsm_machine *machine)
{
    return machine->invoke_count + machine->events.count + 1 + machine->budget_count + 1;
}

bool wf_fairness_init(wf_fairness *self, wf_search *search, const wf_subgraph *graph)
{
    const wfsm_allocator *allocator = search->explorer.allocator;
    uint64_t **const sets[] = {&self->here,   &self->always, &self->ever,
                               &self->served, &self->acted,  &self->kept};
    bool fine = true;
    *self = (wf_fairness){.search = search, .graph = graph, .next = WF_NONE};
    self->strong = search->options.fairness == WFSM_FAIRNESS_STRONG;
    self->count = count_processes(search->explorer.machine);
    self->words = (self->count + 63) / 64;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
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
    uint64_t *const sets[] = {self->here,   self->always, self->ever,
                              self->served, self->acted,  self->kept};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        wf_free(allocator, sets[i]);
    wf_free(allocator, self->witnesses);
    wf_free(allocator, self->part);
    wf_free(allocator, self->best);
}

/* ---- who can act in a state ---- */

static void enable_invocations(wf_fairness *self)
{
    const wf_snapshot *snapshot = &self->search->explorer.snapshot;
    const wf_explorer *explorer = &self->search->explorer;
    for (uint32_t i = 0; i < snapshot->extras->ledger.count; i++)
        if (wf_may_answer(explorer, i) || wf_may_be_claimed(explorer, i))
            wf_set_add(self->here, wf_invocation_at(&snapshot->extras->ledger, i)->invoke);
}

bool wf_fairness_enter(wf_fairness *self, uint32_t state)
{
    wf_explorer *explorer = &self->search->explorer;
    const wf_snapshot *snapshot = &explorer->snapshot;
    size_t length;
    const uint8_t *key = wf_state_space_key(&self->search->space, state, &length);
    self->at = state;
    if (wf_state_key_restore(explorer, key, length) != WFSM_OK)
        return false;
    wf_set_clear(self->here, self->words);
    enable_invocations(self);
    for (size_t i = 0; i < snapshot->extras->timers.count; i++)
        wf_set_add(self->here,
                   timer_process(
                       self, wf_value_get_z(&wf_timer_at(&snapshot->extras->timers, i)->raised,
                                            "event")));
    for (uint32_t i = 0; i < machine_of(self)->budget_count && !explorer->resets_time; i++)
        if (machine_of(self)->budgets[i].counts == WF_COUNT_TIME &&
            !wf_spent_at(&snapshot->extras->budgets, i)->raised)
            wf_set_add(self->here, budget_process(self, i));
    if (self->search->awaiting != WF_NONE &&
        wf_snapshot_has_tag(snapshot, self->search->awaiting))
        wf_set_add(self->here, person_process(self));
    return true;
}

bool wf_fairness_idle(const wf_fairness *self)
{
    for (uint32_t w = 0; w < self->words; w++)
        if (self->here[w])
            return false;
    return true;
}

/* ---- who acts in a step ---- */

/* The process whose step this is; WF_NONE: somebody who need not act. */
static uint32_t actor_of(const wf_fairness *self, const wf_successor *successor)
{
    const wf_input *input = &successor->input;
    switch (input->kind) {
    case WF_INPUT_TIMER:
        return timer_process(self, &input->name);
    case WF_INPUT_BUDGET:
        return budget_process(self, input->place);
    case WF_INPUT_RESULT:
    case WF_INPUT_FAILURE: {
        const wf_list before = wf_draft_before(&self->search->explorer.step, WF_LEDGER);
        return wf_invocation_at(&before, input->place)->invoke;
    }
    case WF_INPUT_CLAIM:
        return WF_NONE; /* an agent has acted when it has answered */
    default:
        return person_process(self);
    }
}

/* Timers and invocations that were there before the step, and are there after it. */
static void find_kept(wf_fairness *self, const wf_successor *successor)
{
    const wf_explorer *explorer = &self->search->explorer;
    const wf_extras *extras = explorer->snapshot.extras;
    uint64_t before = wf_draft_before(&explorer->step, WF_TIMERS).count;
    wf_set_clear(self->kept, self->words);
    for (size_t i = 0; i < extras->timers.count; i++) {
        const wf_timer *timer = wf_timer_at(&extras->timers, i);
        if (timer->number <= before)
            wf_set_add(self->kept,
                       timer_process(self, wf_value_get_z(&timer->raised, "event")));
    }
    for (size_t i = 0; i < extras->ledger.count; i++) {
        const wf_invocation *work = wf_invocation_at(&extras->ledger, i);
        if (work->revision == 1 && !wf_invocation_ended(work))
            wf_set_add(self->kept, work->invoke);
    }
    for (uint32_t i = 0; i < machine_of(self)->budget_count; i++)
        if (successor->input.kind != WF_INPUT_BUDGET || successor->input.place != i)
            wf_set_add(self->kept, budget_process(self, i));
    if (successor->input.kind != WF_INPUT_EVENT)
        wf_set_add(self->kept, person_process(self));
}

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

/* For weak fairness, a process that was withdrawn is served. */
static int32_t note_step(void *user, wf_explorer *explorer, const wf_successor *successor)
{
    wf_fairness *self = user;
    uint32_t to = WF_NONE;
    (void)explorer;
    if (!counts(self, successor, &to))
        return WFSM_OK;
    uint32_t actor = actor_of(self, successor);
    find_kept(self, successor);
    for (uint32_t p = 0; p < self->count; p++) {
        bool acts = p == actor, gone = !wf_set_has(self->kept, p);
        if (!wf_set_has(self->here, p) || !(acts || gone))
            continue;
        wf_set_add(self->served, p);
        if (acts)
            wf_set_add(self->acted, p);
        if (self->next == WF_NONE && (acts || !self->strong))
            self->witnesses[p] = (wf_witness){self->at, to, true};
    }
    return WFSM_OK;
}

/* Of weak fairness: a state where it is not enabled. */
static void note_state(wf_fairness *self)
{
    for (uint32_t p = 0; p < self->count; p++)
        if (!wf_set_has(self->here, p) && self->next == WF_NONE && !self->strong)
            self->witnesses[p] = (wf_witness){self->at, self->at, false};
    for (uint32_t w = 0; w < self->words; w++) {
        self->always[w] &= self->here[w];
        self->ever[w] |= self->here[w];
    }
}

static void begin(wf_fairness *self)
{
    wf_set_clear(self->served, self->words);
    wf_set_clear(self->acted, self->words);
    wf_set_clear(self->ever, self->words);
    for (uint32_t w = 0; w < self->words; w++)
        self->always[w] = UINT64_MAX;
}

static bool visit(wf_fairness *self, uint32_t state)
{
    wf_search *search = self->search;
    size_t length;
    const uint8_t *key = wf_state_space_key(&search->space, state, &length);
    if (!wf_fairness_enter(self, state))
        return false;
    note_state(self);
    return wf_successors_of_state(&search->explorer, key, length, note_step, self) == WFSM_OK;
}

uint32_t wf_fairness_passed_over(const wf_fairness *self)
{
    const uint64_t *enabled = self->strong ? self->ever : self->always;
    const uint64_t *done = self->strong ? self->acted : self->served;
    for (uint32_t p = 0; p < self->count; p++)
        if (wf_set_has(enabled, p) && !wf_set_has(done, p))
            return p;
    return WF_NONE;
}

/* Weak fairness is satisfied as soon as nobody is passed over; strong fairness has to see it all. */
bool wf_fairness_visit_part(wf_fairness *self, const uint32_t *members, size_t count)
{
    begin(self);
    self->next = WF_NONE;
    for (uint32_t p = 0; p < self->count; p++)
        self->witnesses[p] = (wf_witness){WF_NONE, WF_NONE, false};
    for (size_t i = 0; i < count; i++) {
        if (!visit(self, members[i]))
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
        if (!visit(self, states[i > 0 ? i - 1 : count - 1]))
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
    uint8_t flags = self->search->space.flags[self->at];
    bool none = self->search->options.fairness == WFSM_FAIRNESS_NONE;
    if (flags & WF_FLAG_DONE)
        set_cause(found, WF_CAUSE_ENDED, 0);
    else if (invoke != WF_NONE && budget != WF_NONE)
        set_cause(found,
                  machine_of(self)->budgets[budget].counts == WF_COUNT_CLAIMS
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

static bool anybody_acted(const wf_fairness *self)
{
    for (uint32_t p = 0; p < person_process(self); p++)
        if (wf_set_has(self->acted, p))
            return true;
    return false;
}

/* Somebody who could act in each state, and never did. Where nobody acts, in one of them. */
void wf_fairness_cycle_cause(const wf_fairness *self, wf_search_diagnostic *found)
{
    const wfsm_machine *machine = machine_of(self);
    const uint64_t *enabled = anybody_acted(self) ? self->always : self->ever;
    for (uint32_t p = 0; p < self->count; p++) {
        bool restarted = wf_set_has(enabled, p) && !wf_set_has(self->acted, p);
        if (!restarted || p == person_process(self))
            continue;
        if (p < machine->invoke_count)
            set_cause(found, WF_CAUSE_AGENT_RESTARTED, p);
        else
            set_cause(found, WF_CAUSE_TIMER_RESTARTED, p - machine->invoke_count);
        return;
    }
}
