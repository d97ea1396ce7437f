/* machine/lint_shadows.c: transitions that an earlier one without a guard always
 * precedes. */
#include <string.h>
#include "machine/lint.h"

enum { COVERS = 64 }; /* prefixes of one state that are remembered */

typedef struct shadows {
    const wfsm_machine *machine;
    uint8_t *free; /* by transition: it can be taken */
} shadows;

static bool try_transition(shadows *at, uint32_t number)
{
    at->free[number] = 1;
    return !wf_lint_always_enabled(&at->machine->transitions[number]);
}

static void walk_always(shadows *at, const wf_state *state)
{
    for (uint32_t i = 0; i < state->always.count; i++)
        if (!try_transition(at, at->machine->lists[state->always.first + i]))
            return;
}

static void walk_handler(shadows *at, const wf_handler *handler)
{
    for (uint32_t i = 0; i < handler->candidates.count; i++) {
        uint32_t first = handler->candidates.first;

        if (!try_transition(at, at->machine->candidates[first + i].transition))
            return;
    }
}

static bool covers(const wf_name *wide, const wf_name *narrow)
{
    return wf_prefix_matches(wide, narrow->text, narrow->length);
}

static void walk_generic(shadows *at, const wf_state *state)
{
    const wf_name *taken[COVERS];
    size_t count = 0;

    for (uint32_t i = 0; i < state->generic.count; i++) {
        const wf_candidate *candidate = &at->machine->candidates[state->generic.first + i];
        const wf_name *prefix = &at->machine->prefixes[candidate->descriptor];
        size_t j = 0;

        while (j < count && !covers(taken[j], prefix))
            j++;
        if (j == count && !try_transition(at, candidate->transition) && count < COVERS)
            taken[count++] = prefix;
    }
}

static void mark_defaults(shadows *at)
{
    for (uint32_t i = 0; i < at->machine->state_count; i++)
        if (at->machine->states[i].initial != WF_NONE)
            at->free[at->machine->states[i].initial] = 1;
}

void wf_lint_shadows(wf_load *load)
{
    const wfsm_machine *machine = load->machine;
    shadows at = {machine,
                  wf_arena_zero(&load->scratch, (size_t)machine->transition_count + 1)};

    if (!at.free)
        return;
    mark_defaults(&at);
    for (uint32_t i = 0; i < machine->state_count; i++) {
        const wf_state *state = &machine->states[i];

        walk_always(&at, state);
        for (uint32_t j = 0; j < state->exact.count; j++)
            walk_handler(&at, &machine->handlers[state->exact.first + j]);
        walk_generic(&at, state);
    }
    for (uint32_t i = 0; i < machine->transition_count; i++)
        if (!at.free[i])
            wf_load_warn_at(
                load, wf_lint_transition_pointer(load, i), "shadowed-transition",
                "never taken: an earlier transition for the same event has no guard");
}
