/* machine/lint_invokes.c: invocations whose end nothing handles. */
#include "machine/lint.h"

#include "base/invariant.h"

static bool has_prefix(const wfsm_machine *machine, const wf_state *state, const wf_name *event)
{
    for (uint32_t i = 0; i < state->generic.count; i++) {
        uint32_t prefix = machine->candidates[state->generic.first + i].descriptor;

        WF_INVARIANT(prefix != WF_NONE); /* exact names are in handlers */
        if (wf_prefix_matches(&machine->prefixes[prefix], event->text, event->length))
            return true;
    }
    return false;
}

/* While the invoking state is active, its ancestors are, and its descendants may be.
 * With the budget used up it counts as heard: a thousand invocations above a thousand
 * states are not worth a quadratic search. */
static bool prefix_hears(const wfsm_machine *machine, uint32_t state, const wf_name *event,
                         uint32_t *budget)
{
    uint32_t end = machine->states[state].end;

    for (uint32_t i = state; i != WF_NONE; i = machine->states[i].parent)
        if (has_prefix(machine, &machine->states[i], event))
            return true;
    if (end - state > *budget)
        return true;
    *budget -= end - state;
    for (uint32_t i = state + 1; i < end; i++)
        if (has_prefix(machine, &machine->states[i], event))
            return true;
    return false;
}

static void check(wf_load *load, uint32_t number, uint32_t event, const uint8_t *named,
                  uint32_t *budget)
{
    const wf_name *name = &load->machine->events.list[event];

    if (named[event] ||
        prefix_hears(load->machine, load->machine->invokes[number].state, name, budget))
        return;
    wf_load_warn_at(load, *(const char **)wf_vector_at(&load->invoke_pointers, number),
                    "unused-invoke-result", "nothing handles the event \"%.*s\"",
                    wf_shown(name->length), name->text);
}

void wf_lint_invokes(wf_load *load)
{
    const wfsm_machine *machine = load->machine;
    uint32_t budget = 10000000;
    uint8_t *named = wf_arena_zero(&load->scratch, (size_t)machine->events.count + 1);

    if (!named)
        return;
    for (uint32_t i = 0; i < load->handlers.count; i++)
        named[machine->handlers[i].event] = 1;
    for (uint32_t i = 0; i < machine->invoke_count; i++) {
        check(load, i, machine->invokes[i].done_event, named, &budget);
        check(load, i, machine->invokes[i].error_event, named, &budget);
    }
}
