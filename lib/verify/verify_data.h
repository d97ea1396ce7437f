/*
 * verify/verify_data.h: data by classes: values that fit a schema and differ in what is wanted
 * of them. Of a number the limits on both sides of what it is compared with, of a text each
 * that it is compared with and another one, of a list the empty one, those of one element and
 * of two.
 */
#ifndef WF_TOOLS_VERIFY_DATA_H
#define WF_TOOLS_VERIFY_DATA_H

#include "verify/verify_demand.h"

enum { WF_DATA_MOST = 4096 };

typedef struct wf_data {
    wf_arena *arena;
    wf_value *list;
    uint32_t count, capacity;
    bool cut; /* there were more classes than WF_DATA_MOST */
    const wf_tie *links; /* that values of the context may stand for */
    bool linked;          /* some do */
} wf_data;

/* Both may be NULL: no schema; nothing is wanted. The list is in the arena, whose failure is
 * for the caller to see. Without a schema null is among them, for no data at all. */
void wf_data_find(wf_data *data, wf_arena *arena, const wf_schema *schema,
                  const wf_demand *wanted, const wf_tie *links);
/* Which link a value stands for, and how (0 to 2); false: it is itself. */
bool wf_data_stands(const wf_value *value, const wf_tie *links, uint32_t count, uint32_t *link,
                    uint32_t *how);
/* Are they the same, as far as it is wanted? */
bool wf_data_alike(const wf_value *a, const wf_value *b, const wf_demand *wanted);
#endif
