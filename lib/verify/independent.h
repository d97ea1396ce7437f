/*
 * verify/independent.h: regions that touch nothing outside themselves, and the states of a search
 * in which only the moves of one of them are explored (partial order reduction, with the
 * persistent sets of Godefroid and the provisos of Peled).
 *
 * A region of a parallel state is independent if whatever happens in it and whatever happens
 * beside it are the same in either order, and no property can see it. What this takes is decided
 * by the document alone: see is_independent() in independent.c. Such a region and the rest of the
 * document meet in one place only: where all regions are complete, the parallel state is done. The
 * parallel state may be left before that, if nothing tells afterwards how far the region had come.
 *
 * In a state where an agent of an independent region works, its moves alone are explored if
 *
 * - each move leads to a child of the region that stands later in an order of its children, or in
 *   the same child to a state that was not explored before. Otherwise a cycle of such states could
 *   postpone the rest of the document for ever;
 * - no move leaves the parallel state, not even to enter it again in the same step: the other regions
 *   would begin again, or nothing would work for them any more;
 * - no move completes the region. It may where another independent region of the same parallel
 *   state is not complete. For each run in which the other region is complete first, there is one in
 *   which it is complete last. A complete region stays complete until the parallel state is left.
 *
 * Then each run of the full search has a counterpart in the reduced one. The counterpart makes the
 * moves of the region earlier, and may make some that the run does not make before the region is
 * left. It passes the same states as far as properties can see, and ends in the same one. So the
 * reduced search finds every deadlock, violation, transition and answer of a guard, and every state
 * from which no end can be reached, except as waits_in_vain() in reduce.c says. The agents of the
 * region need no person to answer, so that the counterpart of a fair run is fair.
 */
#ifndef WF_VERIFY_INDEPENDENT_H
#define WF_VERIFY_INDEPENDENT_H

#include "verify/explorer.h"

typedef struct wf_region {
    uint32_t state;
    uint64_t *others; /* bit set of the states that do not belong to it */
    uint8_t *left_by; /* by transition: it leaves the region, or may */
} wf_region;

typedef struct wf_regions {
    wf_region *list;
    uint32_t count;
    uint64_t *all; /* bit set of the states that belong to one */
    uint32_t
        *ranks; /* by state, of the children of a region: only cycles lead to a lower one */
} wf_regions;

/* independent.c: in the explorer's arena; `fairness` is that of the options. False when out of memory. */
bool wf_regions_find(wf_regions *regions, wf_explorer *explorer, int32_t fairness);

/* region_order.c: fills in the ranks of a region's children. False when out of memory. */
bool wf_region_order(wf_regions *regions, const wfsm_machine *machine, uint32_t region,
                     wf_arena *arena);

struct wf_search;
/* ample.c: the region whose moves are enough in the restored state, with this key; NULL: none.
 * Fails as wf_successors_of_state() does. */
int32_t wf_ample_find(struct wf_search *search, const uint8_t *key, size_t length,
                      const wf_region **found);
#endif
