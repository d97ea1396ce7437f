/* engine/rate.c: the rate of one quota. */
#ifndef WF_ENGINE_RATE_H
#define WF_ENGINE_RATE_H

#include <stdbool.h>
#include <wfsm/store.h>
#include "store/token_bucket.h"

/* How often jobs of a quota may begin. */
typedef struct wf_rate {
    uint32_t count; /* 0: as often as they can */
    int64_t per_ms;
    bool shared; /* by all engines of the store; otherwise the bucket counts */
    wf_token_bucket bucket;
    /* Of a shared rate. */
    uint32_t tokens; /* that the store has granted */
    int64_t from; /* when they may be used; without any, when it is asked again */
    wfsm_rate *asked; /* in the exchange */
} wf_rate;

/* True if a job may begin now. */
bool wf_rate_admits(const wf_rate *rate, int64_t now);
/* One begins. */
void wf_rate_spend(wf_rate *rate, int64_t now);
/* When one may begin, as far as is known; at the earliest now. */
int64_t wf_rate_next(const wf_rate *rate, int64_t now);
#endif
