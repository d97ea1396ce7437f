/*
 * verify/timer_bounds.h: which timer can be the next to fire. The abstraction of time is a
 * difference bound matrix, as for timed automata: bounds on the differences of deadlines, and on
 * their distance from now. A host may be late, so that only the firing of timers proves that
 * time has passed. A punctual host fires what is due before anything else happens. The bounds
 * are tight: an order is possible if and only if they allow it.
 *
 * One deadline strictly before another is one millisecond before it, and a chain of such orders adds
 * up to as many different bounds. Where all delays are multiples of a grain of many milliseconds, no
 * chain that is shorter than the grain tells the difference. Then it is not counted.
 *
 * A time limit of a property is a deadline at which nothing fires: it may pass. The end of an agent's
 * attempt is one that does not pass: what ends the attempt comes before it, or at that time.
 */
#ifndef WF_VERIFY_TIMER_BOUNDS_H
#define WF_VERIFY_TIMER_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WF_TIMER_BOUNDS_MOST = 12 };
#define WF_TIMER_BOUNDS_FAR INT64_MAX

/* at[a][b] is an upper bound of a - b; WF_TIMER_BOUNDS_FAR: none. Index 0 is now; timers follow
 * from 1 in the order in which they were set, after them the limits of properties, and then the ends of
 * attempts. */
typedef struct wf_timer_bounds {
    uint32_t count; /* timers, limits and ends */
    uint32_t limits; /* limits and ends */
    uint32_t ends;
    bool punctual;
    int64_t grain; /* all delays are multiples of it; 0: the time is exact to the millisecond */
    int64_t at[WF_TIMER_BOUNDS_MOST + 1][WF_TIMER_BOUNDS_MOST + 1];
} wf_timer_bounds;

void wf_timer_bounds_clear(wf_timer_bounds *times);
/* Adds the bounds that follow from others. False when they contradict. */
bool wf_timer_bounds_tighten(wf_timer_bounds *times);
/* timer_overdue.c. Before time passes: by how much timers are overdue is kept only as far as it matters. */
void wf_timer_bounds_settle(wf_timer_bounds *times);
/* After an input: time may pass. */
void wf_timer_bounds_pass(wf_timer_bounds *times);
/* Something other than a timer happens now; false if a timer must fire before it. */
bool wf_timer_bounds_other(wf_timer_bounds *times);
/* The index-th timer (from 0) fires now, before all others; false if it cannot. It stays in
 * the list. The first `budgets` of them are budgets of time. */
bool wf_timer_bounds_fire(wf_timer_bounds *times, uint32_t index, uint32_t budgets);
void wf_timer_bounds_remove(wf_timer_bounds *times, uint32_t index);
/* Adds a timer that is due `delay` from now. False when there are too many. */
bool wf_timer_bounds_add(wf_timer_bounds *times, int64_t delay);
/* The same of a delay that is not known, but for its bounds. */
bool wf_timer_bounds_add_between(wf_timer_bounds *times, int64_t least, int64_t most);

/* Adds a limit, `delay` from now, in the place `limit` (from 0). False when there are too many. */
bool wf_timer_bounds_add_limit(wf_timer_bounds *times, uint32_t limit, int64_t delay);
void wf_timer_bounds_remove_limit(wf_timer_bounds *times, uint32_t limit);
/* The limit has passed, or has not, at the time at hand; false if that cannot be. */
bool wf_timer_bounds_exceed(wf_timer_bounds *times, uint32_t limit);
bool wf_timer_bounds_respect(wf_timer_bounds *times, uint32_t limit);

/* The same of the end of an attempt, among the ends. */
bool wf_timer_bounds_add_end(wf_timer_bounds *times, uint32_t end, int64_t delay);
void wf_timer_bounds_remove_end(wf_timer_bounds *times, uint32_t end);

/* The same bounds with the timers in another order: the i-th of them is the from[i]-th before. The
 * first `budgets` entries and the limits stay. */
void wf_timer_bounds_order(wf_timer_bounds *to, const wf_timer_bounds *times,
                           const uint32_t *from, uint32_t budgets);

/* timer_restore.c. The bounds become those that a checkpoint keeps: of them what is true after the way back. */
void wf_timer_bounds_keep(wf_timer_bounds *kept, uint32_t budgets);
/* What a checkpoint has kept becomes the bounds at the time of the way back to it. `now` are those before that; NULL: it
 * is not known how much time has passed. Both begin with the same budgets of time. False: it cannot be. */
bool wf_timer_bounds_go_back(wf_timer_bounds *kept, const wf_timer_bounds *now,
                             uint32_t budgets);

/* The bounds as bytes, for keys: at most WF_TIMER_BOUNDS_BYTES. Only after
 * wf_timer_bounds_pass(). */
enum { WF_TIMER_BOUNDS_BYTES = WF_TIMER_BOUNDS_MOST * WF_TIMER_BOUNDS_MOST * 10 };
size_t wf_timer_bounds_write(const wf_timer_bounds *times, uint8_t *bytes);
/* `count` includes the limits. The caller sets `punctual`, `grain`, `limits` and `ends` before. */
size_t wf_timer_bounds_read(wf_timer_bounds *times, uint32_t count, const uint8_t *bytes);

/* The greatest common divisor; 0 has any. */
int64_t wf_common_divisor(int64_t a, int64_t b);

/* Numbers in 1 to 10 bytes (LEB128). */
size_t wf_number_write(uint8_t *bytes, uint64_t number);
size_t wf_number_read(const uint8_t *bytes, uint64_t *number);
#endif
