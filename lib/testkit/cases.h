/* testkit/cases.h: the groups of cases. A group ends with a NULL name. */
#ifndef TESTKIT_CASES_H
#define TESTKIT_CASES_H

#include "fixture.h"

typedef struct tk_case {
    const char *name;
    void (*run)(tk_suite *suite);
    bool durable; /* only for a store that outlives its handle */
} tk_case;

extern const tk_case tk_commit_cases[];
extern const tk_case tk_batch_cases[];
extern const tk_case tk_reading_cases[];
extern const tk_case tk_list_cases[];
extern const tk_case tk_inbox_cases[];
extern const tk_case tk_owner_cases[];
extern const tk_case tk_opening_cases[];
extern const tk_case tk_compact_cases[]; /* only for a store that can be compacted */
extern const tk_case tk_changes_cases[]; /* only for a store that can tell */
extern const tk_case tk_lapsed_cases[];  /* only for a store that can tell */
extern const tk_case tk_share_cases[];   /* only for a store that many engines share */
extern const tk_case tk_exchange_cases[];
extern const tk_case tk_workflow_cases[];
#endif
