/*
 * verify/data_parts.h: the data of an event, where a symbol stands for it, as the literals of a way look at it.
 */
#ifndef WF_VERIFY_DATA_PARTS_H
#define WF_VERIFY_DATA_PARTS_H

#include "verify/symbolic.h"

enum { WF_DATA_PARTS = 4, WF_DATA_CANDIDATES = 8 };

typedef struct wf_data_part {
    wf_term term; /* the data, a member of it, or one of that */
    wf_term list[WF_DATA_CANDIDATES]; /* what it may be */
    uint32_t count;
} wf_data_part;

typedef struct wf_data_parts {
    wf_symbolic *symbolic;
    wf_term data; /* the symbol */
    wf_data_part list[WF_DATA_PARTS];
    uint32_t count;
    bool many; /* there are more */
} wf_data_parts;

/* Finds the parts, and for each what it is compared with, and other values. `symbolic` and `data` are set. */
void wf_data_parts_read(wf_data_parts *self, const wf_literal *literals, uint32_t count);
/* The sample with one of the combinations of what its parts may be, from 0. WF_NONE: there are no more, or out of
 * memory. */
wf_term wf_data_parts_fill(const wf_data_parts *self, const wf_value *sample, uint32_t number);
/* The term with this data instead of the symbol; WF_NONE when out of memory. */
wf_term wf_data_parts_replace(const wf_data_parts *self, wf_term term, wf_term data);
/* True if the data fits the schema, provided that the literals that are added to the list are true, of which there
 * is room for so many. */
bool wf_data_fits(const wf_terms *terms, wf_term data, const wf_schema *schema,
                  wf_literal *list, uint32_t *count, uint32_t most);
#endif
