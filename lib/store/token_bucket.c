/* store/token_bucket.c: a rate as a token bucket. `owed` is how far the bucket is from full. It falls as
 * time passes, so tokens are not added one by one. */
#include "store/token_bucket.h"

void wf_token_bucket_set(wf_token_bucket *self, uint32_t count, int64_t per_ms)
{
    if (self->owed > 0 && self->per_ms != per_ms)
        self->owed = ((self->owed - 1) / self->per_ms + 1) * per_ms;
    self->count = count;
    self->per_ms = per_ms;
}

/* A time that is up to a period before `at` changes nothing, because the clocks of sessions differ. A clock
 * that was set back by more is followed. */
void wf_token_bucket_fill(wf_token_bucket *self, int64_t now)
{
    int64_t elapsed = now - self->at;

    if (self->owed > 0 && elapsed < 0 && elapsed >= -self->per_ms)
        return;
    if (self->owed > 0 && elapsed > 0)
        self->owed =
            elapsed > self->owed / self->count ? 0 : self->owed - elapsed * self->count;
    self->at = now;
}

uint32_t wf_token_bucket_take(wf_token_bucket *self, uint32_t wanted, uint32_t ahead,
                              int64_t now, int64_t *wait)
{
    int64_t full = self->count * self->per_ms, most = full + ahead * self->per_ms;
    int64_t left, over;
    uint32_t taken;

    wf_token_bucket_fill(self, now);
    left = (full - self->owed) / self->per_ms;
    taken = left > 0 ? (uint32_t)left : self->owed + self->per_ms <= most;
    taken = taken < wanted ? taken : wanted;
    self->owed += taken * self->per_ms;
    over = taken > 0 ? self->owed - full : self->owed + self->per_ms - most;
    *wait = over > 0 ? (over + self->count - 1) / self->count : 0;
    return taken;
}
