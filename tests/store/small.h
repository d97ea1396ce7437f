/* A little of everything, for tests that damage a store bit by bit. */
#ifndef TESTS_STORE_SMALL_H
#define TESTS_STORE_SMALL_H

#include <wfsm/store.h>

/* Instances "one" and "two": records with and without event ids, effects (one acknowledged), a
 * timer, an invocation, a checkpoint "early" with artifacts, posts, owners. Fails the test
 * unless it works. */
void small_fill(wfsm_store *store);

/* "two" continues for a while, and its journal is compacted. */
void small_compact(wfsm_store *store);

/* A sum over everything that the store returns, in *sum; the first failure ends it. */
int32_t small_sum(wfsm_store *store, uint64_t *sum);
#endif
