/* verify/processes.c: the processes by number, which of them can act in a state, and which act or are
 * withdrawn in a step. */
#include "verify/fairness.h"

#include "base/memory.h"
#include "verify/successors.h"

/* ---- numbers ---- */

static const wfsm_machine *machine_of(const wf_fairness *self)
{
    return self->search->explorer.machine;
}

static uint32_t names_of(const wfsm_machine *machine)
{
    return machine->events.count + 1; /* names that are computed have one number */
}

/* Timers with one name and different ids are processes of their own, as far as so many ids were seen. */
static uint32_t number_of_id(wf_fairness *self, const wf_value *id)
{
    if (!id || id->type != WF_STRING)
        return 0;
    uint32_t hash = wf_hash(id->as.text, id->length), i = 0;
    while (i < self->id_count && self->ids[i] != hash)
        i++;
    if (i == self->id_count && i + 1 < WF_TIMER_IDS)
        self->ids[self->id_count++] = hash;
    return i + 1 < WF_TIMER_IDS ? i + 1 : i;
}

static uint32_t timer_process(wf_fairness *self, const wf_timer *timer)
{
    const wfsm_machine *machine = machine_of(self);
    const wf_value *name = wf_value_get_z(&timer->raised, "event"),
                   *id = wf_value_get_z(&timer->raised, "id");
    uint32_t event = name && name->type == WF_STRING
                         ? wf_names_find(&machine->events, name->as.text, name->length)
                         : WF_NONE;
    uint32_t number = event == WF_NONE ? machine->events.count : event;
    return machine->invoke_count + number * WF_TIMER_IDS + number_of_id(self, id);
}

static uint32_t budget_process(const wf_fairness *self, uint32_t budget)
{
    return machine_of(self)->invoke_count + names_of(machine_of(self)) * WF_TIMER_IDS + budget;
}

/* Some timer or budget. */
static uint32_t time_process(const wf_fairness *self)
{
    return budget_process(self, machine_of(self)->budget_count);
}

/* The k-th state that asks somebody; after the last one, all of them. */
static uint32_t person_process(const wf_fairness *self, uint32_t k)
{
    return time_process(self) + 1 + k;
}

bool wf_process_is_person(const wf_fairness *self, uint32_t process)
{
    return process > time_process(self);
}

bool wf_processes_number(wf_fairness *self)
{
    const wfsm_machine *machine = machine_of(self);
    self->asking = wf_new(self->search->explorer.allocator,
                          (machine->state_count + 1u) * sizeof *self->asking);
    for (uint32_t s = 0; self->asking && s < machine->state_count; s++)
        if (wf_asks_somebody(self->search, s))
            self->asking[self->asking_count++] = s;
    self->count = person_process(self, self->asking_count) + 1;
    self->words = (self->count + 63) / 64;
    return self->asking != NULL;
}

void wf_process_cause(const wf_fairness *self, uint32_t process, wf_search_diagnostic *found)
{
    const wfsm_machine *machine = machine_of(self);
    if (process < machine->invoke_count) {
        found->cause = WF_CAUSE_AGENT_RESTARTED;
        found->cause_of = process;
    } else if (process < budget_process(self, 0)) {
        found->cause = WF_CAUSE_TIMER_RESTARTED;
        found->cause_of = (process - machine->invoke_count) / WF_TIMER_IDS;
    } else if (process < time_process(self)) {
        found->cause = WF_CAUSE_BUDGET_RESET;
        found->cause_of = process - budget_process(self, 0);
    }
}

/* ---- who can act in a state ---- */

static void enable(wf_fairness *self, uint32_t process, bool certainly)
{
    wf_set_add(self->here, process);
    if (certainly)
        wf_set_add(self->sure, process);
}

/* Strong fairness asks who can act now. */
static void make_ready(wf_fairness *self, uint32_t process, bool certainly)
{
    wf_set_add(self->ready, process);
    if (certainly)
        wf_set_add(self->ready_sure, process);
}

/* Where a timer is due now, nobody else can act. */
static void enable_invocations(wf_fairness *self)
{
    const wf_explorer *explorer = &self->search->explorer;
    const wf_list *ledger = &explorer->snapshot.extras->ledger;
    const bool now = wf_may_wait(explorer);
    for (uint32_t i = 0; i < ledger->count; i++) {
        if (!wf_may_answer(explorer, i) && !wf_may_be_claimed(explorer, i))
            continue;
        enable(self, wf_invocation_at(ledger, i)->invoke, true);
        if (now)
            make_ready(self, wf_invocation_at(ledger, i)->invoke, true);
    }
}

static bool is_running(const wf_fairness *self, uint32_t budget)
{
    return machine_of(self)->budgets[budget].counts == WF_COUNT_TIME &&
           !wf_spent_at(&self->search->explorer.snapshot.extras->budgets, budget)->raised;
}

static uint32_t running_budgets(const wf_fairness *self)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < machine_of(self)->budget_count; i++)
        count += is_running(self, i);
    return count;
}

/* So many of the timers and budgets can be the next one to act. */
static uint32_t next_ones(const wf_fairness *self)
{
    const wf_explorer *explorer = &self->search->explorer;
    const uint32_t timers = (uint32_t)explorer->snapshot.extras->timers.count;
    uint32_t budgets = running_budgets(self), count = 0;
    for (uint32_t i = 0; i < budgets; i++)
        count += wf_budget_may_run_out(explorer, i);
    for (uint32_t i = 0; i < timers; i++)
        count += wf_timer_may_fire(explorer, i);
    return count;
}

/* Time passes until each one that stays set has its turn. */
static void enable_timers(wf_fairness *self)
{
    const wf_list *timers = &self->search->explorer.snapshot.extras->timers;
    for (uint32_t i = 0; i < timers->count; i++)
        enable(self, timer_process(self, wf_timer_at(timers, i)), true);
    for (uint32_t i = 0; i < machine_of(self)->budget_count; i++)
        if (is_running(self, i))
            enable(self, budget_process(self, i), true);
}

/* Which one is the next may depend on the times; one of them is, unless the end of an attempt comes before. */
static void add_next_timers(wf_fairness *self,
                            void (*add)(wf_fairness *self, uint32_t process, bool certainly))
{
    const wf_explorer *explorer = &self->search->explorer;
    const wf_list *timers = &explorer->snapshot.extras->timers;
    uint32_t place = 0, count = next_ones(self);
    bool first = explorer->times.ends == 0, alone = first && count == 1;
    for (uint32_t i = 0; i < timers->count; i++)
        if (wf_timer_may_fire(explorer, i))
            add(self, timer_process(self, wf_timer_at(timers, i)), alone);
    for (uint32_t i = 0; i < machine_of(self)->budget_count; i++)
        if (is_running(self, i) && wf_budget_may_run_out(explorer, place++))
            add(self, budget_process(self, i), alone);
    if (count > 0)
        add(self, time_process(self), first);
}

/* An event with other data than was tried may be an answer. */
static bool is_untried(const wf_fairness *self, uint32_t state)
{
    return (self->search->space.flags[state] & WF_FLAG_UNTRIED) != 0;
}

static void enable_person(wf_fairness *self, uint32_t k)
{
    const bool sure = !self->search->symbolic && !is_untried(self, self->at);
    enable(self, person_process(self, k), sure);
    make_ready(self, person_process(self, k), sure);
}

/* Whether an event is handled there, only the moves of the state tell. A reduced search has left out some. */
static void enable_people(wf_fairness *self, uint32_t state)
{
    const uint64_t *active = self->search->explorer.snapshot.active;
    const bool asked = self->search->reduces || is_untried(self, state) ||
                       (self->search->space.flags[state] & WF_FLAG_ASKED) != 0;
    bool any = false;
    for (uint32_t k = 0; asked && k < self->asking_count; k++)
        if (wf_set_has(active, self->asking[k])) {
            enable_person(self, k);
            any = true;
        }
    if (any)
        enable_person(self, self->asking_count);
}

bool wf_fairness_enter(wf_fairness *self, uint32_t state)
{
    wf_explorer *explorer = &self->search->explorer;
    size_t length;
    const uint8_t *key = wf_state_space_key(&self->search->space, state, &length);
    self->at = state;
    if (wf_state_key_restore(explorer, key, length) != WFSM_OK)
        return false;
    wf_set_clear(self->here, self->words);
    wf_set_clear(self->sure, self->words);
    wf_set_clear(self->ready, self->words);
    wf_set_clear(self->ready_sure, self->words);
    self->waits = wf_may_wait(explorer);
    if (self->strong || self->instant)
        add_next_timers(self, make_ready);
    if (self->instant) {
        add_next_timers(self, enable);
        return true;
    }
    enable_invocations(self);
    enable_timers(self);
    enable_people(self, state);
    return true;
}

void wf_processes_asked(wf_fairness *self)
{
    for (uint32_t k = 0; k <= self->asking_count && !is_untried(self, self->at); k++) {
        if (wf_set_has(self->heard, person_process(self, k)))
            continue;
        wf_set_remove(self->here, person_process(self, k));
        wf_set_remove(self->ready, person_process(self, k));
    }
}

/* ---- who acts in a step ---- */

static const wf_invocation *answered(const wf_fairness *self, const wf_successor *successor)
{
    const wf_list before = wf_draft_before(&self->search->explorer.step, WF_LEDGER);
    return wf_invocation_at(&before, successor->input.place);
}

static void note_answer(uint64_t *set, const wf_fairness *self, uint32_t k)
{
    wf_set_add(set, person_process(self, k));
    wf_set_add(set, person_process(self, self->asking_count));
}

void wf_processes_answering(wf_fairness *self, const wf_successor *successor)
{
    wf_set_clear(self->answering, self->words);
    for (uint32_t k = 0; k < self->asking_count && successor->changed; k++)
        if (wf_is_answered(self->search, &successor->input, self->asking[k]))
            note_answer(self->answering, self, k);
}

void wf_processes_ways(wf_fairness *self, const wf_successor *successor)
{
    uint64_t whom = 0;
    for (uint32_t k = 0; k < self->asking_count && k < WF_PEOPLE_FOLLOWED; k++)
        if (wf_set_has(self->answering, person_process(self, k)))
            whom |= 1ull << k;
    if (whom != 0)
        wf_ways_note(&self->ways, &self->search->explorer, successor, whom);
}

static void make_sure(wf_fairness *self, uint32_t k)
{
    wf_set_add(self->sure, person_process(self, k));
    wf_set_add(self->ready_sure, person_process(self, k));
}

void wf_processes_sure(wf_fairness *self)
{
    for (uint32_t k = 0; k < self->asking_count && k < WF_PEOPLE_FOLLOWED; k++) {
        const uint32_t process = person_process(self, k);
        if (wf_set_has(self->sure, process) || !wf_set_has(self->here, process) ||
            !wf_ways_cover(&self->ways, &self->search->explorer, 1ull << k, NULL))
            continue;
        make_sure(self, k);
        make_sure(self, self->asking_count);
    }
}

/* A vote is an answer, too. */
static void note_vote(wf_fairness *self, const wf_invocation *work)
{
    const wfsm_machine *machine = machine_of(self);
    for (uint32_t k = 0;
         k < self->asking_count && wf_is_person(&machine->agents.list[work->agent]); k++)
        if (wf_is_in(machine, work->state, self->asking[k]) ||
            wf_is_in(machine, self->asking[k], work->state))
            note_answer(self->acting, self, k);
}

/* A claim is no act of an agent: it has acted when it has answered. */
void wf_processes_acting(wf_fairness *self, const wf_successor *successor)
{
    const wf_input *input = &successor->input;
    const wf_list timers = wf_draft_before(&self->search->explorer.step, WF_TIMERS);
    wf_set_copy(self->acting, self->answering, self->words);
    if (input->kind == WF_INPUT_TIMER)
        wf_set_add(self->acting, timer_process(self, wf_timer_at(&timers, input->place)));
    else if (input->kind == WF_INPUT_BUDGET)
        wf_set_add(self->acting, budget_process(self, input->place));
    else if (input->kind == WF_INPUT_RESULT || input->kind == WF_INPUT_FAILURE)
        wf_set_add(self->acting, answered(self, successor)->invoke);
    if (input->kind == WF_INPUT_TIMER || input->kind == WF_INPUT_BUDGET)
        wf_set_add(self->acting, time_process(self));
    if (input->kind == WF_INPUT_RESULT)
        note_vote(self, answered(self, successor));
}

/* An entry that a step sets again is another one. */
static bool is_kept(const void *entry, const wf_list *after)
{
    for (size_t i = 0; i < after->count; i++)
        if (after->entries[i] == entry)
            return true;
    return false;
}

/* Budgets keep their places. The stamp tells whether the step has reset one. */
static bool is_reset(const wf_list *before, const wf_list *after, size_t budget)
{
    return wf_spent_at(before, budget)->stamp.changed !=
           wf_spent_at(after, budget)->stamp.changed;
}

void wf_processes_gone(wf_fairness *self)
{
    const wf_step *step = &self->search->explorer.step;
    const wf_extras *extras = self->search->explorer.snapshot.extras;
    const wf_list timers = wf_draft_before(step, WF_TIMERS),
                  ledger = wf_draft_before(step, WF_LEDGER),
                  budgets = wf_draft_before(step, WF_BUDGETS);
    wf_set_clear(self->gone, self->words);
    for (size_t i = 0; i < timers.count; i++)
        if (!is_kept(timers.entries[i], &extras->timers))
            wf_set_add(self->gone, timer_process(self, wf_timer_at(&timers, i)));
    for (size_t i = 0; i < ledger.count; i++)
        if (!is_kept(ledger.entries[i], &extras->ledger))
            wf_set_add(self->gone, wf_invocation_at(&ledger, i)->invoke);
    for (uint32_t i = 0; i < budgets.count; i++)
        if (is_reset(&budgets, &extras->budgets, i))
            wf_set_add(self->gone, budget_process(self, i));
}
