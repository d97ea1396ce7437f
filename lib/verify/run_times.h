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

/* A timer at a checkpoint: the move that kept it, and the time that it has left there, as far as is known. */
typedef struct wf_kept_timer {
    wf_running_timer timer;
    uint32_t move;
    int64_t left;
} wf_kept_timer;

typedef struct wf_kept_timers {
    wf_kept_timer *list; /* in the order of the run */
    size_t count, capacity;
} wf_kept_timers;

/* The time that timers have left at a checkpoint, where no run before tells it: all of their delays, or none, as if they
 * were overdue. */
typedef enum wf_left { WF_LEFT_ALL, WF_LEFT_NOTHING } wf_left;

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
    wf_running_timer *timers; /* by number; those that are gone, too */
    size_t timer_count, timer_capacity;
    wf_kept_timers kept;
    size_t kept_before; /* in a run before, which tells what so many of them have left */
    wf_left left;
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
/* When a timer is due, in a run at known times. */
int64_t wf_run_times_due(const wf_run_times *self, uint64_t timer);
/* The move keeps the timer: what it is taken to have left. -1 when out of memory. */
int64_t wf_run_times_keep(wf_run_times *self, uint32_t move, uint64_t timer);
/* After solving: takes what is left at these times, for the next run. True if that is what was taken. */
bool wf_run_times_find_left(wf_run_times *self);
/* The next run has what is left from the one before. */
wf_kept_timers wf_run_times_take_left(wf_run_times *self);
void wf_run_times_give_left(wf_run_times *self, wf_kept_timers before);
/* Sets `at`; false when no times fit. */
bool wf_run_times_solve(wf_run_times *self, size_t moves);
#endif
