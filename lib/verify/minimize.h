/*
 * verify/minimize.h: what is known of a state, without what follows from the rest. Most moves lead to
 * states of which the same is known as of an earlier one, so what is left of a list is kept.
 */
#ifndef WF_VERIFY_MINIMIZE_H
#define WF_VERIFY_MINIMIZE_H

#include "verify/intern.h"
#include "verify/solve.h"

typedef struct wf_minimized {
    wf_intern lists;
    uint32_t *left; /* by list: the number of what is left of it; 0: not known yet */
    size_t count, capacity;
} wf_minimized;

bool wf_minimized_init(wf_minimized *self, const wfsm_allocator *allocator);
void wf_minimized_fini(wf_minimized *self);
/* Changes the list, which is sorted, and *count. False when out of memory. */
bool wf_minimize(wf_minimized *self, wf_terms *terms, wf_arena *scratch, wf_literal *list,
                 uint32_t *count);
#endif
