/*
 * verify/exactness.h: whether the classes of data are exact. They are if each value that may come
 * from outside makes every rule that reads it answer like one of the representatives does. Only
 * then is "holds" a theorem. If they are not, one rule is named that tells values apart which
 * data_classes.c does not.
 */
#ifndef WF_VERIFY_EXACTNESS_H
#define WF_VERIFY_EXACTNESS_H

#include "verify/cone.h"
#include "verify/schema_group.h"

/* A rule that is not decided by the values that are tried. */
typedef struct wf_undecided {
    bool is; /* false: all is decided */
    wf_reading reading;
    const char *remedy; /* what would help; static */
} wf_undecided;

/* Values that fit a schema (NULL: any) and of which this is in the cone (NULL: nothing). */
wf_undecided wf_exactness_of(const wf_schema *schema, const wf_cone *wanted);
/* The first rule that reads it, whatever it asks. */
wf_undecided wf_exactness_unread(const wf_cone *wanted, const char *remedy);

/* Nothing but the type of a value decides. */
bool wf_schema_asks_type_only(const wf_schema *schema);
/* True if every value of this type fits. */
bool wf_schema_takes_all(const wf_schema *schema, enum wf_type type);

/* schema_implies.c: true if each value that the group allows fits the schema. False also where
 * that is not known. */
bool wf_schema_group_implies(const wf_schema_group *group, const wf_schema *schema);

/* always_fits.c: true if each value of the rule fits the schema, in every context that fits its
 * own. False also where that is not known. */
bool wf_always_fits(const wf_cones *all, const wf_expr *rule, const wf_schema *schema);
#endif
