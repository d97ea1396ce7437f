/* machine/lint_xstate.c: transitions that XState takes in another way. Where regions are concerned, wfsm does as
 * SCXML says (doc/xstate.md). */
#include <string.h>
#include "machine/lint.h"

/* ---- a target in another region ---- */

static bool are_inside(const wfsm_machine *machine, wf_span states, uint32_t ancestor)
{
    for (uint32_t i = 0; i < states.count; i++)
        if (!wf_is_descendant(machine, machine->lists[states.first + i], ancestor))
            return false;
    return true;
}

/* The innermost state that has all of them inside: XState leaves what is in it, and not the state itself. */
static uint32_t common_ancestor(const wfsm_machine *machine, const wf_transition *self)
{
    uint32_t state = machine->states[self->source].parent;

    while (state != WF_NONE && !are_inside(machine, self->targets, state))
        state = machine->states[state].parent;
    return state;
}

/* Leaving the state and entering it again is more than doing so with its regions. */
static bool is_noticed(const wfsm_machine *machine, uint32_t number)
{
    const wf_state *state = &machine->states[number];

    return state->entry.count + state->exit.count + state->invokes.count + state->after.count +
                   state->histories.count >
               0 ||
           machine->states[state->parent].type == WF_PARALLEL;
}

static void check_target(wf_load *load, uint32_t number)
{
    const wfsm_machine *machine = load->machine;
    const wf_transition *self = &machine->transitions[number];
    uint32_t state;

    if (self->targets.count == 0 || machine->states[self->source].type >= WF_SHALLOW ||
        (!self->reenter && are_inside(machine, self->targets, self->source)))
        return;
    state = common_ancestor(machine, self);
    if (state == WF_NONE || state == 0 || machine->states[state].type != WF_PARALLEL ||
        !is_noticed(machine, state))
        return;
    wf_load_note_at(
        load, wf_lint_transition_pointer(load, number), "xstate-differs",
        "the target is in another region of \"%.*s\": the transition leaves this state, "
        "too, and enters it again, as in SCXML. XState does not leave it",
        wf_shown(machine->states[state].path.length), machine->states[state].path.text);
}

static void check_root(wf_load *load, uint32_t number)
{
    const wf_transition *self = &load->machine->transitions[number];

    if (self->source == 0 && self->reenter)
        wf_load_note_at(
            load, wf_lint_transition_pointer(load, number), "xstate-differs",
            "the root is never left: \"reenter\" has no effect on its own actions and "
            "invocations. XState leaves it and enters it again");
}

/* ---- an event that a region and a state around it handle ---- */

static const wf_name *event_of(const wfsm_machine *machine, const wf_transition *self)
{
    return self->event == WF_NONE ? NULL : &machine->descriptors[self->event];
}

/* Whether the descriptor hears what the other one names. `*` and `prefix.*` end with a star. */
static bool covers(const wf_name *wide, const wf_name *narrow)
{
    wf_name prefix = *wide;

    if (wide->text[wide->length - 1] != '*')
        return wide->length == narrow->length &&
               memcmp(wide->text, narrow->text, wide->length) == 0;
    prefix.length = wide->length > 1 ? wide->length - 2 : 0;
    return wf_prefix_matches(&prefix, narrow->text, narrow->length);
}

/* Both are taken, because one of them leaves no state. */
static bool are_both_taken(const wfsm_machine *machine, uint32_t inner, uint32_t outer)
{
    const wf_transition *a = &machine->transitions[inner], *b = &machine->transitions[outer];
    const wf_name *heard = event_of(machine, a), *also = event_of(machine, b);

    return heard && also && (a->targets.count == 0 || b->targets.count == 0) &&
           (covers(heard, also) || covers(also, heard));
}

static uint32_t parallel_around(const wfsm_machine *machine, uint32_t state)
{
    do
        state = machine->states[state].parent;
    while (state != WF_NONE && machine->states[state].type != WF_PARALLEL);
    return state;
}

/* The transitions of `state` and of those around it. */
static bool is_taken_beside(const wfsm_machine *machine, uint32_t inner, uint32_t state,
                            const uint32_t *first, const uint32_t *next, uint32_t *budget)
{
    for (; state != WF_NONE; state = machine->states[state].parent)
        for (uint32_t t = first[state]; t != WF_NONE && *budget > 0; t = next[t], --*budget)
            if (are_both_taken(machine, inner, t))
                return true;
    return false;
}

static void check_event(wf_load *load, uint32_t inner, const uint32_t *first,
                        const uint32_t *next, uint32_t *budget)
{
    const wfsm_machine *machine = load->machine;
    uint32_t around = parallel_around(machine, machine->transitions[inner].source);

    if (around == WF_NONE || !event_of(machine, &machine->transitions[inner]) ||
        !is_taken_beside(machine, inner, around, first, next, budget))
        return;
    wf_load_note_at(
        load, wf_lint_transition_pointer(load, inner), "xstate-differs",
        "a state around the regions handles this event, too. Both transitions are taken if "
        "another region does not handle it, as in SCXML. XState takes only this one");
}

void wf_lint_xstate(wf_load *load)
{
    const wfsm_machine *machine = load->machine;
    const uint32_t count = machine->transition_count;
    uint32_t budget = 10000000; /* comparisons */
    uint32_t *first = wf_arena_take(&load->scratch, machine->state_count * sizeof *first);
    uint32_t *next = wf_arena_take(&load->scratch, ((size_t)count + 1) * sizeof *next);

    if (!first || !next)
        return;
    memset(first, 0xFF, machine->state_count * sizeof *first);
    for (uint32_t i = count; i-- > 0;) {
        next[i] = first[machine->transitions[i].source];
        first[machine->transitions[i].source] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        check_target(load, i);
        check_root(load, i);
        check_event(load, i, first, next, &budget);
    }
}
