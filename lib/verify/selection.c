/* verify/selection.c: what the selection of transitions drops: raised events that nothing reacts
 * to, and transitions that lose because of their order. */
#include "verify/selection.h"
#include "verify/data_reads.h"
#include "base/invariant.h"

static void report(wf_explorer *explorer, uint8_t rule, uint32_t subject)
{
    WF_INVARIANT(rule < WF_RULES);
    if (explorer->diagnostic_count < WF_STEP_DIAGNOSTICS_MOST)
        explorer->diagnostics[explorer->diagnostic_count++] =
            (wf_step_diagnostic){rule, subject};
}

/* ---- events that are dropped ---- */

static uint32_t budget_of(const wfsm_machine *machine, uint32_t event)
{
    for (uint32_t i = 0; i < machine->budget_count; i++)
        if (machine->budgets[i].event == event)
            return i;
    return WF_NONE;
}

/* The sender of an event gets its outcome. An event that the step raises itself is lost. */
static void note_dropped(wf_explorer *explorer, const wf_event *event)
{
    const wfsm_machine *machine = explorer->machine;
    uint32_t known = event->number == WF_NONE ? machine->events.count : event->number;
    if (event->kind == WF_INTERNAL)
        report(explorer, WF_RULE_EVENT_DROPPED, known);
    else if (event->kind == WF_PLATFORM && event->number == WF_EVENT_ERROR_EXECUTION)
        report(explorer, WF_RULE_EXECUTION_UNHANDLED, 0);
    else if (event->kind == WF_PLATFORM && budget_of(machine, event->number) != WF_NONE)
        report(explorer, WF_RULE_BUDGET_UNHANDLED, budget_of(machine, event->number));
}

static void reads(void *user, const wf_expr *expr)
{
    wf_explorer *explorer = user;
    if (explorer->reading)
        explorer->read |= wf_data_read_by(explorer->reading, expr);
}

/* ---- order ---- */

static bool has_same_effect(const wfsm_machine *machine, uint32_t a, uint32_t b)
{
    const wf_transition *one = &machine->transitions[a], *other = &machine->transitions[b];
    if (one->targets.count != other->targets.count || one->blocks.count + other->blocks.count)
        return false;
    for (uint32_t i = 0; i < one->targets.count; i++)
        if (machine->lists[one->targets.first + i] != machine->lists[other->targets.first + i])
            return false;
    return true;
}

/* If the last transition of a list has no guard, it is the else branch: no rival. */
static bool is_enabled(wf_explorer *explorer, uint32_t transition)
{
    const wf_guard *guard = &explorer->machine->transitions[transition].guard;
    const wf_step_observer *observer = explorer->step.observer;
    const char *message = explorer->step.message;
    bool yes = false, failed = false;
    explorer->step.observer = NULL; /* the step does not ask it */
    if (guard->kind == WF_GUARD_RULE)
        reads(explorer, guard->rule);
    if (guard->kind == WF_GUARD_RULE &&
        wf_test_guard(&explorer->step, guard, &yes, &failed) != WFSM_OK)
        yes = false;
    explorer->step.message = message;
    explorer->step.observer = observer;
    return yes && !failed;
}

static void note_rivals(wf_explorer *explorer, uint32_t taken)
{
    const wfsm_machine *machine = explorer->machine;
    if (machine->transitions[taken].guard.kind != WF_GUARD_RULE)
        return;
    for (uint32_t t = explorer->rivals[taken]; t != WF_NONE; t = explorer->rivals[t]) {
        WF_INVARIANT(t > taken);
        if (!has_same_effect(machine, taken, t) && is_enabled(explorer, t))
            report(explorer, WF_RULE_ORDER, t);
    }
}

static void selected(void *user, const wf_event *event)
{
    wf_explorer *explorer = user;
    if (explorer->step.enabled_count == 0 && event)
        note_dropped(explorer, event);
    /* A guard that is asked once more may need a decision. */
    for (size_t i = 0; i < explorer->step.enabled_count && !explorer->symbolic; i++)
        note_rivals(explorer, explorer->step.enabled[i].transition);
}

static void preempted(void *user, uint32_t first, uint32_t second)
{
    wf_explorer *explorer = user;
    if (!has_same_effect(explorer->machine, first, second))
        report(explorer, WF_RULE_CONFLICT, second);
}

static void asked(void *user, const wf_guard *guard, bool yes)
{
    wf_explorer *explorer = user;
    wf_coverage_asked(&explorer->coverage, guard, yes);
}

/* ---- the lists of transitions ---- */

static void link_always(wf_explorer *explorer, const wf_state *state)
{
    const wfsm_machine *machine = explorer->machine;
    for (uint32_t i = state->always.first; i + 1 < state->always.first + state->always.count;
         i++)
        explorer->rivals[machine->lists[i]] = machine->lists[i + 1];
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

bool wf_selection_watch(wf_explorer *explorer)
{
    const wfsm_machine *machine = explorer->machine;
    explorer->observer = (wf_step_observer){explorer, selected, preempted, asked, reads};
    explorer->rivals = wf_arena_take(&explorer->arena, (machine->transition_count + 1u) *
                                                           sizeof *explorer->rivals);
    if (!explorer->rivals)
        return false;
    for (uint32_t t = 0; t < machine->transition_count; t++)
        explorer->rivals[t] =
            machine->transitions[t].event == WF_NONE ? WF_NONE : next_alike(machine, t);
    for (uint32_t s = 0; s < machine->state_count; s++)
        link_always(explorer, &machine->states[s]);
    explorer->step.observer = &explorer->observer;
    return true;
}
