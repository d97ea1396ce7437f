/*
 * verify/property.h: the monitor of a document's properties. It looks at an instance after its
 * start and after each further step, and keeps what it has to remember of the past in a few
 * bytes, which an explorer takes into the key of a state. Files: property.c; the rules come
 * compiled with the machine (machine/load_properties.c).
 *
 * A condition is asked after a step: over the configuration and the context as the step left
 * them, and over the event of the input that the step reacted to, if a transition took it. So
 * there is no event at the start, nor for a claim, a patch or a restore, nor for an event that
 * selected nothing or whose step failed.
 */
#ifndef WF_TOOLS_PROPERTY_H
#define WF_TOOLS_PROPERTY_H

#include "machine/model.h"

/* What stands after a step. Values must live until the observation is over. */
typedef struct wf_seen {
    const uint64_t *active;  /* bit set of states */
    const wf_value *slots;   /* the context by slot */
    const wf_names *keys;    /* names of the slots */
    uint32_t slot_count;
    const wf_value *event;   /* {"type","data","id","kind"}; NULL: none */
    wf_arena *arena;         /* where values go that rules make on their way */
} wf_seen;

/* Of one property, after a step. */
enum wf_property_verdict {
    WF_VERDICT_NONE,     /* nothing to report: so far it holds */
    WF_VERDICT_VIOLATED, /* this step has violated it */
    WF_VERDICT_FAILED,   /* likewise: one of its rules cannot be evaluated here */
    WF_VERDICT_REACHED,  /* `reachable`: here, or before */
    WF_VERDICT_PENDING   /* `leadsTo`: it waits for its `to`. Violated by a run that goes on
                            like this for ever, or cannot go on */
};

/* Bytes that the monitor remembers; often 0. At the start all of them are 0. */
static inline size_t wf_monitor_size(const wfsm_machine *machine)
{
    return machine->property_bytes;
}

/*
 * Looks at what stands after a step: changes `memory` (wf_monitor_size bytes) and fills in a
 * verdict for each property, machine->property_count of them, all 0 before the first call. A
 * violation is told at each step at which it stands; what is REACHED stays so and is not asked
 * again, as long as nobody clears it. `why`, if it is not NULL, has a place for each property: the reason of
 * FAILED (as long as arena and machine live), else NULL. WFSM_OK or WFSM_NO_MEMORY.
 */
int32_t wf_monitor_observe(const wfsm_machine *machine, const wf_seen *seen, uint8_t *memory,
                           uint8_t *verdicts, const char **why);

/* {"type","data","id","kind"} in the arena; ABSENT when it is full. `kind` is enum
 * wf_event_kind. The event of a finished invocation is `done.invoke.ID`, of a failed one
 * `error.invoke.ID`, of a timer what it raises. */
wf_value wf_seen_event(wf_arena *arena, wf_value name, wf_value data, wf_value id, int kind);

/* "never", "always", … of enum wf_property_kind. Static. */
const char *wf_property_word(int kind);
#endif
