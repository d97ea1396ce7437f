/* What a schedule does at a time: which of its times are due, and what becomes of each. */
#ifndef WFA_SCHEDULE_DECIDE_H
#define WFA_SCHEDULE_DECIDE_H

#include <jansson.h>
#include <stdint.h>

#include "agent_error.h"

/* What is done to instances. Each returns 0, or -1 and an error. */
typedef struct wfa_schedule_host {
    void *user;
    /* Starts an instance; one of this id that is there is as good. With the status DENIED in the error
     * it never can. */
    int (*start)(void *user, const char *machine, const char *id, const json_t *input,
                 wfa_error *error);
    /* Has it ended. One that ends or is gone is fine. `for_id` is what takes its place. */
    int (*stop)(void *user, const char *id, const char *for_id, wfa_error *error);
    int (*is_running)(void *user, const char *id, int *running, wfa_error *error);
} wfa_schedule_host;

/*
 * The data of the event "decided" for the schedule `id`, whose context this is, at `now` in ms. NULL and an
 * error: the host failed; the same call may be made again, because what was started has the same ids.
 */
json_t *wfa_schedule_decide(const char *id, const json_t *context, int64_t now,
                            const wfa_schedule_host *host, wfa_error *error);
/* Whether none of the instances that the context names as running is; -1 and an error. */
int wfa_schedule_is_free(const json_t *context, const wfa_schedule_host *host, int *is_free,
                         wfa_error *error);

#endif
