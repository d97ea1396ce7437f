/*
 * verify/guide.h: a directed search for a state that must be reachable, after the breadth-first search has
 * ended at a bound. It makes the same moves, with the same classes of data. The next state is the one with
 * the fewest transitions between its configuration and those of the property. A place is a configuration
 * with its timers and invocations. Each visit of a place counts as one more transition, so that a guard
 * that is never true there does not hold up the search.
 */
#ifndef WF_VERIFY_GUIDE_H
#define WF_VERIFY_GUIDE_H

#include "verify/search.h"

/* distance.c: by how many transitions a state of the machine is entered at least. */
typedef struct wf_distances {
    const wfsm_machine *machine;
    wf_arena *arena;
    uint32_t **
        from; /* by state that a rule names: by state of the machine; NULL: not asked for yet */
} wf_distances;
enum { WF_NO_WAY = 1000 };

bool wf_distances_init(wf_distances *self, const wfsm_machine *machine, wf_arena *arena);
/* How far the rule is from being true in the configuration, as far as it names states. When out of memory
 * the arena has failed. */
uint32_t wf_distance(wf_distances *self, const wf_expr *rule, const uint64_t *active);

/* Which of the states that wait for the same comes next. */
typedef enum wf_guide_way {
    WF_GUIDE_BOTH, /* the newest and the oldest in turn */
    WF_GUIDE_ON, /* always the newest */
    WF_GUIDE_WAYS
} wf_guide_way;

/* A search for one `reachable`, with the options of `first`, which is over, and with self->moves_most. The
 * caller ends it, whatever this returns. If it comes to the property, self->found has that. WFSM_OK or
 * NO_MEMORY. */
int32_t wf_guide_search(wf_search *self, const wf_search *first, wfsm_machine *machine,
                        uint32_t property, wf_guide_way way, wfsm_error *error);
#endif
