/*
 * verify/measures.h: how the steps of a search change measures. A measure is a number that has a bound: a key of
 * the context whose schema is an integer with a maximum or a minimum, or what is left of a budget.
 * Measures show that a cycle over hidden values cannot last for ever (ranking.h).
 */
#ifndef WF_VERIFY_MEASURES_H
#define WF_VERIFY_MEASURES_H

#include "verify/successors.h"

enum { WF_MEASURES_MOST = 64 };

typedef struct wf_measure {
    uint32_t part;  /* a key, or after the keys a budget */
    bool rises;     /* its bound is a maximum */
    wf_value value; /* of a key, before the step */
} wf_measure;

/* How a step changes the measures: a bit for each. */
typedef struct wf_measured {
    uint32_t state, edge; /* as in the state space */
    uint64_t nearer; /* the step moves the measure nearer to its bound */
    uint64_t away;   /* the step may move the measure away from its bound */
} wf_measured;

typedef struct wf_measures {
    bool
        noted; /* the search is about something that must come some time, so that steps are noted */
    wf_measure measures[WF_MEASURES_MOST];
    uint32_t measure_count;
    wf_measured *list; /* by state */
    size_t count, capacity;
    size_t first; /* in the list, of the state at hand */
} wf_measures;

struct wf_search;
/* True if the value of this key has a bound that a run can come near to. */
bool wf_is_measure(const wfsm_machine *machine, uint32_t slot);
/* Before the first step of a search: forgets the steps, and finds the measures. */
void wf_measures_begin(struct wf_search *search);
/* After a state was restored: keeps the values of the measures. */
void wf_measures_enter(struct wf_search *search);
/* After a step from that state: notes how it has changed them. False when out of memory. */
bool wf_measures_note(struct wf_search *search, const wf_successor *successor);
#endif
