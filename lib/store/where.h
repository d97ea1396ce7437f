/* store/where.h: the conditions of a query on attributes. */
#ifndef WF_STORE_WHERE_H
#define WF_STORE_WHERE_H

#include <stdbool.h>
#include <wfsm/machine.h>
#include <wfsm/store.h>
#include "base/memory.h"

/* Copies of the conditions of a query, with their numbers. */
typedef struct wf_where {
    wfsm_condition list[WFSM_ATTRIBUTES];
    const wfsm_condition *pointers[WFSM_ATTRIBUTES];
} wf_where;

/* Checks the conditions, and puts the copies into the query. */
int32_t wf_where_check(wf_where *where, wfsm_query *query, wfsm_error *error);

/* *meets: whether these attributes meet all conditions. CORRUPT if they are no JSON object. */
int32_t wf_where_meets(const wfsm_query *query, const char *attributes,
                       const wfsm_allocator *allocator, bool *meets);

#endif
