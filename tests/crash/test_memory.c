/*
 * The n-th allocation of an engine at work fails, its own or SQLite's. The call reports it,
 * the same handles continue, and nothing is lost, done twice or leaked. With an argument:
 * every n.
 */
#include "crash/often.h"
#include "crash/power.h"
#include "oom/shortage.h"

#include <wfsm/sqlite.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

enum { PATIENCE = 20 };

static work host;
static char *answer;
static tally counts;
static long statuses[64], step = 23;

void setUp(void)
{
}

void tearDown(void)
{
    shortage_disarm();
}

static void note_failure(int32_t status)
{
    statuses[status]++;
}

static wfsm_store *open_at_last(void)
{
    wfsm_store *store = NULL;
    int32_t status;
    while ((status = wfsm_sqlite_open(&store, "work.db", NULL, shortage_allocator(), NULL)))
        note_failure(status);
    return store;
}

static void check_end(void)
{
    wfsm_store *store = open_at_last();
    char *found = work_answer(store);
    told_check(&host.told, store, (size_t)statuses[WFSM_STORE_UNKNOWN] * WORK_BATCH, &counts);
    told_check_end(&host.told, store, WORK_TIMERS, &counts);
    if (strcmp(found, answer) != 0)
        tally_violation(&counts, "another answer:\n%s", found);
    free(found);
    wfsm_store_free(store);
}

static bool work_short_of(long n)
{
    char where[40];
    long alive = shortage_alive();
    snprintf(where, sizeof where, "allocation %ld", n);
    counts.where = where;
    power_format();
    work_reset(&host);
    host.patience = PATIENCE;
    shortage_arm(n);
    wfsm_store *store = open_at_last();
    int32_t status = work_run(&host, store, 0);
    wfsm_store_free(store);
    bool hit = shortage_disarm();
    if (status)
        tally_violation(&counts, "does not continue: %s", wfsm_status_name(status));
    if (shortage_alive() != alive)
        tally_violation(&counts, "%ld blocks leaked", shortage_alive() - alive);
    check_end();
    counts.where = NULL;
    return hit;
}

static void every_allocation_of_an_engine_at_work(void)
{
    long n = 1;
    for (; work_short_of(n); n += step)
        counts.breaks++;
    printf("%ld allocations, %ld shortages; acknowledged: %ld commits, %ld events, %ld "
           "posts; "
           "lost of them: %ld; effects: %ld, timers: %ld, audits: %ld; violations: %ld\n"
           "  answers: NO_MEMORY %ld, STORE_UNKNOWN %ld\n",
           n, counts.breaks, counts.commits, counts.events, counts.posts, counts.lost,
           counts.effects, counts.timers, counts.checks, counts.violations,
           statuses[WFSM_NO_MEMORY], statuses[WFSM_STORE_UNKNOWN]);
    for (int32_t status = 1; status < 64; status++)
        if (status != WFSM_NO_MEMORY && status != WFSM_STORE_UNKNOWN)
            TEST_ASSERT_EQUAL_INT_MESSAGE(0, statuses[status], wfsm_status_name(status));
    TEST_ASSERT_GREATER_THAN(50, counts.breaks);
    TEST_ASSERT_EQUAL_INT(0, counts.violations);
}

int main(int count, char **arguments)
{
    if (count > 1)
        step = atol(arguments[1]);
    UNITY_BEGIN();
    shortage_install();
    power_install();
    checkpoint_often();
    work_new(&host, WORK_MACHINE);
    answer = power_answer(&host);
    host.failed = note_failure;
    host.allocator = shortage_allocator();
    RUN_TEST(every_allocation_of_an_engine_at_work);
    free(answer);
    work_free(&host);
    power_remove();
    return UNITY_END() != 0;
}
