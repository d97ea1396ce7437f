/* Several processes on one file, and processes that are killed in the middle. */
#include "sqlite/folder.h"
#include "sqlite/other.h"
#include "store/fixture.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <unity.h>

enum { WRITERS = 4, COMMITS = 40, KILLS = 60 };

void setUp(void)
{
}

void tearDown(void)
{
    folder_wipe();
}

static uint64_t revision_of(wfsm_store *store, const char *instance)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(store, instance, &head, NULL);
    return status ? 0 : head.revision;
}

/* Commits its events, loading again after each conflict. The exit code is a status. */
static int32_t write_events(const char *file, int writer)
{
    wfsm_store *store = NULL;
    int32_t status = wfsm_sqlite_open(&store, file, NULL, NULL, NULL);
    for (int i = 0; !status && i < COMMITS;) {
        char event[32];
        const char *instance = i % 2 ? "odd" : "even";
        snprintf(event, sizeof event, "event-%d-%d", writer, i);
        wfsm_commit commit = commit_of(instance, revision_of(store, instance));
        commit.event_id = event;
        commit.document = "{}";
        commit.document_length = 2;
        status = wf_store_commit_one(store, &commit, NULL);
        i += !status;
        if (status == WFSM_CONFLICT || (status == WFSM_EXISTS && !commit.base))
            status = WFSM_OK;
    }
    wfsm_store_free(store);
    return status;
}

static int32_t note_event(void *user, const wfsm_row *row)
{
    char(*seen)[COMMITS] = user;
    int writer, number;
    TEST_ASSERT_EQUAL_INT(2, sscanf(row->id, "event-%d-%d", &writer, &number));
    seen[writer][number]++;
    return WFSM_OK;
}

static void writers_lose_nothing_to_each_other(void)
{
    pid_t children[WRITERS];
    static char seen[WRITERS][COMMITS];
    const char *file = folder_file("many.db");
    fflush(NULL);
    for (int i = 0; i < WRITERS; i++) {
        children[i] = fork();
        if (!children[i])
            _exit(write_events(file, i));
    }
    for (int i = 0; i < WRITERS; i++) {
        int result = 0;
        TEST_ASSERT_EQUAL_INT(children[i], waitpid(children[i], &result, 0));
        TEST_ASSERT_TRUE(WIFEXITED(result));
        TEST_ASSERT_EQUAL_STRING("OK", wfsm_status_name(WEXITSTATUS(result)));
    }
    wfsm_store *store = folder_open("many.db");
    TEST_ASSERT_EQUAL_UINT64(WRITERS * COMMITS / 2, revision_of(store, "odd"));
    TEST_ASSERT_EQUAL_UINT64(WRITERS * COMMITS / 2, revision_of(store, "even"));
    wfsm_store_records(store, "odd", 1, UINT64_MAX, note_event, seen, NULL);
    wfsm_store_records(store, "even", 1, UINT64_MAX, note_event, seen, NULL);
    for (int i = 0; i < WRITERS * COMMITS; i++)
        TEST_ASSERT_EQUAL_INT(1, seen[i / COMMITS][i % COMMITS]);
    wfsm_store_free(store);
}

static void sleep_microseconds(long count)
{
    nanosleep(&(struct timespec){.tv_nsec = count * 1000}, NULL);
}

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Says that it holds the lock, and a while later when it gave it back. */
static void hold_a_while(const char *name, int pipe_end, long microseconds)
{
    sqlite3 *other = other_open(name);
    sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    int64_t times[2] = {now_us(), 0};
    bool told = write(pipe_end, &times[0], sizeof times[0]) == sizeof times[0];
    sleep_microseconds(microseconds);
    times[1] = now_us();
    sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL);
    told = told && write(pipe_end, &times[1], sizeof times[1]) == sizeof times[1];
    sqlite3_close(other);
    _exit(!told);
}

/* How long after the lock was free a commit that waited for it was done. */
static long late_by(uint64_t base, long microseconds)
{
    int ends[2], result = 0;
    int64_t released = 0;
    TEST_ASSERT_EQUAL_INT(0, pipe(ends));
    fflush(NULL);
    pid_t child = fork();
    if (!child)
        hold_a_while("wait.db", ends[1], microseconds);
    wfsm_store *store = folder_open("wait.db");
    TEST_ASSERT_EQUAL_INT(sizeof released, read(ends[0], &released, sizeof released));
    wfsm_commit commit = commit_of("a", base);
    expect_commit(store, &commit, WFSM_OK);
    int64_t done = now_us();
    TEST_ASSERT_EQUAL_INT(sizeof released, read(ends[0], &released, sizeof released));
    TEST_ASSERT_EQUAL_INT(child, waitpid(child, &result, 0));
    TEST_ASSERT_EQUAL_INT(0, result);
    close(ends[0]);
    close(ends[1]);
    wfsm_store_free(store);
    return (long)(done - released);
}

/* SQLite by itself would look for the lock after 228 ms, and then after 328. */
static void who_waits_looks_again_soon(void)
{
    enum { TIMES = 5, WHILE = 240000, SOON = 60000 };
    int soon = 0;
    wfsm_store *store = folder_open("wait.db");
    start_instance(store, "a", 1);
    wfsm_store_free(store);
    for (int i = 0; i < TIMES; i++)
        soon += late_by(1 + (uint64_t)i, WHILE) < SOON;
    TEST_ASSERT_GREATER_THAN_INT(TIMES / 2, soon);
}

/* Posts and commits for ever, telling the pipe what was acknowledged. */
static void write_for_ever(const char *file, int pipe_end)
{
    wfsm_store *store = NULL;
    if (wfsm_sqlite_open(&store, file, NULL, NULL, NULL))
        _exit(1);
    for (;;) {
        kept_row post = {0};
        wfsm_store_inbox(store, "a", 1, keep_row, &post, NULL);
        wfsm_commit commit = commit_of("a", revision_of(store, "a"));
        commit.document = "{}";
        commit.document_length = 2;
        commit.inbox = post.count ? post.number : 0;
        commit.event_id = post.count ? post.id : NULL;
        commit.checkpoint = "last";
        commit.checkpoint_snapshot = "{}";
        commit.checkpoint_length = 2;
        if (wf_store_commit_one(store, &commit, NULL))
            _exit(2);
        uint64_t now = commit.base + 1;
        char id[32];
        snprintf(id, sizeof id, "post-%llu", (unsigned long long)now);
        if (write(pipe_end, &now, sizeof now) != sizeof now ||
            wfsm_store_post(store, "a", "GO", id, NULL, 0, 1, NULL))
            _exit(3);
    }
}

/* The last revision that a killed writer was told is stored. It is killed so long after
 * it started, or after its first commit. */
static uint64_t run_and_kill(const char *file, bool wait_first, long microseconds)
{
    int ends[2];
    uint64_t acknowledged = 0, told;
    TEST_ASSERT_EQUAL_INT(0, pipe(ends));
    fflush(NULL);
    pid_t child = fork();
    if (!child)
        write_for_ever(file, ends[1]);
    close(ends[1]);
    if (wait_first && read(ends[0], &told, sizeof told) == sizeof told)
        acknowledged = told;
    sleep_microseconds(microseconds);
    kill(child, SIGKILL);
    while (read(ends[0], &told, sizeof told) == sizeof told)
        acknowledged = told;
    close(ends[0]);
    int result = 0;
    TEST_ASSERT_EQUAL_INT(child, waitpid(child, &result, 0));
    TEST_ASSERT_TRUE_MESSAGE(WIFSIGNALED(result), "the writer failed by itself");
    return acknowledged;
}

static int32_t check_record(void *user, const wfsm_row *row)
{
    uint64_t *revision = user;
    TEST_ASSERT_EQUAL_UINT64(++*revision, row->revision);
    return WFSM_OK;
}

/* Record N took the post that was made after revision N - 1, or there was none yet. */
static void check_whole(wfsm_store *store, uint64_t acknowledged)
{
    uint64_t revision = revision_of(store, "a"), read = 0;
    kept_row checkpoint = {0}, post = {0};
    if (!revision) {
        TEST_ASSERT_EQUAL_UINT64(0, acknowledged);
        return;
    }
    TEST_ASSERT_TRUE(revision == acknowledged || revision == acknowledged + 1 || !acknowledged);
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_store_records(store, "a", 1, UINT64_MAX, check_record, &read, NULL));
    TEST_ASSERT_EQUAL_UINT64(revision, read);
    wfsm_store_snapshot(store, "a", "last", keep_row, &checkpoint, NULL);
    TEST_ASSERT_EQUAL_UINT64(revision, checkpoint.revision);
    wfsm_store_inbox(store, "a", 0, keep_row, &post, NULL);
    TEST_ASSERT_LESS_THAN_INT(2, post.count);
}

static void what_was_acknowledged_survives_a_kill(void)
{
    const char *file = folder_file("kill.db");
    uint64_t last = 0;
    unsigned random = 7;
    for (int i = 0; i < KILLS; i++) {
        random = random * 1103515245u + 12345u;
        uint64_t acknowledged = run_and_kill(file, i % 4 > 0, (long)(random >> 16) % 12000);
        if (acknowledged)
            last = acknowledged;
        wfsm_store *store = folder_open("kill.db");
        TEST_ASSERT_FALSE(revision_of(store, "a") < last);
        check_whole(store, acknowledged);
        wfsm_store_free(store);
    }
    TEST_ASSERT_GREATER_THAN_UINT64(KILLS / 2, last);
    TEST_ASSERT_EQUAL_INT64(
        1,
        other_number("kill.db", "SELECT integrity_check = 'ok' FROM pragma_integrity_check"));
    printf("kills: %d, commits: %llu, lost: 0\n", KILLS, (unsigned long long)last);
}

/* Two processes may create one store at the same time. */
static void many_may_create_a_store_at_once(void)
{
    for (int round = 0; round < 10; round++) {
        const char *file = folder_file("new.db");
        pid_t children[WRITERS];
        fflush(NULL);
        for (int i = 0; i < WRITERS; i++) {
            children[i] = fork();
            if (!children[i]) {
                wfsm_store *store = NULL;
                int32_t status = wfsm_sqlite_open(&store, file, NULL, NULL, NULL);
                wfsm_store_free(store);
                _exit(status);
            }
        }
        for (int i = 0; i < WRITERS; i++) {
            int result = 0;
            waitpid(children[i], &result, 0);
            TEST_ASSERT_TRUE(WIFEXITED(result));
            TEST_ASSERT_EQUAL_STRING("OK", wfsm_status_name(WEXITSTATUS(result)));
        }
        folder_wipe();
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(writers_lose_nothing_to_each_other);
    RUN_TEST(who_waits_looks_again_soon);
    RUN_TEST(what_was_acknowledged_survives_a_kill);
    RUN_TEST(many_may_create_a_store_at_once);
    folder_remove();
    return UNITY_END() != 0;
}
