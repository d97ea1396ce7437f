/* verify/refine.h: what a search must follow, and not hide. */
#ifndef WF_VERIFY_REFINE_H
#define WF_VERIFY_REFINE_H

#include "verify/hiding.h"
#include "verify/search.h"

typedef struct wf_refinement {
    const wfsm_machine *machine;
    wf_arena *arena;
    wf_hiding *hiding;
    uint8_t *parts; /* scratch, by part */
    bool coarse; /* of numbers facts are followed, not their values */
} wf_refinement;

/* Hides all that can be hidden and that the property, or WF_NONE, does not read. False when out of memory. */
bool wf_refine_begin(const wf_refinement *self, uint32_t property);
/* Follows one part more: of those that this violation depends on, or else of those that what is followed
 * depends on. *more is false if there is none. NO_MEMORY. */
int32_t wf_refine(const wf_refinement *self, wf_search *search,
                  const wf_search_diagnostic *found, bool *more);
#endif
