/*
 * verify/verify_time.h: which timer can be the next to fire. Of the deadlines only bounds on
 * their differences are kept, and how far each lies from now at most. A host may be late, so
 * that nothing but the firing of timers says that time has passed; one that is punctual fires
 * what is due before anything else. The bounds are tight: an order is possible if and only if
 * they allow it.
 */
#ifndef WF_TOOLS_VERIFY_TIME_H
#define WF_TOOLS_VERIFY_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WF_TIMES_MOST = 12 };
#define WF_TIMES_FAR INT64_MAX

/* at[a][b] bounds a - b from above; WF_TIMES_FAR: nothing is known. 0 is now, timers follow
 * from 1 on, in the order of their making. */
typedef struct wf_times {
    uint32_t count; /* timers */
    bool punctual;
    int64_t at[WF_TIMES_MOST + 1][WF_TIMES_MOST + 1];
} wf_times;

void wf_times_clear(wf_times *times);
/* After an input: time may pass. */
void wf_times_pass(wf_times *times);
/* Something else than a timer happens now; false if a timer has to fire before. */
bool wf_times_other(wf_times *times);
/* The index-th timer (from 0) fires now, before all others; false if it cannot. It stays in
 * the list. The first `budgets` of them are budgets of time. */
bool wf_times_fire(wf_times *times, uint32_t index, uint32_t budgets);
void wf_times_remove(wf_times *times, uint32_t index);
/* A timer due `delay` from now. False when there are too many. */
bool wf_times_add(wf_times *times, int64_t delay);

/* The bounds as bytes, for keys: WF_TIMES_BYTES at most. Only for passed times. */
enum { WF_TIMES_BYTES = WF_TIMES_MOST * WF_TIMES_MOST * 10 };
size_t wf_times_write(const wf_times *times, uint8_t *bytes);
/* `punctual` is set by the caller before. */
size_t wf_times_read(wf_times *times, uint32_t count, const uint8_t *bytes);

/* Numbers in as few bytes as they need. */
size_t wf_number_write(uint8_t *bytes, uint64_t number);
size_t wf_number_read(const uint8_t *bytes, uint64_t *number);
#endif
