/* Runs the work on a disk that fails, until it is healed, and then loses its power. */
#ifndef TESTS_CRASH_FAULTY_H
#define TESTS_CRASH_FAULTY_H

#include "crash/power_vfs.h"
#include "crash/work.h"

enum { FAULTY_STATUSES = 64 };

typedef struct faulty_trial {
    work *work;
    tally counts;
    const char *answer;             /* of a run that nothing stopped */
    long statuses[FAULTY_STATUSES]; /* how often a call was answered with each */
} faulty_trial;

/*
 * The n-th call of a kind fails, once or until the host has seen three failures. The
 * host goes on with the same handles, asking again. False: there are fewer calls.
 */
bool faulty_try(faulty_trial *self, power_fault fault, int n, bool for_good);
#endif
