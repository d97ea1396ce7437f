/*
 * verify/data_classes.h: equivalence classes of data. Values that fit a schema and do not differ
 * in their cone are one class; one representative of each is tried. Of a number: the values on
 * both sides of what it is compared with. Of a text: each that it is compared with, and another
 * one. Of a list: the empty one, and those of one and two elements.
 */
#ifndef WF_VERIFY_DATA_CLASSES_H
#define WF_VERIFY_DATA_CLASSES_H

#include "verify/cone.h"

enum { WF_DATA_MOST = 16384 };

typedef struct wf_data_classes {
    wf_arena *arena;
    wf_value *list;
    uint64_t *hashes; /* of the values, see wf_data_hash() */
    uint32_t *table; /* by hash: the number of a value + 1; 0: free. Its size is 2 * capacity */
    uint32_t count, capacity;
    uint32_t most; /* fewer of what is deeper inside; 0: WF_DATA_MOST */
    bool cut; /* there were more classes than WF_DATA_MOST */
    const wf_context_link *links; /* values of the context that data can refer to */
    bool linked; /* some representative does */
    const struct wf_data_marks *marks; /* data_reads.h; NULL: there are none */
} wf_data_classes;

/* No representative stands for some value that fits. */
static inline bool wf_data_classes_are_partial(const wf_data_classes *data)
{
    return data->cut || data->count == 0;
}

/* The representatives, in the arena; the caller checks whether the arena failed. `schema` and
 * `wanted` (the cone) may be NULL. Without a schema null is among them, for an event without
 * data. */
void wf_data_classes_find(wf_data_classes *data, wf_arena *arena, const wf_schema *schema,
                          const wf_cone *wanted, const wf_context_link *links);
/* The link that a value refers to. `how` is 0: equal, 1: one less, 2: one more, 3: the next number below, 4: the next one
 * above; or the index of an element. False: the value stands for itself. */
bool wf_data_stands_for(const wf_value *value, const wf_context_link *links, uint32_t count,
                        uint32_t *link, uint32_t *how);
/* What arithmetic makes of a value: 0 nothing, else zero, some number, a very large or a very small one. */
int wf_data_number_class(const wf_value *value, wf_arena *arena);
#endif
