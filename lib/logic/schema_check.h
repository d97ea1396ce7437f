/* logic/schema_check.h: one check of a value. Private to lib/logic/schema_*.c. */
#ifndef WF_LOGIC_SCHEMA_CHECK_H
#define WF_LOGIC_SCHEMA_CHECK_H

#include "logic/schema_tree.h"

/* A schema may refer to itself without end, and uniqueItems compares all pairs. */
enum { WF_CHECK_STEPS = 50000000, WF_CHECK_DEPTH = 600 };

typedef struct wf_checker {
    wfsm_error *error; /* NULL while alternatives are tried */
    uint32_t steps;
    uint32_t depth;
} wf_checker;

int32_t wf_check(wf_checker *c, const wf_schema *schema, const wf_value *value,
                 const wf_place *at);
/* What the value's type asks for: schema_rules.c. */
int32_t wf_check_parts(wf_checker *c, const wf_schema *schema, const wf_value *value,
                       const wf_place *at);

/* schema_mismatch.c. "at PLACE: expected …, found … (schema PLACE)" */
int32_t wf_check_spend(wf_checker *c, size_t steps);
int32_t wf_mismatch(wf_checker *c, const wf_schema *schema, const char *keyword,
                    const wf_place *at, const wf_value *value, const char *expected);
int32_t wf_mismatch_number(wf_checker *c, const wf_schema *schema, const char *keyword,
                           const wf_place *at, const wf_value *value, const char *before,
                           double number, const char *after);
#endif
