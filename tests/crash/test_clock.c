/*
 * The clock jumps in every round of the host, up to a day forwards or back. Within an instance
 * time never runs backwards, every timer fires once, and the result is that of a correct clock.
 * The argument is the number of clocks; the default is 100.
 */
#include "crash/power.h"

#include <wfsm/sqlite.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

static work host;
static char *answer;
static uint32_t clocks = 100;

void setUp(void)
{
}

void tearDown(void)
{
}

static void check(tally *counts, wfsm_store *store)
{
    char *found = work_answer(store);
    told_check(&host.told, store, 0, counts);
    told_check_end(&host.told, store, WORK_TIMERS, counts);
    if (strcmp(found, answer) != 0)
        tally_violation(counts, "another answer:\n%s", found);
    free(found);
}

static void a_clock_that_jumps_changes_nothing_but_times(void)
{
    tally counts = {0};
    for (uint32_t seed = 1; seed <= clocks; seed++) {
        power_format();
        work_reset(&host);
        host.jumps = seed;
        host.patience = 1;
        wfsm_store *store = power_open_store(WFSM_SQLITE_FULL, false);
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, work_run(&host, store, 0));
        check(&counts, store);
        wfsm_store_free(store);
    }
    host.jumps = 0;
    printf("%u clocks; commits: %ld, timers: %ld, effects: %ld, audits: %ld; "
           "violations: %ld\n",
           (unsigned)clocks, counts.commits, counts.timers, counts.effects, counts.checks,
           counts.violations);
    TEST_ASSERT_EQUAL_INT(0, counts.violations);
}

int main(int count, char **arguments)
{
    if (count > 1)
        clocks = (uint32_t)atoi(arguments[1]);
    UNITY_BEGIN();
    power_install();
    work_new(&host, WORK_MACHINE);
    answer = power_answer(&host);
    RUN_TEST(a_clock_that_jumps_changes_nothing_but_times);
    free(answer);
    work_free(&host);
    power_remove();
    return UNITY_END() != 0;
}
