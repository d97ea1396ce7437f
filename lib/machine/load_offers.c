/* machine/load_offers.c: what a state offers for an event. */
#include "machine/load.h"

#include "base/invariant.h"

uint32_t wf_load_descriptor(wf_load *load, const char *text, size_t length)
{
    wf_name name = {text, (uint32_t)length, wf_hash(text, length)};

    return wf_load_push(load, &load->descriptors, &name);
}

void wf_load_offer(wf_load *load, wf_offer offer, wf_span transitions)
{
    for (uint32_t i = 0; i < transitions.count && !load->failed; i++) {
        WF_INVARIANT(offer.event == WF_NONE || offer.prefix == WF_NONE);
        offer.transition = transitions.first + i;
        offer.order = (uint32_t)load->offers.count;
        wf_load_push(load, &load->offers, &offer);
    }
}

void wf_load_implied(wf_load *load, const wf_node *node, uint32_t state, uint32_t event)
{
    const wf_name *name;
    wf_offer offer = {.event = event, .prefix = WF_NONE};
    wf_span transitions;

    if (load->failed || event == WF_NONE)
        return;
    name = &load->machine->events.list[event];
    transitions = wf_load_transition_list(load, node, state,
                                          wf_load_descriptor(load, name->text, name->length));
    wf_load_offer(load, offer, transitions);
}
