/* store/token_bucket.c: a rate. */
#ifndef WF_STORE_TOKEN_BUCKET_H
#define WF_STORE_TOKEN_BUCKET_H

#include <stdint.h>

/* A bucket of `count` tokens. An attempt takes a token; a token comes back every per_ms / count. Both
 * numbers are 1 to INT32_MAX, so that their product fits into an int64_t. */
typedef struct wf_token_bucket {
    uint32_t count;
    int64_t per_ms;
    int64_t owed; /* missing from a full bucket: per_ms for each token */
    int64_t at; /* the time of `owed` */
} wf_token_bucket;

/* The most tokens that can be promised before they come back. */
enum { WF_TOKENS_AHEAD = 16 };

/* Changes the rate. Tokens that were taken stay taken. */
void wf_token_bucket_set(wf_token_bucket *self, uint32_t count, int64_t per_ms);
/* Adds the tokens that have come back by `now`. wf_token_bucket_take() calls it. */
void wf_token_bucket_fill(wf_token_bucket *self, int64_t now);
/* Takes up to `wanted` tokens from the bucket. If it is empty, takes the next token that comes back and is
 * not promised yet, unless `ahead` are promised. Returns the number taken. *wait is in milliseconds: until
 * the tokens may be used or, if none was taken, until the next call can take one. */
uint32_t wf_token_bucket_take(wf_token_bucket *self, uint32_t wanted, uint32_t ahead,
                              int64_t now, int64_t *wait);
#endif
