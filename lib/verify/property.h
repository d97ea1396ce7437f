/*
 * verify/property.h: the monitor of a document's properties. It observes an instance after
 * its start and after each further step. What it must remember of the past is a few bytes, which
 * are part of the key of a state. The rules are compiled with the machine
 * (machine/load_properties.c).
 *
 * A condition is evaluated after a step: over the configuration and the context that the step
 * left, and over the event of the input if a transition was taken for it. There is no event at
 * the start, for a claim, a patch or a restore, and for an event that selected no transition or
 * whose step failed.
 */
#ifndef WF_VERIFY_PROPERTY_H
#define WF_VERIFY_PROPERTY_H

#include "machine/model.h"

/* The state after a step. Values must live until the observation is over. */
typedef struct wf_observed {
    const uint64_t *active;  /* bit set of states */
    /* Those of them that were active before the step, too, but were left and entered again; NULL:
     * none. */
    const uint64_t *reentered;
    const wf_value *slots; /* the context by slot */
    const wf_names *keys; /* names of the slots */
    uint32_t slot_count;
    const wf_value *event; /* {"type","data","id","kind"}; NULL: none */
    wf_arena *arena; /* for values that rules make */
    const wf_evaluator *evaluator; /* NULL: values are what they are */
    const uint8_t
        *late; /* by property: the time limit had passed before the step; NULL: none had */
    const uint8_t *asked; /* by property: only these are observed; NULL: all of them */
    uint8_t *triggered; /* by property: a bit for each trigger that was true; or NULL */
} wf_observed;

/* Of one property, after a step. */
enum wf_property_verdict {
    WF_VERDICT_NONE, /* it holds so far */
    WF_VERDICT_VIOLATED, /* this step violated it */
    WF_VERDICT_FAILED, /* one of its rules cannot be evaluated here */
    WF_VERDICT_REACHED, /* `reachable`: now or before */
    WF_VERDICT_PENDING /* leadsTo, until, atLeast, exactly: it waits for what must come. A run that
                            stays like this for ever, or ends like this, violates it */
};

/* Bytes of the monitor's memory; often 0. At the start all of them are 0. */
static inline size_t wf_monitor_size(const wfsm_machine *machine)
{
    return machine->property_bytes;
}

/*
 * Observes a step: changes `memory` (wf_monitor_size bytes) and fills in `verdicts`, one for
 * each property (machine->property_count of them, all 0 before the first call). A violation is
 * reported at each step at which it holds. REACHED stays until the caller clears it. `why`, if not
 * NULL, has a place for each property: the reason of FAILED (valid as long as arena and machine),
 * else NULL. WFSM_OK or WFSM_NO_MEMORY.
 */
int32_t wf_monitor_observe(const wfsm_machine *machine, const wf_observed *seen,
                           uint8_t *memory, uint8_t *verdicts, const char **why);

/* Fills in wf_observed.late for a step at the time `now` (ms), before it is observed. `since` has the
 * time at which each property began to wait, and is kept from step to step; all 0 at first. */
void wf_monitor_find_late(const wfsm_machine *machine, const uint8_t *memory, int64_t now,
                          int64_t *since, uint8_t *late);
/* For time that passes without a step. A property that is late becomes violated, and waits no longer. Every
 * other property that was violated by the last step is so no more. */
void wf_monitor_pass(const wfsm_machine *machine, const uint8_t *late, uint8_t *memory,
                     uint8_t *verdicts);

/* True if it says that something comes some time, however late. */
bool wf_property_must_come(const wf_property *property);
/* One of the machine's properties is of that kind. */
bool wf_machine_must_come(const wfsm_machine *machine);
/* True if the property waits for something that must come; `byte` is its part of the memory. */
bool wf_property_pending(const wf_property *property, uint8_t byte);

/* True if something that the property depends on was never true; `triggered` is its part of
 * wf_observed. */
bool wf_property_vacuous(const wf_property *property, uint8_t triggered);

/* "never", "always", … of enum wf_property_kind. Static. */
const char *wf_property_word(int kind);
#endif
