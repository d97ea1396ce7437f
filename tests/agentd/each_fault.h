/* A piece of work, again and again, with a fault at each of its calls. */
#ifndef TESTS_AGENTD_EACH_FAULT_H
#define TESTS_AGENTD_EACH_FAULT_H

#include <sys/wait.h>
#include <unistd.h>
#include <unity.h>

#include "faults.h"

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
        at++;
    }
}

/* The same with the death of a process that does the work; check comes after it died, or got
 * through: 1. The number of deaths. */
static inline long each_death(void (*prepare)(void), int (*work)(void),
                              void (*check)(int survived))
{
    long at = 0;
    int ended = 0;

    while (!ended) {
        pid_t child;
        int status = 0;
        prepare();
        at++;
        child = fork();
        if (child == 0) {
            faults_arm(FAULT_DEATH, at);
            _exit(work() == 0 ? 0 : 1);
        }
        TEST_ASSERT_EQUAL(child, waitpid(child, &status, 0));
        TEST_ASSERT_TRUE(WIFEXITED(status));
        TEST_ASSERT_NOT_EQUAL(1, WEXITSTATUS(status));
        ended = WEXITSTATUS(status) == 0;
        check(ended);
    }
    return at - 1;
}

#endif
