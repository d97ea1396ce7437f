/* verify/trace.h: traces. The search keeps the parent of each state only; the inputs between
 * them are found again by enumerating successors. */
#ifndef WF_VERIFY_TRACE_H
#define WF_VERIFY_TRACE_H

#include "verify/search.h"

typedef struct wf_trace_move {
    wf_input input;
    uint32_t answer_count; /* answers of the host, in the order of the questions */
    uint16_t answers[WF_CHOICES_MOST];
    wf_value *patches; /* of the host's functions; NULL: those of the explorer */
    uint32_t patch_count;
    wf_decision *decisions; /* in the order in which they were made */
    uint32_t decision_count;
    uint8_t *late; /* by property: its time limit had passed; NULL: there are no limits */
    uint8_t *key; /* of the successor, without the part that depends on time; NULL: none */
    size_t key_length;
    size_t timers, works; /* numbers of timers, and of invocations in the ledger, after it */
    uint32_t kept; /* the checkpoint of the successor */
    wf_key_order order; /* of the successor */
} wf_trace_move;

typedef struct wf_trace {
    wf_trace_move *moves; /* the first is the start */
    size_t count, capacity;
    const wf_value
        *context; /* what it must end with: by key, ABSENT if it does not matter; NULL: any */
    int64_t wait; /* ms that pass after the last move, without another one */
    size_t cycle; /* index of the first move of the cycle; == count: there is none */
} wf_trace;

/* A shortest trace to a diagnostic, in the arena but for the list of moves. Fails with
 * NO_MEMORY; NOT_FOUND if a successor was not found again. */
int32_t wf_trace_find(wf_search *self, const wf_search_diagnostic *found, wf_arena *arena,
                      wf_trace *trace);
/* Adds a move from a state (WF_NONE: the start) to a state, of which `fits` says yes. As above. */
typedef bool wf_move_test(void *user, wf_explorer *explorer, const wf_successor *successor);
int32_t wf_trace_step(wf_search *self, uint32_t from, uint32_t to, wf_move_test *fits,
                      void *user, wf_arena *arena, wf_trace *trace);
typedef struct wf_trace_wish {
    const wf_search_diagnostic *found;
    wf_move_test *fits;
    void *user;
} wf_trace_wish;

/* Finds a move again: one to the state `to`, or with WF_NONE that of the diagnostic. `fits` is called for each
 * such move until it returns true. The step at hand of the explorer is then that of this move. NOT_FOUND if
 * there is no such move; otherwise the same statuses. */
int32_t wf_trace_look(wf_search *self, uint32_t from, uint32_t to, const wf_trace_wish *wish,
                      wf_arena *arena);
/* The same to what the search has met, of its explorer's coverage. */
int32_t wf_trace_to_goal(wf_search *self, uint32_t goal, wf_arena *arena, wf_trace *way);
/* symbolic_trace.c: replaces the symbols in the inputs of a trace by values, with which all was decided
 * as it is on the trace. *found is false when none were found. NO_MEMORY. */
int32_t wf_trace_values(wf_search *self, wf_trace *trace, wf_arena *arena, bool *found);
/* run_context.c: a copy of the context, by key, in the arena. NULL when out of memory. */
wf_value *wf_context_copy(const wf_snapshot *snapshot, wf_arena *arena);
/* Whether the context is this one; and the same of the keys that are not ABSENT in it. */
bool wf_context_is(const wf_snapshot *snapshot, const wf_value *context);
bool wf_context_fits(const wf_snapshot *snapshot, const wf_value *context);
/* An instance takes an event of an id once, so that such a trace is no run. */
bool wf_trace_repeats_an_id(const wf_trace *trace);
void wf_trace_free(wf_search *self, wf_trace *trace);
#endif
