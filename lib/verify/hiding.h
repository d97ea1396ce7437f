/*
 * verify/hiding.h: what a search does not follow that is about one property. The value of a hidden key of the
 * context is no part of a state: each step begins with any value that its schema allows. Of a hidden
 * budget any amount may have been used, up to its limit. So every run of the real step is among
 * those of such a search, and some more: what none of them violates holds.
 */
#ifndef WF_VERIFY_HIDING_H
#define WF_VERIFY_HIDING_H

#include "step/snapshot.h"
#include "verify/cone.h"
#include "verify/symbolic.h"

/* The numbers of symbols that stand for hidden values: from here up to WF_FRESH. */
enum { WF_HIDDEN = WF_FRESH / 2 };

/* How much of a part is hidden. */
enum {
    WF_FOLLOWED,
    WF_KNOWN_BY_FACTS, /* its value; not what the facts say of it */
    WF_NOT_READ        /* all of it */
};

/* How the run at hand depends on a part that is hidden: an assignment to it failed, or it was read. */
enum { WF_NOT_MET, WF_MET_ASSIGNED, WF_MET_READ };

enum { WF_FACTS_MOST = 16, WF_KEPT_MOST = 32, WF_MET_RULES_MOST = 32 };

/* An expression whose value is not needed as it is: of an assignment to a hidden key, of an input, or
 * what says who does the work and where. */
typedef struct wf_unread {
    const wf_expr *expr;
    uint32_t slot; /* that it is assigned to, or WF_NONE */
    bool
        fails; /* its evaluation may fail, or its value may not fit, which has the same effect */
    /* Its value may not fit. Then the assignments before it in the same action remain. */
    bool mismatches;
    /* Of an agent that is like all the others that it may give; NULL: null is. */
    const char *name;
    bool partly; /* it is evaluated, but for the members that no fact reads */
} wf_unread;

typedef struct wf_hiding {
    const uint8_t *asked; /* by property: only these are observed */
    bool errors; /* the errors that need no property are looked for, and no property */
    /* By part: the keys of the context, and after them the budgets. */
    uint8_t *hidden; /* WF_FOLLOWED, … */
    uint8_t *evaluated; /* what is assigned to it, although it is hidden */
    uint8_t *met; /* WF_NOT_MET, … */
    uint32_t keys, part_count;
    /* Rules that are asked of keys whose value is hidden (predicate abstraction). */
    const wf_expr *facts[WF_FACTS_MOST];
    uint32_t fact_count;
    /* Other such rules, which the run at hand depends on: any answer was possible. */
    const wf_expr *met_rules[WF_MET_RULES_MOST];
    uint32_t met_rule_count;
    uint32_t made; /* symbols in the run at hand */
    const wf_schema **schemas; /* by part; NULL: any value */
    wf_value *values; /* by key: what stands for it at the beginning of a step */
    wf_unread *unread; /* by their expressions */
    uint32_t unread_count;
    uint8_t *only; /* scratch, by key */
    uint32_t *live; /* by state of the machine: the facts that may be asked, a bit each */
    wf_cone **read; /* by key: what the facts read of it; NULL: nothing */
    bool lasts; /* a fact is asked: what is decided is kept in the state */
    wf_term *known; /* in the key that is written, the values that are known by facts alone */
    uint32_t known_count;
    wf_term kept[WF_KEPT_MOST]; /* what the facts ask of those */
    uint32_t kept_count;
    int64_t *spent; /* by budget: the most that a run of the input at hand has spent */
} wf_hiding;

/* Part of a machine that can be hidden, and is worth it: it changes. By part. */
void wf_find_hideable(const wfsm_machine *machine, uint8_t *parts);

/* All of these take an explorer that hides nothing, too. */

/* False when out of memory. */
bool wf_hiding_begin(struct wf_explorer *explorer);
/* It is not read. */
bool wf_hides(const struct wf_explorer *explorer, uint32_t part);
/* The key of a state is written. */
void wf_hiding_key(struct wf_explorer *explorer);
/* What stands in the key of a state for the value of a key of the context that is known by facts: they
 * are noted on the path. When out of memory, wf_symbolic_failed() is true. */
wf_value wf_hiding_facts(struct wf_explorer *explorer, uint32_t slot, const wf_value *value);
/* Any value of a hidden key; those of one run have different numbers. */
wf_value wf_hiding_value(wf_symbolic *self, uint32_t slot, uint32_t number);
/* A value that does not fit the schema of a hidden key. The key has a schema. */
wf_value wf_hiding_mismatch(wf_symbolic *self, uint32_t slot);
bool wf_hiding_is_mismatch(const wf_symbolic *self, wf_term term);
/* A run of a step begins. */
void wf_hiding_run(wf_symbolic *self);
/* schemas.context of a key, or NULL. */
const wf_schema *wf_key_schema(const wfsm_machine *machine, uint32_t slot);
/* The same of a search that hides something; of another, NULL. */
const wf_schema *wf_hiding_schema(const struct wf_explorer *explorer, uint32_t slot);
/* The keys of the restored state get any values. */
void wf_hiding_restore(struct wf_explorer *explorer);
/* True if the expression was not evaluated, because nobody needs its value as it is. */
bool wf_hiding_skips(wf_symbolic *self, const wf_expr *expr, struct wf_run *run,
                     wf_value *value, int32_t *status);
/* False if the key of the state does not keep this literal of the path: it is about what is known by facts,
 * and is none. */
bool wf_hiding_lasts(const wf_symbolic *self, uint32_t number);
/* True if it reads a key of which nothing is known but facts. */
bool wf_hiding_reads(const wf_hiding *self, const wf_expr *expr);
/* It reads the event, or what may be it: then it says nothing about the time after the step. */
bool wf_hiding_reads_event(const wf_expr *expr);
/* hiding_live.c: finds which facts may still be asked in which states. False when out of memory. */
bool wf_hiding_find_live(struct wf_explorer *explorer);
/* This fact may still be asked in the configuration at hand. */
bool wf_hiding_is_live(const struct wf_explorer *explorer, uint32_t fact);
/* The facts that are written like the rule, a bit each. */
uint32_t wf_hiding_facts_like(const wf_hiding *self, const wf_expr *rule);
/* True if it reads this key. */
bool wf_hiding_reads_key(const wf_hiding *self, const wf_expr *rule, uint32_t slot);
bool wf_hiding_is_fact(const wf_hiding *self, const wf_expr *rule);
/* The rule asks its operands for their truth, in turn, and gives nothing but truth. */
bool wf_hiding_is_truth(const wf_expr *rule);
/* Whether a guard is true, where only some of what it reads is known. */
int32_t wf_hiding_test(wf_symbolic *self, const wf_expr *rule, struct wf_run *run, bool *yes);
/* The value of an expression. What an `if` chooses by is asked as a guard is. */
int32_t wf_hiding_eval(wf_symbolic *self, const wf_expr *expr, struct wf_run *run,
                       wf_value *value);
/* The run at hand depends on the symbols of the term. */
void wf_hiding_meet(wf_symbolic *self, wf_term term);
/* Hidden budgets get an amount, which is a choice of the run. */
void wf_hiding_choose(struct wf_explorer *explorer);
/* After the run: only amounts that make a difference to what the runs of this input, since the first,
 * have spent are tried. */
void wf_hiding_chosen(struct wf_explorer *explorer, bool first);
/* typed_failure.c: false only if no data makes the expression fail, as long as the keys of the context fit
 * their schemas. */
bool wf_typed_may_fail(const wfsm_machine *machine, const wf_expr *expr);
/* The rounds of a hidden budget that a rule reads; false if they are known. */
bool wf_hiding_tells(wf_symbolic *self, uint32_t budget, wf_value *used);
/* Of this budget any amount may have been used. */
bool wf_hiding_is_any(const struct wf_explorer *explorer, const wf_spent *spent);
/* The amount in the key of a state. */
void wf_hiding_used(const struct wf_explorer *explorer, wf_spent *spent);
#endif
