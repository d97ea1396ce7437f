/*
 * verify/run_times.h: when the moves of a run happen. Timers, budgets of time, time limits and the ends of
 * attempts say how much time there is between two moves, at least or at most. The earliest times that fit
 * all of it are those of the run.
 */
#ifndef WF_VERIFY_RUN_TIMES_H
#define WF_VERIFY_RUN_TIMES_H

#include "verify/input.h"

/* A timer: the move that set it, and its delay. */
typedef struct wf_running_timer {
    uint32_t move;
    int64_t delay;
} wf_running_timer;

/* An attempt of an agent, and the move since which it is outstanding. */
typedef struct wf_running_work {
    uint64_t revision;
    uint32_t ordinal, attempt, move;
} wf_running_work;

/* `later` is no sooner than `gap` after `sooner`. */
typedef struct wf_time_gap {
    uint32_t sooner, later;
    int64_t gap;
} wf_time_gap;

typedef struct wf_run_times {
    const wf_explorer *explorer;
    const wf_snapshot *snapshot; /* of the run */
    wf_running_timer *timers;    /* by number; those that are gone, too */
    size_t timer_count, timer_capacity;
    wf_running_work *works; /* that have an end (attempt_ends.c); those that are gone, too */
    size_t work_count, work_capacity;
    wf_time_gap *intervals;
    size_t interval_count, interval_capacity;
    int64_t *at; /* of each move */
} wf_run_times;

/* All functions that return bool: false when out of memory. */
bool wf_run_times_begin(wf_run_times *self, const wf_explorer *explorer,
                        const wf_snapshot *snapshot, size_t moves);
void wf_run_times_end(wf_run_times *self);
/* Before the step of a move, and after it. */
bool wf_run_times_before(wf_run_times *self, uint32_t move, const wf_input *input);
bool wf_run_times_after(wf_run_times *self, uint32_t move);
bool wf_run_times_between(wf_run_times *self, uint32_t sooner, uint32_t later, int64_t gap);
/* The delay of a timer. */
int64_t wf_run_times_delay(const wf_run_times *self, uint64_t timer);
/* Sets `at`; false when no times fit. */
bool wf_run_times_solve(wf_run_times *self, size_t moves);
#endif
