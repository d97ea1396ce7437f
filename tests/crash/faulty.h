/* Runs the work on a disk that fails, until it is healed, and then loses its power. */
#ifndef TESTS_CRASH_FAULTY_H
#define TESTS_CRASH_FAULTY_H

#include "crash/power_vfs.h"
#include "crash/work.h"

enum { FAULTY_STATUSES = 64 };

typedef struct faulty_run {
    work *work;
    tally counts;
    const char *answer;             /* of a run that nothing stopped */
    long statuses[FAULTY_STATUSES]; /* how often a call was answered with each */
} faulty_run;

/*
 * The n-th call of a kind fails, once or until the host has seen three failures. The
 * host continues with the same handles and repeats its call. False: there are fewer calls.
 */
bool faulty_try(faulty_run *self, power_fault fault, int n, bool for_good);
#endif
