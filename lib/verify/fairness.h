/*
 * verify/fairness.h: who must act some time. A process is an invocation, the timers of one name and id, a
 * budget of time, the timers and budgets as a whole, somebody who is asked by a state with the tag
 * awaiting_input, or all who are asked by one state or another. It is enabled in a state where it is outstanding, set or asked. In a run that continues for ever, weak
 * fairness passes over no process that is enabled from some state on: it acts, or it is withdrawn or set
 * again. Strong fairness passes over none that can act again and again: it acts. A timer can act where it can be
 * the next one.
 *
 * A state stands for many, and a process may be able to act in some of them only. A cycle that passes over
 * no process that may be enabled is fair for sure. One that passes over none that is enabled for sure may be.
 */
#ifndef WF_VERIFY_FAIRNESS_H
#define WF_VERIFY_FAIRNESS_H

#include "verify/components.h"
#include "verify/search.h"

enum { WF_TIMER_IDS = 16, WF_PEOPLE_FOLLOWED = 64 };

/* A state where a process is not enabled, or a step that it takes. */
typedef struct wf_witness {
    uint32_t from, to; /* WF_NONE: there is none. Of a state they are the same */
    bool step;
} wf_witness;

typedef struct wf_fairness {
    wf_search *search;
    const wf_subgraph *graph;
    bool strong;
    bool instant; /* no time passes: only timers that can be the next count */
    bool waits;   /* in the state at hand, something other than a timer can happen */
    bool certainly;  /* only processes that are enabled for sure count */
    bool differs; /* that would make a difference */
    uint32_t count, words; /* processes; words of their sets */
    uint64_t *here;        /* enabled in the state at hand */
    uint64_t *sure;        /* for sure */
    uint64_t *ready,
        *ready_sure; /* the same of those that can act now; timers only for strong fairness */
    uint64_t *always, *ever; /* enabled in all of the states, in some */
    uint64_t *able;        /* ready in some */
    uint64_t *served;      /* acted in a step, or was withdrawn or set again */
    uint64_t *acted;
    uint64_t *acting, *gone; /* in the step at hand: acts; is withdrawn or set again */
    uint64_t *seen;        /* have a witness */
    uint64_t *answering;   /* people who are answered by the step at hand */
    uint64_t *heard;       /* by a step of the state at hand */
    uint64_t *certain;     /* by each run so far of the input at hand */
    wf_ways
        ways; /* over symbols, the answers in the state at hand: a bit for each state that asks */
    uint32_t ids[WF_TIMER_IDS]; /* of timers that were seen: hashes */
    uint32_t id_count;
    uint32_t *asking; /* the states that ask somebody */
    uint32_t asking_count;
    wf_witness *witnesses; /* by process */
    uint32_t at, next; /* the state at hand; the only successor that counts, or WF_NONE */
    uint32_t *part; /* by state: the part of the graph that it belongs to; 0: none */
    uint32_t parts; /* numbers given so far */
    uint32_t *best; /* the states of the component that is the nearest to the start */
    size_t best_count;
    bool best_instant; /* no time passes in it */
    uint32_t first; /* the smallest of them; WF_NONE: there is none */
    bool failed; /* out of memory */
} wf_fairness;

/* False when out of memory. */
bool wf_fairness_init(wf_fairness *self, wf_search *search, const wf_subgraph *graph);
void wf_fairness_fini(wf_fairness *self);

/* Steps and states of a part of the graph, into the sets: of so many states, all with one number in
 * `part`; or of a cycle, the states after its first one, which is the last. False when out of
 * memory. */
bool wf_fairness_visit_part(wf_fairness *self, const uint32_t *members, size_t count);
bool wf_fairness_visit_cycle(wf_fairness *self, const uint32_t *states, size_t count);
/* The same of one state. Then `here` has what counts in it. */
bool wf_fairness_visit(wf_fairness *self, uint32_t state);
/* A process that what was visited passes over; WF_NONE: none, it is fair. Strong fairness assumes all that weak
 * fairness does. */
uint32_t wf_fairness_weakly_passed_over(const wf_fairness *self);
uint32_t wf_fairness_passed_over(const wf_fairness *self);

/* fair_cycle.c: whether a strongly connected part of the graph has a fair cycle. False when out of
 * memory. */
bool wf_is_fair_part(wf_fairness *self, const uint32_t *members, size_t count, bool *fair);
/* fair_cycle.c: looks for a fair cycle in the graph: of those that there are, one that is near to the
 * start. Sets state, cycle (new, the caller's), cycle_count and cause; cycle_count is 0 if there is
 * none. False when out of memory. */
bool wf_fair_cycle(wf_fairness *self, wf_search_diagnostic *found);

/* processes.c: their numbers, count and words. */
bool wf_processes_number(wf_fairness *self); /* false when out of memory */
bool wf_process_is_person(const wf_fairness *self, uint32_t process);
/* That it never acts is why a cycle continues: cause and of, if there are words for it. */
void wf_process_cause(const wf_fairness *self, uint32_t process, wf_search_diagnostic *found);
/* Restores a state, and finds who can act in it: here and sure. False when out of memory. */
bool wf_fairness_enter(wf_fairness *self, uint32_t state);
/* Removes people whom no event of the state answers. Only the moves of the state show that. */
void wf_processes_asked(wf_fairness *self);
/* Sets `answering`: the people who answer in the step at hand. */
void wf_processes_answering(wf_fairness *self, const wf_successor *successor);
/* Over symbols: notes the step at hand as a way on of those who answer; and after all steps of a state, adds those to
 * `sure` who can answer whatever the values. */
void wf_processes_ways(wf_fairness *self, const wf_successor *successor);
void wf_processes_sure(wf_fairness *self);
/* Who acts in the step at hand, and who is withdrawn or set again: acting and gone. */
void wf_processes_acting(wf_fairness *self, const wf_successor *successor);
void wf_processes_gone(wf_fairness *self);
bool wf_fairness_idle(const wf_fairness *self);
/* Why nobody acts in the restored state: cause and of. */
void wf_fairness_rest_cause(const wf_fairness *self, wf_search_diagnostic *found);
/* Why the cycle that was visited continues. */
void wf_fairness_cycle_cause(const wf_fairness *self, wf_search_diagnostic *found);
#endif
