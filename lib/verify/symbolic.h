/*
 * verify/symbolic.h: the step over values that are not known. A value from outside is a symbol, and
 * what a rule makes of it is a term (terms.h). Where the step asks for more than is known of it
 * (whether a guard is true, whether a value fits its schema), either the literals of the path
 * decide, or both answers are tried: the step runs once for each, and the literal is remembered.
 * Every concrete run follows one of these paths.
 *
 * A value that is a term is a text that no document contains. So it can be stored and copied
 * like any other, also inside of lists and objects. What reads it is called through
 * wf_evaluator (logic/expr.h).
 */
#ifndef WF_VERIFY_SYMBOLIC_H
#define WF_VERIFY_SYMBOLIC_H

#include "machine/model.h"
#include "step/snapshot.h"
#include "verify/data_classes.h"
#include "verify/intern.h"
#include "verify/minimize.h"
#include "verify/solve.h"

struct wf_explorer;

enum {
    WF_DECISIONS_MOST = 512, /* in one step */
    WF_LITERALS_MOST = 96,  /* of one state */
    WF_CONDITIONS_MOST = 1024,    /* on a whole trace */
    WF_DELAYS_MOST = 8, /* in one step */
    WF_JOINS_MOST = 8, /* operators of arithmetic */
    WF_PATCHED_MOST = 8, /* in one step */
    WF_FRESH = 1 << 20, /* the number of the first symbol that is made in a step */
    WF_SYMBOLS_OF_MOVE = 4096 /* on a trace, each move has numbers of its own */
};

/* The symbols of an input. The others of its step follow. */
enum wf_input_symbol {
    WF_SYMBOL_DATA,
    WF_SYMBOL_SENDER,
    WF_SYMBOL_EVENT_ID,
    WF_SYMBOL_MESSAGE,
    WF_SYMBOL_REASON,
    WF_SYMBOL_DIGEST,
    WF_SYMBOL_VOTES,
    WF_SYMBOL_NOW,
    WF_SYMBOL_INSTANCE,
    WF_SYMBOL_NAME,
    WF_SYMBOL_USED, /* of the first budget; those of the others follow */
    WF_BUDGETS_FOLLOWED = 8,
    WF_SYMBOL_TOLD = WF_SYMBOL_USED + WF_BUDGETS_FOLLOWED, /* the same of their events */
    WF_SYMBOL_VOTE =
        WF_SYMBOL_TOLD + WF_BUDGETS_FOLLOWED, /* the first one; the others follow */
    WF_VOTES_FOLLOWED = 8,
    WF_SYMBOLS_OF_INPUT = WF_SYMBOL_VOTE + WF_VOTES_FOLLOWED
};

/* An answer in a step that was not known beforehand, so that the same way is found again. */
typedef struct wf_decision {
    const void *origin; /* what asked */
    uint32_t part;
    uint8_t answer;
} wf_decision;

/* The delay of a timer, in ms. */
typedef struct wf_delay_bounds {
    int64_t least, most;
} wf_delay_bounds;
/* A delay that is not known has this number, or one of the next ones. */
#define WF_DELAY_UNKNOWN 4503599627370496.0 /* 2^52 */
#define WF_DELAY_MOST 9007199254740992.0

struct wf_run;
struct wf_hiding;
typedef struct wf_symbolic {
    struct wf_explorer *explorer;
    wf_evaluator evaluator;
    /* wf_symbolic_eval(): expressions have expressions in them. */
    int32_t (*recurse)(struct wf_symbolic *self, const wf_expr *expr, struct wf_run *run,
                       wf_value *result);
    wf_terms terms;
    wf_arena arena;   /* texts of terms */
    wf_arena scratch; /* of one step */
    wf_value *values; /* by term; ABSENT: none was asked for */
    size_t value_count, value_capacity;
    wf_literal path[WF_CONDITIONS_MOST];
    uint32_t path_count;
    uint32_t kept; /* the first so many belong to the state before the step */
    const wf_expr
        *asked_by[WF_CONDITIONS_MOST]; /* by literal: the rule that asked for it, or NULL */
    const wf_expr *asking; /* the rule that is evaluated; NULL: none */
    const wf_expr *opaque_rule; /* on the way that is followed: the first whose value is not */
    uint32_t base,
        fresh; /* the symbols of this step: their first number, and how many there are */
    wf_delay_bounds delays[WF_DELAYS_MOST]; /* that are not known, of this step */
    uint32_t delay_count;
    wf_decision made[WF_DECISIONS_MOST];
    uint32_t made_count;
    const wf_decision *log; /* the way to follow, or NULL: the solver and choices decide */
    uint32_t log_count, log_at;
    const wf_expr *joins[WF_JOINS_MOST]; /* bodies, by operator (symbolic_lists.c) */
    uint32_t joins_count;
    wf_value patched[WF_PATCHED_MOST]; /* the first patches of the host in this run */
    uint32_t patched_count;
    bool failed; /* out of memory */
    bool looked_at_time; /* this run */
    bool
        splits; /* what this run has decided depends on more than what its input says: other values of the state,
                    or what was not followed, may not let it happen */
    bool
        lost; /* since it was set to false, a step had a value that is not the one of production */
    bool guesses; /* this run has tried an answer that follows from no value */
    wf_intern asked; /* questions to the solver, and its answers (decide.c) */
    uint8_t *answers;
    size_t answer_count, answer_capacity;
    wf_minimized minimized;
    const wf_schema *
        *fitted; /* that terms were checked against: literals are sorted in this order */
    size_t fitted_count, fitted_capacity;
    uint32_t searches_left; /* for the values of a trace, as hard as they are made */
    uint32_t work; /* so many hard questions are still asked */
    uint64_t solved, solved_most; /* questions that the solver was asked; their bound, or 0 */
    bool (*goes_on)(void *search); /* called after some questions. False: no more are asked */
    void *search;
    bool stopped; /* by it */
    const wf_schema *shapes[WF_SYMBOLS_OF_INPUT]; /* NULL: not needed yet */
    const char *unproved; /* what is not followed, so that nothing is proved; or NULL */
    const wf_expr *unproved_rule; /* which gives it, or NULL */
    const char *remedy; /* what would help in the schema of its data */
    const char *gap; /* `unproved` before the first search: no search follows it; or NULL */
    struct wf_hiding *hiding; /* what is not followed at all; NULL: nothing */
} wf_symbolic;

bool wf_symbolic_init(wf_symbolic *self, struct wf_explorer *explorer);
void wf_symbolic_fini(wf_symbolic *self);
/* True when it ran out of memory at some time. */
bool wf_symbolic_failed(const wf_symbolic *self);
/* Prepares it for another search of the same machine. The terms, and the answers of the solver, are kept. */
void wf_symbolic_again(wf_symbolic *self);
/* Begins a run of a step. */
void wf_symbolic_begin(wf_symbolic *self);

/* ---- values ---- */

/* True if the value itself is a term. */
bool wf_symbolic_term(const wf_value *value, wf_term *term);
/* True if it is a term, or has one in it. */
bool wf_symbolic_within(const wf_value *value);
/* The value of a term; ABSENT when out of memory. */
wf_value wf_symbolic_value(wf_symbolic *self, wf_term term);
/* The term of a value; WF_NONE when out of memory. */
wf_term wf_symbolic_of(wf_symbolic *self, const wf_value *value);
/* The term of an operator on two terms, and on two values; WF_NONE when out of memory. */
wf_term wf_symbolic_applied(wf_symbolic *self, const char *op, wf_term one, wf_term other);
wf_term wf_symbolic_compared(wf_symbolic *self, const char *op, const wf_value *one,
                             const wf_value *other);
/* A symbol that this step has not seen yet; ABSENT when out of memory. `schema` may be NULL. */
wf_value wf_symbolic_fresh(wf_symbolic *self, const wf_schema *schema);

/* ---- decisions (decide.c) ---- */

/* WFSM_OK; WFSM_NO_MEMORY. The literal's complement is what holds if *yes is false. */
int32_t wf_decide(wf_symbolic *self, const void *origin, uint32_t part,
                  const wf_literal *literal, bool *yes);
/* Both answers are tried, as far as is known. */
int32_t wf_decide_freely(wf_symbolic *self, const void *origin, uint32_t part, bool *yes);
int32_t wf_decide_truth(wf_symbolic *self, const void *origin, uint32_t part,
                        const wf_value *value, bool *yes);
/* Whether the value has one of the types. */
int32_t wf_decide_type(wf_symbolic *self, const void *origin, uint32_t part,
                       const wf_value *value, uint8_t types, bool *yes);
/* Those that it may have, as schemas say, without asking the solver. */
uint8_t wf_decide_types(const wf_symbolic *self, wf_term term);
/* True if the term depends on more than what the input says: on the state, or on what the host or the instance
 * makes in the step. */
bool wf_decide_is_made(const wf_symbolic *self, wf_term term);
/* A symbol is made for a value that is not followed. */
void wf_symbolic_opaque(wf_symbolic *self);
/* The delay that the term is gets bounds, the next of self->delays. False: there are too many. */
bool wf_decide_bounds(wf_symbolic *self, wf_term term);
/* The bounds of a timer's delay; of one that is known, twice the same. `self` may be NULL. */
wf_delay_bounds wf_symbolic_delay(const wf_symbolic *self, int64_t delay);
/* The same literal without negations by `!`, as it stands on the path. */
wf_literal wf_decide_plain(const wf_symbolic *self, const wf_literal *literal);
/* True if it is decided on this path: then *yes says how. */
bool wf_decide_follows(wf_symbolic *self, const wf_literal *literal, bool *yes);
/* True if the literal of a term that can be evaluated is true on this path, as far as that is seen without much
 * work. */
bool wf_decide_proves(wf_symbolic *self, const wf_literal *literal);
/* The same of whether the term can be evaluated. */
bool wf_decide_succeeds(wf_symbolic *self, wf_term term);
/* It is true on this path. */
void wf_decide_known(wf_symbolic *self, const wf_literal *known);
/* Notes what is not followed. Static text, and the rule that gives it, or NULL. */
void wf_symbolic_give_up(wf_symbolic *self, const char *what, const wf_expr *rule);
/* The same, where another keyword than `enum` would help. */
void wf_symbolic_give_up_at(wf_symbolic *self, const char *what, const wf_expr *rule,
                            const char *remedy);

/* ---- evaluation (symbolic_eval.c, symbolic_lists.c, symbolic_read.c) ---- */

void wf_symbolic_evaluator(wf_symbolic *self);

/* ---- ways without values (culprit.c) ---- */

/* After wf_trace_values(), of a way that no run with values could follow: the rule to blame, or NULL. */
const wf_expr *wf_culprit(wf_symbolic *self, wf_arena *arena);

/* ---- data from outside (symbolic_data.c) ---- */

/* Symbols instead of the classes of data that are not exact. False when out of memory. */
bool wf_symbolic_sources(struct wf_explorer *explorer);
/* A symbol of the input. */
wf_value wf_symbolic_input(wf_symbolic *self, uint32_t which);
/* symbolic_time.c: the time of a step. */
wf_value wf_symbolic_now(wf_symbolic *self);
/* The schema of an amount. */
const wf_schema *wf_symbolic_count(wf_symbolic *self);
/* The event of this name, if the name stands for all that only a prefix matches; else NULL. */
const struct wf_external_event *wf_symbolic_any_name(const wf_symbolic *self,
                                                     const wf_value *name);
/* The symbol of an input with this number. The schema may be NULL. */
wf_value wf_symbolic_numbered(wf_symbolic *self, uint32_t which, const wf_schema *schema);
/* What a host's function may do: any value that fits for each key that counts. */
wf_value wf_symbolic_patch(wf_symbolic *self);

/* ---- votes (symbolic_votes.c) ---- */

/* A member of what a person is asked: the people, if it is not known how many they are. */
#define WF_PEOPLE_UNSEEN "\1people"
/* What people may decide. Over symbols it is one input for each list of approvals and rejections that
 * decides, if it is known how many it takes. NULL when out of memory. */
const wf_data_classes *wf_decisions_of(struct wf_explorer *explorer, const wf_invocation *work);
/* What the key of a state over symbols says of an invocation that waits for a person: its input; null if
 * nothing depends on it. */
wf_value wf_symbolic_asks(struct wf_explorer *explorer, const wf_invocation *work);
/* Notes on the path of a step that takes such a decision: each vote is by somebody who is asked, and nobody votes
 * twice. */
void wf_symbolic_assume_votes(wf_symbolic *self, const wf_invocation *work,
                              const wf_value *decision);

/* ---- states (symbolic_state.c) ---- */

/* The symbols of a state are numbered in the order in which they are met. */
typedef struct wf_renaming {
    wf_symbolic *self;
    wf_term *from, *to; /* pairs */
    uint32_t count, capacity;
    uint32_t symbols;
    uint32_t path_count; /* of the path before it */
    const struct wf_cone *wanted; /* what rules ask of the key at hand; NULL: not known */
    bool failed;
} wf_renaming;

void wf_renaming_begin(wf_renaming *renaming, wf_symbolic *self);
/* ABSENT when out of memory. */
wf_value wf_renamed(wf_renaming *renaming, const wf_value *value);
/* The same of a key of the context, of which rules ask what the cone says. In a search that hides others, a term
 * becomes any value that fits. */
wf_value wf_renamed_key(wf_renaming *renaming, const wf_value *value,
                        const struct wf_cone *wanted, const wf_schema *schema);
/* What is known of the symbols that were met, as a value for the intern table. */
wf_value wf_renamed_path(wf_renaming *renaming);
/* The path of a state that is restored. */
void wf_symbolic_restore(wf_symbolic *self, const wf_value *path);
#endif
