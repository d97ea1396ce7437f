/* What a loop keeps. */
#ifndef WFA_LOOP_H
#define WFA_LOOP_H

#include <poll.h>
#include <signal.h>
#include <stddef.h>

#include <wfsm/loop.h>
#include <wfsm/schedule.h>

/* A descriptor that is watched. */
typedef struct wfa_watch {
    int descriptor;
    int32_t events;
    wfsm_loop_ready ready;
    void *user;
} wfa_watch;

struct wfsm_loop {
    wfsm_engine *engine;
    wfsm_store *store;
    wfsm_progress *progress;
    wfsm_schedules *schedules; /* or NULL */
    char told[1024]; /* why a schedule was not served the last time */
    wfsm_loop_options options;
    int64_t lapse_ms;
    wfa_watch *watches;
    struct pollfd *polled; /* as many as watches */
    size_t watch_count, watch_room; /* both arrays have room for so many */
    int is_running;
    int32_t signal; /* that ended the last run */
    volatile sig_atomic_t is_stopped;
    int32_t why_lost; /* enum wfsm_lost; 0: none */
    char lost[256]; /* the id of the instance */
};

/* Waits until a descriptor is ready or an agent has something new, for so many milliseconds at
 * most. */
void wfa_loop_wait(wfsm_loop *loop, int64_t milliseconds);

#endif
