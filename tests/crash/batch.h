/* Commits of an instance that are made elsewhere and written in batches. */
#ifndef TESTS_CRASH_BATCH_H
#define TESTS_CRASH_BATCH_H

#include "crash/work.h"

/* Writes what the store does not have yet of a start and four events, WORK_BATCH
 * commits in a transaction, and tells of those that were acknowledged. */
int32_t batch_write(work *self, wfsm_store *store, const char *id, const char *input);
#endif
