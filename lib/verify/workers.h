/*
 * verify/workers.h: threads that expand states before the search comes to them. The states and the
 * tables of values do not change meanwhile; a state whose successors need a new value is left to the
 * search. So the search finds the same states in the same order, however many threads there are.
 */
#ifndef WF_VERIFY_WORKERS_H
#define WF_VERIFY_WORKERS_H

#include "verify/search.h"

typedef struct wf_worker wf_worker;

/* A state that was expanded ahead. */
typedef struct wf_ahead {
    const wf_worker *worker; /* NULL: the search must expand it */
    uint32_t first_arrival, arrival_count;
    uint32_t leaf; /* wf_leaf_of() */
    size_t passed; /* where wf_limits_passed() is kept */
    bool untried;  /* wf_has_untried() */
} wf_ahead;

/* The state at hand; NULL: the search must expand it. Expands the next ones too, on all threads. */
const wf_ahead *wf_workers_ahead(wf_search *search);
/* One of its moves, valid until the next state is expanded. */
void wf_ahead_arrival(const wf_ahead *ahead, uint32_t index, wf_arrival *arrival);
/* As wf_limits_passed(). */
const uint8_t *wf_ahead_passed(const wf_ahead *ahead);
/* The search has all that they have met, and they end. */
void wf_workers_end(wf_search *search);
#endif
