/*
 * verify/coverage.h: which transitions are taken, and which answers their guards give. A point is a
 * transition, or a branch of the action `choose`; a goal is one thing to see of a point. The search
 * keeps the state from which each goal was first met: a run there is a shortest one.
 */
#ifndef WF_VERIFY_COVERAGE_H
#define WF_VERIFY_COVERAGE_H

#include "step/step.h"

/* What there is to see of a point. */
enum wf_met { WF_MET_TAKEN, WF_MET_TRUE, WF_MET_FALSE, WF_MET_ALL };

typedef struct wf_point {
    const wf_guard *guard; /* of kind NONE: it is not asked */
    bool branch;
    uint32_t state;      /* that it belongs to */
    uint32_t
        transition; /* itself, or the one whose action it is; WF_NONE: an action of the state */
} wf_point;

/* Where a goal was first met. */
typedef struct wf_first_met {
    uint32_t state; /* WF_NONE: by a start */
    bool met;
} wf_first_met;

typedef struct wf_coverage {
    const wfsm_machine *machine;
    wf_point *points; /* the transitions in their order, then the branches */
    uint32_t count;
    uint8_t *met; /* by point: bits 1 << enum wf_met */
    uint32_t *fresh; /* goals that were met since the last call of wf_coverage_note() */
    uint32_t fresh_count;
    wf_first_met *first; /* by goal: WF_MET_ALL * point + enum wf_met */
} wf_coverage;

/* In the arena. False when out of memory. */
bool wf_coverage_init(wf_coverage *coverage, const wfsm_machine *machine, wf_arena *arena);
/* A guard has answered. */
void wf_coverage_asked(wf_coverage *coverage, const wf_guard *guard, bool yes);
/* The step has taken its transitions. */
void wf_coverage_taken(wf_coverage *coverage, const wf_step *step);
/* What is fresh was met from this state. */
void wf_coverage_note(wf_coverage *coverage, uint32_t state);
/* Adds what another coverage of the machine has met from states before `end`. */
void wf_coverage_join(wf_coverage *coverage, const wf_coverage *other, uint32_t end);
/* Forgets what was met, but not where. */
void wf_coverage_clear(wf_coverage *coverage);

static inline bool wf_coverage_has(const wf_coverage *coverage, uint32_t goal)
{
    return (coverage->met[goal / WF_MET_ALL] >> goal % WF_MET_ALL & 1) != 0;
}
#endif
