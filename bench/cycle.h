/* bench/cycle.h: the cycle of twelve events through cycle.json, and the floor: the same table
 * written by hand, as a switch over a struct. */
#ifndef BENCH_CYCLE_H
#define BENCH_CYCLE_H

#include <stdbool.h>
#include <stdint.h>

enum { CYCLE = 12 };
/* The events in their order; after the last, the first is taken again. */
extern const char *const cycle_names[CYCLE];
extern const uint8_t cycle_events[CYCLE];

/* What the floor keeps of an instance. */
typedef struct cycle_state {
    uint8_t state, complete, needs_approval, agent;
    int32_t queued, suggested, retries, max_retries;
    int64_t now;
    uint64_t revision;
    void *user;
} cycle_state;

void cycle_start(cycle_state *self);
/* Whether the event was taken. Never inlined: an instance does not know what comes. */
bool cycle_send(cycle_state *self, uint8_t event);
#endif
