/* testkit/cases.h: the groups of cases. A group ends with a NULL name. */
#ifndef TESTKIT_CASES_H
#define TESTKIT_CASES_H

#include "fixture.h"

typedef struct tk_case {
    const char *name;
    void (*run)(tk_suite *suite);
    bool durable; /* only for a store that outlives its handle */
} tk_case;

/* One exchange of the session, in which it asks for one permit. Its lease is not touched. */
int32_t tk_permit(wfsm_store *store, const char *session, int64_t now, wfsm_permit *permit);
/* The same for a rate. */
int32_t tk_rate(wfsm_store *store, int64_t now, wfsm_rate *rate);

extern const tk_case tk_commit_cases[];
extern const tk_case tk_batch_cases[];
extern const tk_case tk_reading_cases[];
extern const tk_case tk_list_cases[];
extern const tk_case tk_where_cases[];
extern const tk_case tk_inbox_cases[];
extern const tk_case tk_owner_cases[];
extern const tk_case tk_opening_cases[];
extern const tk_case tk_compact_cases[]; /* only for a store that can be compacted */
extern const tk_case tk_changes_cases[]; /* only for a store that can tell */
extern const tk_case tk_lapsed_cases[];  /* only for a store that can tell */
extern const tk_case tk_share_cases[];   /* only for a store that many engines share */
extern const tk_case tk_since_cases[];   /* only for a store that can tell */
extern const tk_case tk_permit_cases[]; /* only for a store that can share limits */
extern const tk_case tk_rate_cases[];   /* only for a store that can share rates */
extern const tk_case tk_exchange_cases[];
extern const tk_case tk_workflow_cases[];
#endif
