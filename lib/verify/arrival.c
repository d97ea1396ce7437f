/* verify/arrival.c: reads from an explorer, whose step is open, what the search asks of a successor. */
#include "verify/search.h"

#include "base/memory.h"

/* ---- what was reached ---- */

static void see_up(wf_search *self, uint32_t state)
{
    for (; state != WF_NONE; state = self->explorer.machine->states[state].parent)
        wf_set_add(self->reached, state);
}

/* A state can be entered and left within one step. The transitions that were taken show it. */
static void see_transition(wf_search *self, uint32_t number)
{
    const wfsm_machine *machine = self->explorer.machine;
    const wf_transition *transition = &machine->transitions[number];
    wf_span targets = transition->targets;
    self->taken[number] = 1;
    see_up(self, transition->source);
    for (uint32_t i = targets.first; i < targets.first + targets.count; i++) {
        uint32_t initial = machine->states[machine->lists[i]].initial;
        see_up(self, machine->lists[i]);
        if (initial != WF_NONE && !self->taken[initial])
            see_transition(self, initial);
    }
}

static void see(wf_search *self)
{
    wf_explorer *explorer = &self->explorer;
    for (uint32_t w = 0; w < explorer->machine->words; w++)
        self->reached[w] |= explorer->snapshot.active[w];
    for (size_t i = 0; i < explorer->step.taken_count; i++)
        if (!self->taken[explorer->step.taken[i]])
            see_transition(self, explorer->step.taken[i]);
    wf_coverage_taken(&explorer->coverage, &explorer->step);
    wf_coverage_note(&explorer->coverage, self->at);
    for (uint32_t i = 0; i < explorer->machine->property_count; i++)
        if (explorer->verdicts[i] == WF_VERDICT_REACHED)
            self->held[i] = 1;
}

static uint16_t flags_of(const wf_search *self, const wf_snapshot *snapshot)
{
    uint32_t flags = 0;
    if (snapshot->status == WFSM_DONE)
        flags |= WF_FLAG_DONE;
    if (self->terminal != WF_NONE && wf_snapshot_has_tag(snapshot, self->terminal))
        flags |= WF_FLAG_TERMINAL;
    if (self->awaiting != WF_NONE && wf_snapshot_has_tag(snapshot, self->awaiting))
        flags |= WF_FLAG_AWAITING;
    for (size_t i = 0; i < snapshot->extras->ledger.count; i++)
        if (wf_is_person(&snapshot->machine->agents
                              .list[wf_invocation_at(&snapshot->extras->ledger, i)->agent]))
            flags |= WF_FLAG_AWAITING;
    if (snapshot->extras->timers.count > 0 || wf_is_at_work(&self->explorer))
        flags |= WF_FLAG_WORK;
    return (uint16_t)flags;
}

/* ---- the rules that are broken ---- */

/* Why the step at hand violates it. */
static uint8_t cause_of(const wf_search *self, uint8_t rule, uint32_t subject)
{
    bool late = rule == WF_RULE_PROPERTY && self->explorer.late[subject] &&
                self->explorer.verdicts[subject] == WF_VERDICT_VIOLATED;
    return late ? WF_CAUSE_LATE : WF_CAUSE_NONE;
}

static bool note_broken(void *user, uint8_t rule, uint32_t subject)
{
    wf_search *self = user;
    wf_broken *list = wf_grow(self->explorer.allocator, self->broken, &self->broken_capacity,
                              self->broken_count + 1, sizeof *list);
    if (!list)
        return false;
    self->broken = list;
    list[self->broken_count++] = (wf_broken){rule, cause_of(self, rule, subject), subject};
    return true;
}

/* ---- the move ---- */

static void read_successor(wf_search *self, const wf_successor *successor, wf_arrival *arrival)
{
    const wf_explorer *explorer = &self->explorer;
    see(self);
    for (uint32_t i = 0; i < explorer->machine->property_count && explorer->limits; i++)
        self->passed[i] |= explorer->late[i];
    arrival->key = explorer->key;
    arrival->key_length = explorer->key_length;
    arrival->beyond = explorer->beyond;
    arrival->flags = flags_of(self, &explorer->snapshot);
    arrival->owed = successor->input.kind <= WF_INPUT_EVENT;
    arrival->outside = successor->input.kind >= WF_INPUT_EVENT;
    arrival->answers = wf_is_an_answer(self, &successor->input);
}

/* Over symbols, what was reached once may turn out to be impossible, and is looked for again. */
bool wf_arrival_read(wf_search *self, const wf_successor *successor, wf_arrival *arrival)
{
    wf_coverage_note(&self->explorer.coverage, self->at);
    *arrival = (wf_arrival){.state = WF_NONE,
                            .first = successor->first,
                            .certain = successor->certain,
                            .changed = successor->changed};
    if (successor->changed)
        read_successor(self, successor, arrival);
    self->broken_count = 0;
    bool good = wf_check_successor(&self->explorer, successor, note_broken, self);
    if (self->symbolic)
        wf_forget_reached(&self->explorer);
    if (!good)
        return false;
    arrival->broken = self->broken;
    arrival->broken_count = (uint32_t)self->broken_count;
    return true;
}

const uint8_t *wf_limits_passed(wf_search *self)
{
    if (!self->explorer.limits)
        return NULL;
    for (uint32_t i = 0; i < self->explorer.machine->property_count; i++)
        self->passed[i] = !self->passed[i] && wf_limit_may_pass(&self->explorer, i);
    return self->passed;
}
