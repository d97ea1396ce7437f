/* verify/asked.c: the states that ask somebody, by the tag awaiting_input, and the events that are handled
 * there: by the state, in it or above it. */
#include "verify/search.h"

bool wf_asks_somebody(const wf_search *self, uint32_t state)
{
    const wfsm_machine *machine = self->explorer.machine;
    const wf_span tags = machine->states[state].tags;
    for (uint32_t i = tags.first; i < tags.first + tags.count; i++)
        if (machine->lists[i] == self->awaiting)
            return true;
    return false;
}

bool wf_is_in(const wfsm_machine *machine, uint32_t state, uint32_t other)
{
    return state == other || wf_is_descendant(machine, state, other);
}

/* The step has taken a transition of the state for this event. */
static bool is_taken(const wf_explorer *explorer, const wf_external_event *event,
                     uint32_t source)
{
    return wf_set_has(event->handlers, source) &&
           wf_set_has(explorer->step.before.active, source);
}

/* Not that a vote was refused: nobody has to cast one that is. */
static bool is_said(const wf_input *input)
{
    return input->kind == WF_INPUT_EVENT && !wf_event_reserved(input->name.as.text);
}

bool wf_is_answered(const wf_search *self, const wf_input *input, uint32_t state)
{
    const wf_explorer *explorer = &self->explorer;
    const wfsm_machine *machine = explorer->machine;
    if (!is_said(input) || !wf_set_has(explorer->step.before.active, state))
        return false;
    const wf_external_event *event = &explorer->outside[input->place];
    for (size_t i = 0; i < explorer->step.taken_count; i++) {
        uint32_t source = machine->transitions[explorer->step.taken[i]].source;
        if (is_taken(explorer, event, source) &&
            (wf_is_in(machine, source, state) || wf_is_in(machine, state, source)))
            return true;
    }
    return false;
}

bool wf_is_an_answer(const wf_search *self, const wf_input *input)
{
    const wf_explorer *explorer = &self->explorer;
    const uint64_t *before = explorer->step.before.active;
    const uint32_t words = explorer->machine->words;
    if (self->awaiting == WF_NONE || !is_said(input))
        return false;
    for (uint32_t s = wf_set_next(before, words, 0); s != WF_NONE;
         s = wf_set_next(before, words, s + 1))
        if (wf_asks_somebody(self, s) && wf_is_answered(self, input, s))
            return true;
    return false;
}
