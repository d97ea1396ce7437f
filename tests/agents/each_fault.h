/* A piece of work, again and again, with a fault at each of its calls. */
#ifndef TESTS_AGENTS_EACH_FAULT_H
#define TESTS_AGENTS_EACH_FAULT_H

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unity.h>

#include "faults.h"

/* Every so many calls; 1: every one. */
static long fault_stride = 1;

/* `prepare` before and `check` after each; check gets what the work answered. Ends when the
 * work is through before the fault comes, which must be a success. The number of faults. */
static inline long each_fault(fault kind, void (*prepare)(void), int (*work)(void),
                              void (*check)(int status))
{
    long at = 0;

    for (;;) {
        int status;
        prepare();
        faults_arm(kind, at + 1);
        status = work();
        if (faults_disarm() <= at) {
            TEST_ASSERT_EQUAL(0, status);
            return at;
        }
        check(status);
        at += fault_stride;
    }
}

/* Work in a process that is killed at this call, or gets through. 1: it did, and answered 0. It
 * ends by signals: an exit code would be valgrind's to change. */
static inline int die_at(long at, int (*work)(void))
{
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        faults_arm(FAULT_DEATH, at);
        status = work();
        (void)faults_disarm();
        (void)raise(status == 0 ? SIGUSR1 : SIGUSR2);
    }
    TEST_ASSERT_EQUAL(child, waitpid(child, &status, 0));
    TEST_ASSERT_TRUE(WIFSIGNALED(status));
    TEST_ASSERT_NOT_EQUAL(SIGUSR2, WTERMSIG(status));
    return WTERMSIG(status) == SIGUSR1;
}

/* As each_fault(), with a process that does the work and is killed at each of its calls; check
 * comes after it died, or got through: 1. The number of deaths. */
static inline long each_death(void (*prepare)(void), int (*work)(void),
                              void (*check)(int survived))
{
    long at = 1;
    int survived = 0;

    for (;; at += fault_stride) {
        prepare();
        survived = die_at(at, work);
        check(survived);
        if (survived)
            return at - 1;
    }
}

#endif
