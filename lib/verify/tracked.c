/* verify/tracked.c: the slots of the context that are part of a state. */
#include <math.h>
#include "base/memory.h"
#include "logic/schema_tree.h"
#include "verify/cone_expr.h"
#include "verify/explorer.h"
#include "verify/hiding.h"

enum { SYMBOLS_LISTED = 16, LISTED_MOST = 100 };

static void note_number(wf_explorer *explorer, const wf_value *value)
{
    if (value->type == WF_NUMBER && fabs(value->as.number) > explorer->number_most)
        explorer->number_most = fabs(value->as.number);
    if (value->type == WF_ARRAY && (double)value->length > explorer->length_most)
        explorer->length_most = (double)value->length;
}

static void note_schema(wf_explorer *explorer, uint32_t slot)
{
    const wf_schema *own = wf_schema_of_slot(&explorer->cones, slot);
    if (own && own->max_items.set && own->max_items.value <= LISTED_MOST &&
        own->max_items.value > explorer->length_most)
        explorer->length_most = own->max_items.value;
}

/* Values that the document itself names are never beyond a bound. Long lists of symbols take long. */
void wf_find_bounds(wf_explorer *explorer, double bound)
{
    for (uint32_t slot = 0; slot < explorer->machine->keys.count; slot++) {
        const wf_cone *wanted = explorer->cones.slots[slot];
        if (wanted)
            note_number(explorer, &explorer->machine->initial[slot]);
        if (wanted)
            note_schema(explorer, slot);
        for (uint32_t k = 0; wanted && k < wanted->constant_count; k++)
            note_number(explorer, &wanted->constants[k]);
    }
    explorer->number_most += bound;
    explorer->length_most += explorer->symbolic ? fmin(bound, SYMBOLS_LISTED) : bound;
}

bool wf_find_tracked(wf_explorer *explorer)
{
    uint32_t count = explorer->machine->keys.count;
    if (!explorer->tracked)
        explorer->tracked =
            wf_arena_zero(&explorer->arena, (count + 1u) * sizeof *explorer->tracked);
    if (!explorer->tracked)
        return false;
    explorer->tracked_count = 0;
    for (uint32_t slot = 0; slot < count; slot++) {
        explorer->snapshot.slots[slot] = explorer->machine->initial[slot];
        if (explorer->cones.slots[slot] && !wf_hides(explorer, slot))
            explorer->tracked[explorer->tracked_count++] =
                (wf_tracked){.slot = slot, .wanted = explorer->cones.slots[slot]};
    }
    return true;
}
