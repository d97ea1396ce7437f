/*
 * verify/verify_explore.h: breadth first through everything that can happen. What is noticed on
 * the way is told by rule and subject, each once, with the state it was first seen at: no way
 * there is shorter.
 */
#ifndef WF_TOOLS_VERIFY_EXPLORE_H
#define WF_TOOLS_VERIFY_EXPLORE_H

#include <wfsm/verify.h>
#include "verify/verify_states.h"
#include "verify/verify_try.h"

/* What can be wrong; the subject tells which. Errors first, up to UNREACHED. */
enum wf_rule {
    WF_RULE_PROPERTY,        /* property */
    WF_RULE_START_FAILS,     /* input of the start */
    WF_RULE_STEP_FAILS,      /* state */
    WF_RULE_DEADLOCK,        /* state */
    WF_RULE_LIVELOCK,        /* state */
    WF_RULE_NO_END,          /* state */
    WF_RULE_UNREACHED,       /* property: a `reachable` that is not */
    WF_RULE_ERROR_UNHANDLED, /* invocation */
    WF_RULE_EXECUTION_UNHANDLED, /* state */
    WF_RULE_BUDGET_UNHANDLED,    /* budget */
    WF_RULE_RESULT_DROPPED,  /* invocation */
    WF_RULE_TIMER_DROPPED,   /* state */
    WF_RULE_EVENT_DROPPED,   /* event, or how many there are: one that is none of them */
    WF_RULE_CONFLICT,        /* transition, of two in different regions the later one */
    WF_RULE_DEAD_STATE,      /* state */
    WF_RULE_DEAD_TRANSITION, /* transition */
    WF_RULE_ORDER,           /* transition, of two that are enabled the later one */
    WF_RULES
};

typedef struct wf_notice {
    uint8_t rule;
    bool at_state;    /* of a state; else of one of its moves */
    bool round;       /* from there it goes round */
    uint32_t subject;
    uint32_t state;   /* WF_NONE: the start, or no place */
    uint32_t start;   /* of a start's move: number of the input */
    uint32_t *cycle;  /* states that come after it, back to itself; NULL: none */
    uint32_t cycle_count;
} wf_notice;

/* Of a state. */
enum {
    WF_FLAG_DONE = 1,
    WF_FLAG_TERMINAL = 2, /* has the tag */
    WF_FLAG_AWAITING = 4, /* likewise awaiting_input */
    WF_FLAG_WORK = 8,     /* an invocation or a timer is outstanding */
    WF_FLAG_CUT = 16,     /* not gone on from */
    WF_FLAG_MARK = 32     /* for whoever needs one */
};

typedef struct wf_exploration {
    wf_kit kit;
    wf_states states;
    wfsm_verify_options options;
    const wf_value *inputs; /* of the start */
    size_t input_count;
    uint32_t terminal, awaiting; /* tags; WF_NONE: not used */
    uint64_t *reached; /* set of states of the machine */
    uint8_t *taken;    /* by transition */
    uint8_t *held;     /* by property: a `reachable` was reached */
    wf_notice *notices;
    size_t notice_count, notice_capacity;
    uint64_t moves, changes, told;
    uint32_t at, depth, level_end;
    uint32_t start;   /* input being tried */
    bool moved;       /* the state at hand can become another one */
    bool stopped;     /* by a bound, or by progress */
    const char *bound; /* which one was reached; NULL: none. Static, or in the kit's arena */
} wf_exploration;

/* Explores. NO_MEMORY, or what the document's start answers beyond a finding. */
int32_t wf_explore(wf_exploration *self);
/* Adds what was noticed, unless it was before. False when out of memory. */
bool wf_explore_note(wf_exploration *self, wf_notice notice);

/* What is wrong with one move, one rule after the other. False ends it. */
typedef bool wf_noticed(void *user, uint8_t rule, uint32_t subject);
bool wf_judge(const wf_kit *kit, const wf_trial *trial, wf_noticed *tell, void *user);
/* The innermost active state, the last in document order. */
uint32_t wf_leaf_of(const wf_snapshot *snapshot);
void wf_explore_counts(const wf_exploration *self, wfsm_verify_counts *counts);
#endif
