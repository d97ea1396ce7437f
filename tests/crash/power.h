/* Runs the work on the disk in memory until a power cut, and checks what is left. */
#ifndef TESTS_CRASH_POWER_H
#define TESTS_CRASH_POWER_H

#include "crash/power_vfs.h"
#include "crash/work.h"

typedef struct power_run {
    work *work;
    tally counts;
    const char *answer;  /* of a run that nothing stopped */
    int32_t synchronous; /* enum wfsm_sqlite_sync */
    bool resume;         /* continues after the cut, to the end, and checks again */
} power_run;

/* All of the work, in two sessions, on an empty disk; the answer, to be freed. */
char *power_answer(work *host);
/* Cuts the power at the n-th call that changes the disk; false: there are fewer. */
bool power_try(power_run *self, int n, uint32_t seed);
/* Opens the work's store, NULL if that fails. */
wfsm_store *power_open_store(int32_t synchronous, bool read_only);
#endif
