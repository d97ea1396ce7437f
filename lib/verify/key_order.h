/*
 * verify/key_order.h: the order in which the timers and invocations of a state stand in its key.
 * States that differ in an order that nothing reads have the same key.
 *
 * Nothing reads the order of the ledger, but for the places of the items of one set, and those only
 * where a rule sees the order of the results. Of two timers the older one fires first when both are
 * due at the same time. Where their deadlines cannot be the same, nothing reads which is older, but that the way
 * back to a checkpoint makes those equal that are overdue there.
 */
#ifndef WF_VERIFY_KEY_ORDER_H
#define WF_VERIFY_KEY_ORDER_H

#include "base/arena.h"
#include "step/snapshot.h"

/* Of the timers (WF_TIMERS) and of the ledger (WF_LEDGER): for each place in the key, the place in
 * the list of the snapshot. NULL: it is the same. */
enum { WF_ORDERED_KINDS = 2 };
typedef struct wf_key_order {
    uint32_t *from[WF_ORDERED_KINDS];
    uint32_t count[WF_ORDERED_KINDS];
} wf_key_order;

static inline size_t wf_key_order_place(const wf_key_order *order, int kind, size_t place)
{
    return kind < WF_ORDERED_KINDS && order->from[kind] ? order->from[kind][place] : place;
}
/* A copy in the arena. False when out of memory. */
bool wf_key_order_copy(wf_key_order *to, const wf_key_order *from, wf_arena *arena);
#endif
