/*
 * Faults of a real file under real work: it cannot grow any more, another program has it
 * locked, it is deleted, moved or replaced. Calls report what is wrong, the same handle
 * continues afterwards, and nothing acknowledged is lost.
 */
#include "crash/often.h"
#include "crash/power.h"
#include "sqlite/folder.h"

#include <sqlite3.h>
#include <wfsm/sqlite.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <unity.h>

enum { PATIENCE = 50, ENOUGH = 3 };

static work host;
static char *answer;
static tally counts;
static long seen, statuses[64];
static void (*end_trouble)(void);

void setUp(void)
{
    work_reset(&host);
    counts = (tally){0};
    seen = 0;
    memset(statuses, 0, sizeof statuses);
}

void tearDown(void)
{
    folder_wipe();
}

static void note_failure(int32_t status)
{
    statuses[status]++;
    if (++seen % ENOUGH == 0)
        end_trouble();
}

static wfsm_store *open_at_last(int32_t busy_ms)
{
    wfsm_store *store = NULL;
    wfsm_sqlite_options options = {.size = sizeof options, .busy_ms = busy_ms};
    int32_t status = WFSM_IO;
    for (int i = 0; status && i < PATIENCE; i++) {
        status = wfsm_sqlite_open(&store, folder_file("work.db"), &options, NULL, NULL);
        if (status)
            note_failure(status);
    }
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, status);
    return store;
}

static void check_end(wfsm_store *store)
{
    char *found = work_answer(store);
    size_t unknown = (size_t)statuses[WFSM_STORE_UNKNOWN] * WORK_BATCH;
    told_check(&host.told, store, unknown, &counts);
    told_check_end(&host.told, store, WORK_TIMERS, &counts);
    if (strcmp(found, answer) != 0)
        tally_violation(&counts, "another answer:\n%s", found);
    free(found);
}

static void print_counts(const char *what)
{
    printf("%s: %ld times; acknowledged: %ld commits, %ld events, %ld posts; lost of "
           "them: "
           "%ld; violations: %ld; answers:",
           what, counts.breaks, counts.commits, counts.events, counts.posts, counts.lost,
           counts.violations);
    for (int32_t i = 0; i < 64; i++)
        if (statuses[i])
            printf(" %s %ld", wfsm_status_name(i), statuses[i]);
    printf("\n");
    TEST_ASSERT_EQUAL_INT(0, counts.violations);
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    TEST_ASSERT_EQUAL_INT(0, getrlimit(RLIMIT_FSIZE, &limit));
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    TEST_ASSERT_EQUAL_INT(0, setrlimit(RLIMIT_FSIZE, &limit));
}

static void lift_limit(void)
{
    limit_files(RLIM_INFINITY);
}

/* No printing while files may not grow: standard output may be one. */
static void work_below(rlim_t bytes)
{
    work_reset(&host);
    host.patience = PATIENCE;
    limit_files(bytes);
    wfsm_store *store = open_at_last(0);
    int32_t status = work_run(&host, store, 0);
    lift_limit();
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, status);
    counts.breaks += seen > 0;
    check_end(store);
    wfsm_store_free(store);
    folder_wipe();
    seen = 0;
}

static void a_file_that_may_not_grow(void)
{
    end_trouble = lift_limit;
    for (rlim_t bytes = 0; bytes < 150000; bytes += 6000)
        work_below(bytes);
    print_counts("a file that may not grow");
    TEST_ASSERT_GREATER_THAN(5, counts.breaks);
}

static sqlite3 *other;

static void lock(void)
{
    TEST_ASSERT_EQUAL_INT(SQLITE_OK, sqlite3_open(folder_file("work.db"), &other));
    TEST_ASSERT_EQUAL_INT(SQLITE_OK, sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL));
    counts.breaks++;
}

static void unlock(void)
{
    sqlite3_close(other);
    other = NULL;
}

static void a_file_that_another_holds_locked(void)
{
    end_trouble = unlock;
    wfsm_store *store = open_at_last(1);
    for (int rounds = 1; rounds <= 4; rounds++) {
        host.patience = PATIENCE;
        lock();
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, work_run(&host, store, rounds % 4));
    }
    check_end(store);
    wfsm_store_free(store);
    print_counts("a file that another holds locked");
    TEST_ASSERT_GREATER_THAN(0, statuses[WFSM_BUSY]);
}

static void take_away(void)
{
    TEST_ASSERT_EQUAL_INT(0, rename(folder_file("work.db"), folder_file("away.db")));
    counts.breaks++;
}

static void bring_back(void)
{
    rename(folder_file("away.db"), folder_file("work.db"));
}

/* What would be acknowledged now would be lost with the last handle. */
static void a_file_that_is_moved_away_and_back(void)
{
    end_trouble = bring_back;
    wfsm_store *store = open_at_last(0);
    for (int rounds = 1; rounds <= 4; rounds++) {
        host.patience = PATIENCE;
        take_away();
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, work_run(&host, store, rounds % 4));
    }
    check_end(store);
    wfsm_store_free(store);
    print_counts("a file that is moved away and back");
    TEST_ASSERT_EQUAL_INT(12, statuses[WFSM_IO]);
}

static void nothing(void)
{
}

static void a_file_that_is_replaced(void)
{
    wfsm_store *store, *another;
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_head head = {.size = sizeof head};
    end_trouble = nothing;
    host.patience = 1;
    store = open_at_last(0);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, work_run(&host, store, 1));
    TEST_ASSERT_EQUAL_INT(0, unlink(folder_file("work.db")));
    TEST_ASSERT_EQUAL_INT32(WFSM_IO, wfsm_store_head(store, "left", &head, error));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "deleted, moved or replaced"));
    unlink(folder_file("work.db-wal"));
    unlink(folder_file("work.db-shm"));
    another = open_at_last(0);
    TEST_ASSERT_EQUAL_INT32(WFSM_IO,
                            wfsm_store_post(store, "left", "letter", NULL, NULL, 0, 1, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, wfsm_store_head(another, "left", &head, error));
    wfsm_store_free(store);
    wfsm_store_free(another);
    wfsm_error_free(error);
}

int main(void)
{
    UNITY_BEGIN();
    signal(SIGXFSZ, SIG_IGN);
    checkpoint_often();
    work_new(&host, WORK_MACHINE);
    host.failed = note_failure;
    end_trouble = nothing;
    work_reset(&host);
    host.patience = 1;
    wfsm_store *store = open_at_last(0);
    work_run(&host, store, 0);
    answer = work_answer(store);
    wfsm_store_free(store);
    folder_wipe();
    RUN_TEST(a_file_that_may_not_grow);
    RUN_TEST(a_file_that_another_holds_locked);
    RUN_TEST(a_file_that_is_moved_away_and_back);
    RUN_TEST(a_file_that_is_replaced);
    free(answer);
    work_free(&host);
    folder_remove();
    return UNITY_END() != 0;
}
