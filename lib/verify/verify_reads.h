/*
 * verify/verify_reads.h: from what is wanted of an expression's value to what is wanted of the
 * values it is made of. verify_reads.c walks the parts of a machine, verify_reads_expr.c one
 * expression, verify_demand.c keeps what was found.
 */
#ifndef WF_TOOLS_VERIFY_READS_H
#define WF_TOOLS_VERIFY_READS_H

#include "verify/verify_demand.h"

/* What `var` means where an expression stands. */
typedef struct wf_reads_env {
    wf_demand *event;   /* of the data of the event; NULL: there is none */
    wf_demand *element; /* in the body of map, filter, …: of an element */
    bool named;         /* the event's name is known */
} wf_reads_env;

/* `wanted` of the value of the expression. */
void wf_reads_of_expr(wf_demands *all, const wf_expr *expr, const wf_demand *wanted,
                      const wf_reads_env *env);

/* Is this text among the constants of the expression? */
bool wf_reads_mention(const wf_expr *expr, const char *text, size_t length);

/* verify_demand.c; all take NULL for a demand that could not be had. */
wf_demand *wf_demand_new(wf_demands *all, uint8_t depth);
/* Of the data of the event of this name. */
wf_demand *wf_demand_named(wf_demands *all, const char *name, uint32_t length);
wf_demand *wf_demand_slot(wf_demands *all, uint32_t slot);
wf_demand *wf_demand_part_of(wf_demands *all, wf_demand *demand, const char *key,
                             uint32_t length);
wf_demand *wf_demand_items(wf_demands *all, wf_demand *demand);
void wf_demand_add(wf_demands *all, wf_demand *to, const wf_demand *more);
void wf_demand_whole(wf_demands *all, wf_demand *demand);
void wf_demand_truth(wf_demands *all, wf_demand *demand);
void wf_demand_order(wf_demands *all, wf_demand *demand);
void wf_demand_length(wf_demands *all, wf_demand *demand);
void wf_demand_link(wf_demands *all, wf_demand *demand, uint32_t link);
/* Is anything wanted of it, beyond whether it fits? */
bool wf_demand_looks(const wf_demand *demand);
/* Whether it fits the schema; NULL: anything does. */
void wf_demand_fitting(wf_demands *all, wf_demand *demand, const wf_schema *schema);
void wf_demand_constant(wf_demands *all, wf_demand *demand, const wf_value *value);
bool wf_demands_match(const wf_demands *all, uint32_t descriptor, const char *name,
                      size_t length);
#endif
