/* verify/verify_pool.h: values by number; each different one is kept once, for good. */
#ifndef WF_TOOLS_VERIFY_POOL_H
#define WF_TOOLS_VERIFY_POOL_H

#include "base/names.h"
#include "logic/value.h"

typedef struct wf_pool {
    wf_arena arena;
    wf_value *list; /* by number; 0 is ABSENT */
    uint32_t *hashes;
    uint32_t *table; /* open addressing; 0: free */
    uint32_t count, mask;
    size_t list_capacity, hash_capacity;
} wf_pool;

bool wf_pool_init(wf_pool *pool, const wfsm_allocator *allocator);
void wf_pool_fini(wf_pool *pool);
/* The number of a value, copied if it is new; WF_NONE when out of memory. The order of an
 * object's members counts: rules can see it. */
uint32_t wf_pool_add(wf_pool *pool, const wf_value *value);
/* Bytes held. */
size_t wf_pool_bytes(const wf_pool *pool);
/* Same parts in the same order? */
bool wf_same_value(const wf_value *a, const wf_value *b);
#endif
