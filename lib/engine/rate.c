/* engine/rate.c: the rate of one quota: whether a job may begin, and when. */
#include "engine/rate.h"

#include "step/snapshot.h"

int64_t wf_rate_next(const wf_rate *rate, int64_t now)
{
    wf_token_bucket bucket = rate->bucket; /* which stays as it is */
    int64_t wait = 0;

    if (rate->shared)
        return rate->from > now ? rate->from : now;
    if (rate->count > 0)
        wf_token_bucket_take(&bucket, 1, 0, now, &wait);
    return wf_time_after(now, wait);
}

bool wf_rate_admits(const wf_rate *rate, int64_t now)
{
    bool has_token = !rate->shared || rate->tokens > 0;

    return rate->count == 0 || (has_token && wf_rate_next(rate, now) == now);
}

void wf_rate_spend(wf_rate *rate, int64_t now)
{
    int64_t wait;

    if (rate->shared)
        rate->tokens -= rate->tokens > 0;
    else if (rate->count > 0)
        wf_token_bucket_take(&rate->bucket, 1, 0, now, &wait);
}
