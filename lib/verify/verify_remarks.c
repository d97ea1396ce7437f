/* What a step passes over in silence: events that nothing reacts to, transitions that only
 * their order has kept back. */
#include "verify/verify_remarks.h"

static void remark(wf_kit *kit, uint8_t rule, uint32_t subject)
{
    if (kit->remark_count < WF_REMARKS_MOST)
        kit->remarks[kit->remark_count++] = (wf_remark){rule, subject};
}

/* ---- events that are dropped ---- */

static uint32_t budget_of(const wfsm_machine *machine, uint32_t event)
{
    for (uint32_t i = 0; i < machine->budget_count; i++)
        if (machine->budgets[i].event == event)
            return i;
    return WF_NONE;
}

/* Who sends an event is told what became of it; what the step raises itself is lost. */
static void note_dropped(wf_kit *kit, const wf_event *event)
{
    const wfsm_machine *machine = kit->machine;
    uint32_t known = event->number == WF_NONE ? machine->events.count : event->number;
    if (event->kind == WF_INTERNAL)
        remark(kit, WF_RULE_EVENT_DROPPED, known);
    else if (event->kind == WF_PLATFORM && event->number == WF_EVENT_ERROR_EXECUTION)
        remark(kit, WF_RULE_EXECUTION_UNHANDLED, 0);
    else if (event->kind == WF_PLATFORM && budget_of(machine, event->number) != WF_NONE)
        remark(kit, WF_RULE_BUDGET_UNHANDLED, budget_of(machine, event->number));
}

/* ---- order ---- */

static bool is_same_deed(const wfsm_machine *machine, uint32_t a, uint32_t b)
{
    const wf_transition *one = &machine->transitions[a], *other = &machine->transitions[b];
    if (one->targets.count != other->targets.count || one->blocks.count + other->blocks.count)
        return false;
    for (uint32_t i = 0; i < one->targets.count; i++)
        if (machine->lists[one->targets.first + i] != machine->lists[other->targets.first + i])
            return false;
    return true;
}

/* Of a list that ends in one without a guard the last is for all else: no rival. */
static bool is_enabled(wf_kit *kit, uint32_t transition)
{
    const wf_guard *guard = &kit->machine->transitions[transition].guard;
    const char *message = kit->step.message;
    bool yes = false, failed = false;
    if (guard->kind == WF_GUARD_RULE &&
        wf_test_guard(&kit->step, guard, &yes, &failed) != WFSM_OK)
        yes = false;
    kit->step.message = message;
    return yes && !failed;
}

static void note_rivals(wf_kit *kit, uint32_t taken)
{
    const wfsm_machine *machine = kit->machine;
    if (machine->transitions[taken].guard.kind != WF_GUARD_RULE)
        return;
    for (uint32_t t = kit->rivals[taken]; t != WF_NONE; t = kit->rivals[t])
        if (!is_same_deed(machine, taken, t) && is_enabled(kit, t))
            remark(kit, WF_RULE_ORDER, t);
}

static void selected(void *user, const wf_event *event)
{
    wf_kit *kit = user;
    if (kit->step.enabled_count == 0 && event)
        note_dropped(kit, event);
    for (size_t i = 0; i < kit->step.enabled_count; i++)
        note_rivals(kit, kit->step.enabled[i].transition);
}

static void preempted(void *user, uint32_t first, uint32_t second)
{
    wf_kit *kit = user;
    if (!is_same_deed(kit->machine, first, second))
        remark(kit, WF_RULE_CONFLICT, second);
}

/* ---- the lists that transitions stand in ---- */

static void link_always(wf_kit *kit, const wf_state *state)
{
    const wfsm_machine *machine = kit->machine;
    for (uint32_t i = state->always.first; i + 1 < state->always.first + state->always.count;
         i++)
        kit->rivals[machine->lists[i]] = machine->lists[i + 1];
}

/* The next one of the same state under the same descriptor. */
static uint32_t next_alike(const wfsm_machine *machine, uint32_t number)
{
    const wf_transition *self = &machine->transitions[number];
    for (uint32_t t = number + 1; t < machine->transition_count; t++)
        if (machine->transitions[t].source == self->source &&
            machine->transitions[t].event == self->event)
            return t;
    return WF_NONE;
}

bool wf_remarks_init(wf_kit *kit)
{
    const wfsm_machine *machine = kit->machine;
    kit->observer = (wf_step_observer){kit, selected, preempted};
    kit->rivals =
        wf_arena_take(&kit->arena, (machine->transition_count + 1u) * sizeof *kit->rivals);
    if (!kit->rivals)
        return false;
    for (uint32_t t = 0; t < machine->transition_count; t++)
        kit->rivals[t] =
            machine->transitions[t].event == WF_NONE ? WF_NONE : next_alike(machine, t);
    for (uint32_t s = 0; s < machine->state_count; s++)
        link_always(kit, &machine->states[s]);
    kit->step.observer = &kit->observer;
    return true;
}
