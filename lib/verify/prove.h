/*
 * verify/prove.h: proofs of single properties, where the search through everything does not decide
 * them. For each property a search hides as much as it can (hiding.h). If it finds a violation, that
 * may come of what is hidden: then a part that the run depends on is followed, and the search begins
 * again (counterexample-guided abstraction refinement). Nothing is refuted here.
 */
#ifndef WF_VERIFY_PROVE_H
#define WF_VERIFY_PROVE_H

#include "verify/search.h"

typedef struct wf_proofs {
    bool any;           /* there is one */
    /* Each property but `reachable` holds, and no error that needs no property can happen. */
    bool all;
    uint8_t *held; /* by property: it was proved. NULL: nothing was tried */
    uint8_t *triggered; /* as in wf_explorer */
} wf_proofs;

/* Tries to prove what the searches leave open; `symbolic` may be NULL. The proofs live in the arena.
 * NO_MEMORY is the only failure. */
int32_t wf_prove(const wf_search *first, const wf_search *symbolic, wfsm_machine *machine,
                 wf_proofs *proofs, wf_arena *arena, wfsm_error *error);
#endif
