/*
 * The power goes at every call that changes the disk: at every write, sync, truncation
 * and removal of real work. Of what was not synced, nothing is left or a random part, torn into
 * sectors. Everything acknowledged is there, nothing is there in part or twice, and the work
 * continues to the same end. With a number as its argument: every call, so many seeds.
 */
#include "crash/often.h"
#include "crash/power.h"

#include <wfsm/sqlite.h>
#include <stdlib.h>
#include <unity.h>

static work host;
static char *answer;
static uint32_t wanted;

void setUp(void)
{
}

void tearDown(void)
{
}

static power_run try_all(const power_run *from, int step, uint32_t seeds)
{
    power_run run = *from;
    int calls = 0;
    for (uint32_t seed = 0; seed < seeds; seed++)
        for (int n = 1 + (int)seed % step; power_try(&run, n, seed); n += step)
            calls = n > calls ? n : calls;
    const tally *counts = &run.counts;
    printf("%d calls, %u seeds, every %d: %ld cuts; acknowledged: %ld commits, %ld "
           "events, "
           "%ld posts; lost of them: %ld; effects: %ld, timers: %ld; audits: %ld, "
           "diagnostics: %ld; violations: %ld\n",
           calls, (unsigned)seeds, step, counts->breaks, counts->commits, counts->events,
           counts->posts, counts->lost, counts->effects, counts->timers, counts->checks,
           counts->diagnostics, counts->violations);
    TEST_ASSERT_GREATER_THAN(0, run.counts.breaks);
    return run;
}

static void full_loses_nothing(void)
{
    power_run run = {.work = &host, .answer = answer, .resume = true};
    printf("FULL: ");
    run = try_all(&run, wanted ? 1 : 23, wanted ? wanted : 3);
    TEST_ASSERT_GREATER_THAN(0, run.counts.timers);
    TEST_ASSERT_EQUAL_INT(0, run.counts.lost);
    TEST_ASSERT_EQUAL_INT(0, run.counts.violations);
}

/* What NORMAL promises less, this test sees; and it promises that nothing is in parts.
 */
static void normal_loses_the_last_commits_but_never_parts(void)
{
    power_run run = {.work = &host, .synchronous = WFSM_SQLITE_NORMAL};
    run.counts.quiet = true;
    printf("NORMAL: ");
    run = try_all(&run, wanted ? 3 : 37, 2);
    TEST_ASSERT_GREATER_THAN(0, run.counts.lost);
    TEST_ASSERT_EQUAL_INT(0, run.counts.diagnostics);
}

/* A disk that says that it has written, and has not. */
static void a_sync_that_lies_is_seen(void)
{
    power_run run = {.work = &host};
    run.counts.quiet = true;
    power_lie(true);
    printf("FULL, syncs that lie: ");
    run = try_all(&run, wanted ? 3 : 37, 2);
    power_lie(false);
    TEST_ASSERT_GREATER_THAN(0, run.counts.lost);
}

int main(int count, char **arguments)
{
    wanted = count > 1 ? (uint32_t)atoi(arguments[1]) : 0;
    UNITY_BEGIN();
    power_install();
    checkpoint_often();
    work_new(&host, WORK_MACHINE);
    answer = power_answer(&host);
    RUN_TEST(full_loses_nothing);
    RUN_TEST(normal_loses_the_last_commits_but_never_parts);
    RUN_TEST(a_sync_that_lies_is_seen);
    free(answer);
    work_free(&host);
    power_remove();
    return UNITY_END() != 0;
}
