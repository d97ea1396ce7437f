/*
 * verify/search.h: the breadth-first search through the state space. A diagnostic is a rule and
 * a subject. Each is reported once, at the state where it was first seen, so that its trace is a
 * shortest one.
 */
#ifndef WF_VERIFY_SEARCH_H
#define WF_VERIFY_SEARCH_H

#include <wfsm/verify.h>
#include "verify/measures.h"
#include "verify/independent.h"
#include "verify/state_space.h"
#include "verify/ways.h"

/* The rules, each with its subject. Errors come first, up to UNREACHED. */
enum wf_rule {
    WF_RULE_PROPERTY,        /* property */
    WF_RULE_START_FAILS,     /* input of the start */
    WF_RULE_STEP_FAILS,      /* state */
    WF_RULE_DEADLOCK,        /* state */
    WF_RULE_LIVELOCK,        /* state */
    WF_RULE_NO_END,          /* state */
    WF_RULE_UNREACHED,       /* property: a `reachable` that was not reached */
    WF_RULE_ERROR_UNHANDLED, /* invocation */
    WF_RULE_EXECUTION_UNHANDLED, /* state */
    WF_RULE_BUDGET_UNHANDLED,    /* budget */
    WF_RULE_RESULT_DROPPED,  /* invocation */
    WF_RULE_TIMER_DROPPED,   /* state */
    WF_RULE_EVENT_DROPPED,   /* event; their count: an event that is not among them */
    WF_RULE_CONFLICT,        /* transition: the later of two in different regions */
    WF_RULE_DEAD_STATE,      /* state */
    WF_RULE_DEAD_TRANSITION, /* transition */
    WF_RULE_ORDER,           /* transition: the later of two that are enabled */
    WF_RULES,
    WF_RULE_REACHED =
        WF_RULES /* property: a `reachable` that was reached. It is not reported */
};

/* Why a run waits, or goes round, for ever. */
enum wf_cause {
    WF_CAUSE_NONE,
    WF_CAUSE_ENDED,     /* the run ends before */
    WF_CAUSE_LATE,      /* its time limit has passed before */
    WF_CAUSE_UNCLAIMED, /* budget: it counts claims, and none is left */
    WF_CAUSE_REFUSED,   /* budget: it refuses claims */
    WF_CAUSE_NOBODY,    /* state: nobody has to act there */
    WF_CAUSE_TIMER_RESTARTED, /* event; their count: an event that is not among them */
    WF_CAUSE_AGENT_RESTARTED, /* invocation */
    WF_CAUSE_BUDGET_RESET,    /* budget */
    WF_CAUSE_ANSWERS,         /* people answer so for ever */
    /* Without fairness. */
    WF_CAUSE_PERSON, /* a person who is asked */
    WF_CAUSE_AGENT,  /* invocation */
    WF_CAUSE_TIMER
};

/* A diagnostic, and where its trace ends. */
typedef struct wf_search_diagnostic {
    uint8_t rule;
    bool at_state;    /* of the state itself; else of one of its successors */
    bool unsure;      /* some states of the class have a move */
    bool round;       /* a cycle follows */
    uint32_t subject;
    uint32_t state;   /* WF_NONE: the start, or no place */
    uint32_t start;   /* of an initial state: number of the input */
    uint8_t cause;    /* enum wf_cause: why something does not come */
    uint32_t cause_of; /* a budget, an invocation, a state, an event */
    uint32_t *cycle;  /* the states of the cycle, the last one is `state`; NULL: none */
    uint32_t cycle_count;
    const wf_value
        *rest; /* the context of the state for which it is so (wf_ways_cover()); NULL: any */
} wf_search_diagnostic;

/* Over symbols: a state, and a context for which nobody owes a move there. */
typedef struct wf_rest {
    uint32_t state;
    const wf_value *context;
} wf_rest;

/* Flags of a state. */
enum {
    WF_FLAG_DONE = 1,
    WF_FLAG_TERMINAL = 2, /* has the tag terminal */
    WF_FLAG_AWAITING = 4, /* has the tag awaiting_input, or waits for a person */
    WF_FLAG_WORK = 8,     /* an invocation or a timer is pending */
    WF_FLAG_CUT = 16,     /* its successors are not explored */
    WF_FLAG_UNTRIED = 64, /* an input is possible with values that no class stands for */
    WF_FLAG_MARK = 32,    /* scratch for graph algorithms */
    WF_FLAG_STUCK = 128,  /* over symbols: for some values, nobody owes a move */
    WF_FLAG_ASKED = 256   /* an event can come that is handled where somebody is asked */
};
enum { WF_SURE_INSIDE = 1, WF_SURE_ANSWER = 2 };

/* A rule that a step breaks. */
typedef struct wf_broken {
    uint8_t rule; /* enum wf_rule */
    uint8_t cause; /* enum wf_cause */
    uint32_t subject;
} wf_broken;

/* All that the search asks of a successor. */
typedef struct wf_arrival {
    uint32_t state; /* WF_NONE: the key says it */
    const uint8_t *key;
    size_t key_length;
    const wf_name *beyond; /* as in the explorer */
    const wf_broken *broken;
    uint32_t broken_count;
    uint16_t flags; /* of its state */
    bool first, certain, changed; /* as in wf_successor */
    bool owed;    /* not by going to a checkpoint */
    bool outside; /* by an input from outside */
    bool answers; /* by an event that is handled where somebody is asked */
} wf_arrival;

/* Over symbols a violation may turn out to be impossible: so many alike are kept. */
enum { WF_CANDIDATES_MOST = 6 };

typedef struct wf_search {
    wf_explorer explorer;
    wf_symbolic *symbolic; /* the explorer's; NULL: data is tried by representatives */
    wf_state_space space;
    wf_measures measures;
    wfsm_verify_options options;
    int64_t grain; /* of the times; 0: none */
    bool endless; /* the ends of attempts are not followed: there are too many */
    bool loose; /* `carries` of the explorer is not wanted: it makes too many states */
    uint32_t pause; /* it pauses when it has so many states; 0: it does not */
    uint64_t moves_most; /* 0: any number */
    uint32_t terminal, awaiting; /* tags; WF_NONE: not used */
    uint64_t *reached; /* bit set of the machine's states that were entered */
    uint8_t *taken; /* by transition: it was taken */
    uint8_t *held; /* by property: this `reachable` was reached */
    uint8_t *passed; /* by property: the state at hand has a step after its time limit */
    wf_search_diagnostic *found;
    size_t found_count, found_capacity;
    wf_broken *broken; /* by the step at hand */
    size_t broken_count, broken_capacity;
    wf_rest *rests;
    size_t rest_count, rest_capacity;
    bool reduces; /* where the moves of one region are enough, only these are explored */
    wf_regions regions; /* that it may be enough to explore; none, if it does not reduce */
    struct wf_search *shorter[2]; /* reduce.c: searches whose traces are shorter, or NULL */
    struct wf_workers *workers; /* NULL: there are none */
    bool no_workers; /* they could not be started */
    uint64_t moves, changes; /* steps that were run; those that changed something */
    uint64_t told; /* `moves` when progress was last reported */
    uint32_t at; /* the state whose successors are explored */
    uint32_t depth, level_end; /* of the level; the first state of the next one */
    uint32_t start; /* number of the start input that is being tried */
    uint8_t sure; /* the moves that each state of the class at hand has */
    bool always_moves; /* the input at hand has led to another state each time, */
    bool always_answers; /* and it was an answer of somebody who is asked */
    bool comes_from_outside; /* the input at hand */
    wf_ways ways; /* on from the state at hand, over symbols */
    bool moves_on; /* the step at hand leads to another state */
    bool may_move; /* some states of the class at hand have a successor other than itself */
    bool moved; /* the state at hand has a successor other than itself */
    bool stopped; /* by a bound, or by the progress callback */
    bool refused; /* by the progress callback */
    bool settled; /* an earlier search has found that all properties are violated */
    const char *bound; /* the one that was reached, or NULL. Static, or in explorer.arena */
} wf_search;

/* explore.c: searches of one machine, whose options and `pause` are set. Each is ended by the caller, whatever
 * it returns: NO_MEMORY, LIMIT, SYNTAX, SEMANTIC. By the classes of the data: */
int32_t wf_explore_classes(wf_search *self, wfsm_machine *machine, wfsm_error *error);
/* The same after its pause. */
int32_t wf_explore_on(wf_search *self, wfsm_machine *machine, wfsm_error *error);
/* Over symbols, if the classes do not decide all: then self->symbolic is set. */
int32_t wf_explore_symbols(wf_search *self, wf_search *first, wfsm_machine *machine,
                           wfsm_error *error);
/* One after the other. */
int32_t wf_explore(wf_search *first, wf_search *symbolic, wfsm_machine *machine,
                   wfsm_error *error);
/* One search, whose grain, `reduces` and `symbolic` are set, too. */
int32_t wf_explore_once(wf_search *self, wfsm_machine *machine, wfsm_error *error);
/* The same search once more, after wf_explore_once(). Other parts may be hidden than before. */
int32_t wf_explore_again(wf_search *self, wfsm_error *error);
/* reduce.c: instead of a search that pauses, one that reduces, if that finds everything: then *whole is
 * `reduced`, and else `first`. Both are ended by the caller, and `beside`, too. */
int32_t wf_reduce(wf_search *reduced, wf_search *beside, wf_search *first, wf_search **whole,
                  wfsm_error *error);
/* True if the reduced search has found all that the full one would find. False if it came to a bound, or left
 * something undecided. */
bool wf_reduction_decides(const wf_search *self);
/* The same diagnostic, as a search has found it that may have a shorter trace: *search is set to that one. */
const wf_search_diagnostic *wf_shorter(wf_search **search, const wf_search_diagnostic *found);
/* True if the search has tried everything. */
bool wf_explore_is_complete(const wf_search *self);
/* True if no rule reads what the classes of data do not decide. */
bool wf_explore_is_exact(const wf_search *self);
/* Searches the whole state space. NO_MEMORY, LIMIT, or what progress asked for. */
int32_t wf_search_run(wf_search *self);
/* True if it has come to its pause; what it has not found so far may still come. */
bool wf_search_is_paused(const wf_search *self);
/* After the pause; `pause` is 0. */
int32_t wf_search_go_on(wf_search *self);
/* True if the search stopped because the grain of its times is too coarse: a delay is no multiple of
 * it, or a path may have as many timers as the grain has milliseconds. Also if it is
 * crowded. */
bool wf_search_is_coarse(const wf_search *self);
/* True if it stopped because `carries` of the explorer makes too many states. */
bool wf_search_is_crowded(const wf_search *self);
/* What the progress callback says now: false ends the search. */
bool wf_search_goes_on(void *search);
/* search_report.c. True if the search hides parts of the machine (hiding.h). Then it is about one property, or
 * about the errors that need no property. */
bool wf_search_hides(const wf_search *self);
/* False if such a search is not about this rule. Then it reports no diagnostic of the rule. */
bool wf_search_asks(const wf_search *self, uint8_t rule);
/* Adds a diagnostic, unless its rule and subject were reported before. False when out of
 * memory. */
bool wf_search_report(wf_search *self, wf_search_diagnostic found);
/* Keeps the context, which may be NULL, for the state at hand. False when out of memory. */
bool wf_search_note_rest(wf_search *self, const wf_value *context);
/* The context that was kept for the state, or NULL. */
const wf_value *wf_search_rest(const wf_search *self, uint32_t state);
bool wf_search_violates(const wf_search *self, uint32_t property);
/* True if there are properties, and each was found to be violated, or was reached. */
bool wf_search_violates_all(const wf_search *self);
/* The text of a bound: a key of the context, the rounds of a budget, or the failures of an invocation, whose
 * name `beyond` is, grow without one. */
const char *wf_search_beyond(wf_search *self, const wf_name *beyond);

/* arrival.c: notes what the step at hand has reached, and fills in the move. It is valid until the next
 * step. False when out of memory. */
bool wf_arrival_read(wf_search *self, const wf_successor *successor, wf_arrival *arrival);

/* asked.c: whether the state has the tag awaiting_input. */
bool wf_asks_somebody(const wf_search *self, uint32_t state);
/* The state is the other one, or below it. */
bool wf_is_in(const wfsm_machine *machine, uint32_t state, uint32_t other);
/* The step at hand, of this input, has handled an event there: in the state, below it or above it. */
bool wf_is_answered(const wf_search *self, const wf_input *input, uint32_t state);
/* The same of any state that asks somebody. */
bool wf_is_an_answer(const wf_search *self, const wf_input *input);
/* By property: whether its time limit passes in the restored state, and nothing happens any more; NULL
 * without limits. A step after the limit has been reported. */
const uint8_t *wf_limits_passed(wf_search *self);

/* search.c: gives the sink the first state of each input. */
int32_t wf_search_start(wf_search *self, wf_successor_sink *sink, void *user);

/* search_begin.c: prepares one search, whose options, grain and `symbolic` are set. */
int32_t wf_search_begin(wf_search *self, wfsm_machine *machine, wfsm_error *error);
void wf_search_end(wf_search *self);
/* Prepares the search to run once more. It forgets its states and what it has found. NO_MEMORY. */
int32_t wf_search_again(wf_search *self);

/* check_successor.c: calls the sink for each rule that a successor breaks. False ends it. */
typedef bool wf_diagnostic_sink(void *user, uint8_t rule, uint32_t subject);
bool wf_check_successor(const wf_explorer *explorer, const wf_successor *successor,
                        wf_diagnostic_sink *tell, void *user);
/* What was reached once is not looked for again (wf_monitor_observe()), unless it is forgotten. */
void wf_forget_reached(wf_explorer *explorer);
/* The last active state in document order: a leaf. */
uint32_t wf_leaf_of(const wf_snapshot *snapshot);
void wf_search_counts(const wf_search *self, wfsm_verify_counts *counts);
#endif
