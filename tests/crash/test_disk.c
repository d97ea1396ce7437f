/*
 * The disk fails under real work, at every n-th call of every kind, once or until the
 * host has seen three failures. Each call returns the error, and the same handles continue.
 * Everything acknowledged survives a power cut afterwards, and the answer is that of an
 * undisturbed run. sqlite/test_faults.c tests single commits. With an argument: every n.
 */
#include "crash/faulty.h"
#include "crash/often.h"
#include "crash/power.h"

#include <stdlib.h>
#include <unity.h>

static work host;
static char *answer;
static int step;

void setUp(void)
{
}

void tearDown(void)
{
}

static void print_statuses(const long statuses[FAULTY_STATUSES])
{
    printf("  answers:");
    for (int32_t status = 1; status < FAULTY_STATUSES; status++)
        if (statuses[status])
            printf(" %s %ld", wfsm_status_name(status), statuses[status]);
    printf("\n");
}

/* All of the first calls, which make the file. */
static int next_step(int n)
{
    return n < 4 ? 1 : step;
}

static void try_kind(faulty_run *run, power_fault fault)
{
    long before = run->counts.breaks;
    int calls = 0;
    for (int for_good = 0; for_good < 2; for_good++) {
        for (int n = 1; faulty_try(run, fault, n, for_good); n += next_step(n))
            calls = n > calls ? n : calls;
    }
    printf("  %s: %d calls, %ld faults\n", power_name(fault), calls,
           run->counts.breaks - before);
    TEST_ASSERT_GREATER_THAN(before, run->counts.breaks);
}

static void every_fault_is_answered_and_nothing_is_lost(void)
{
    faulty_run run = {.work = &host, .answer = answer};
    const tally *counts = &run.counts;
    for (int fault = POWER_CUT + 1; fault < POWER_FAULTS; fault++)
        try_kind(&run, (power_fault)fault);
    print_statuses(run.statuses);
    printf("%ld faults; acknowledged: %ld commits, %ld events, %ld posts; lost of them: "
           "%ld; effects: %ld, timers: %ld; audits: %ld, diagnostics: %ld; violations: %ld\n",
           counts->breaks, counts->commits, counts->events, counts->posts, counts->lost,
           counts->effects, counts->timers, counts->checks, counts->diagnostics,
           counts->violations);
    TEST_ASSERT_EQUAL_INT(0, counts->violations);
}

int main(int count, char **arguments)
{
    step = count > 1 ? atoi(arguments[1]) : 97;
    UNITY_BEGIN();
    power_install();
    checkpoint_often();
    work_new(&host, WORK_MACHINE);
    answer = power_answer(&host);
    RUN_TEST(every_fault_is_answered_and_nothing_is_lost);
    free(answer);
    work_free(&host);
    power_remove();
    return UNITY_END() != 0;
}
