/* verify/region_events.c: the events that a region hears, and its own events that others hear. */
#include "verify/independence.h"

bool wf_state_hears(const wfsm_machine *machine, const wf_state *state, uint32_t event)
{
    for (uint32_t i = state->generic.first; i < state->generic.first + state->generic.count;
         i++)
        if (machine->candidates[i].descriptor == WF_NONE) /* "*" */
            return true;
    return wf_state_names(machine, state, event, &machine->events.list[event]);
}

static bool is_heard_outside(const wf_independence *self, uint32_t event)
{
    for (uint32_t s = 0; s < self->machine->state_count; s++)
        if (!wf_region_has(self, s) &&
            wf_state_hears(self->machine, &self->machine->states[s], event))
            return true;
    return false;
}

static bool is_invoke_event(const wf_invoke *invoke, uint32_t event)
{
    return invoke->done_event == event || invoke->error_event == event;
}

/* An invocation or a state of the region says this. */
static bool is_said(const wf_independence *self, uint32_t event)
{
    const wfsm_machine *machine = self->machine;
    for (uint32_t i = 0; i < machine->invoke_count; i++)
        if (wf_region_has(self, machine->invokes[i].state) &&
            is_invoke_event(&machine->invokes[i], event))
            return true;
    for (uint32_t s = self->region; s < machine->states[self->region].end; s++)
        if (machine->states[s].done_event == event)
            return true;
    return false;
}

/* The region hears it, but not the region alone, or something else says it. */
static bool is_shared(const wf_independence *self, uint32_t event)
{
    bool own = is_said(self, event);
    return is_heard_outside(self, event) || self->outside.raises[event] ||
           (!own && wf_event_reserved(self->machine->events.list[event].text));
}

bool wf_region_hears_others(const wf_independence *self)
{
    const wfsm_machine *machine = self->machine;
    for (uint32_t s = self->region; s < machine->states[self->region].end; s++) {
        wf_span exact = machine->states[s].exact;
        if (machine->states[s].generic.count > 0)
            return true;
        for (uint32_t h = exact.first; h < exact.first + exact.count; h++)
            if (is_shared(self, machine->handlers[h].event))
                return true;
    }
    return false;
}

bool wf_region_is_heard(const wf_independence *self)
{
    for (uint32_t e = 0; e < self->machine->events.count; e++)
        if ((self->inside.raises[e] || is_said(self, e)) && is_heard_outside(self, e))
            return true;
    return false;
}
