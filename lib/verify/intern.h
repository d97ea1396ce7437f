/* verify/intern.h: interned values. Each different value is kept once and has a number. */
#ifndef WF_VERIFY_INTERN_H
#define WF_VERIFY_INTERN_H

#include "base/names.h"
#include "logic/value.h"

typedef struct wf_intern {
    wf_arena arena;
    wf_value *list; /* by number; 0 is ABSENT */
    uint32_t *hashes;
    uint32_t *table; /* open addressing; 0: free */
    uint32_t count, mask;
    size_t list_capacity, hash_capacity;
    bool frozen;  /* it takes no new values */
    bool missing; /* it was asked for one, and has set this */
} wf_intern;

bool wf_intern_init(wf_intern *intern, const wfsm_allocator *allocator);
void wf_intern_fini(wf_intern *intern);
/* The number of a value, which is copied if it is new; WF_NONE when out of memory, or frozen. Objects whose
 * members have another order are different values, because rules can see the order. */
uint32_t wf_intern_add(wf_intern *intern, const wf_value *value);
/* The same for values that wf_same_value() calls the same. */
uint32_t wf_intern_hash(const wf_value *value);
/* Bytes held. */
size_t wf_intern_bytes(const wf_intern *intern);
#endif
