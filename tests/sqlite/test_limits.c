/* A disk that is full, a file that is locked or read-only: nothing is lost, and the store works
 * again as soon as it can. */
#include "sqlite/folder.h"
#include "sqlite/other.h"
#include "store/fixture.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unity.h>

static wfsm_store *store;

void setUp(void)
{
}

void tearDown(void)
{
    wfsm_store_free(store);
    store = NULL;
    chmod(folder_path(), 0755);
    folder_wipe();
}

static int32_t pages(void)
{
    sqlite3_stmt *statement = NULL;
    sqlite3_prepare_v2(inner_connection(store), "PRAGMA page_count", -1, &statement, NULL);
    TEST_ASSERT_EQUAL_INT(SQLITE_ROW, sqlite3_step(statement));
    int32_t count = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return count;
}

static void limit_pages(int32_t count)
{
    char sql[64];
    snprintf(sql, sizeof sql, "PRAGMA max_page_count = %d", (int)count);
    TEST_ASSERT_EQUAL_INT(SQLITE_OK,
                          sqlite3_exec(inner_connection(store), sql, NULL, NULL, NULL));
}

static wfsm_commit large_commit(const char *instance, uint64_t base)
{
    static char text[20000];
    memset(text, ' ', sizeof text);
    text[0] = '1';
    wfsm_commit commit = commit_of(instance, base);
    commit.record = text;
    commit.record_length = sizeof text;
    return commit;
}

static void a_full_disk_loses_nothing(void)
{
    wfsm_error *error = wfsm_error_new(NULL);
    store = folder_open("full.db");
    start_instance(store, "a", 3);
    limit_pages(pages());
    char *before = dump(store);
    wfsm_commit list[2] = {commit_of("b", 0), large_commit("a", 3)};
    const wfsm_commit *batch[2] = {&list[0], &list[1]};
    int32_t answers[2];
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_FAILED,
                            wfsm_store_commit(store, batch, 2, answers, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_FAILED, answers[0]);
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_FAILED, answers[1]);
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "no room left"));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "full.db"));
    expect_dump(store, before);
    limit_pages(1000000);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_commit(store, batch, 2, answers, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, answers[0]);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, answers[1]);
    wfsm_error_free(error);
}

/* A text that no row can hold is refused alone, not with its batch. */
static void what_is_too_large_is_refused_alone(void)
{
    store = folder_open("large.db");
    start_instance(store, "a", 1);
    sqlite3_limit(inner_connection(store), SQLITE_LIMIT_LENGTH, 15000);
    wfsm_commit list[2] = {large_commit("a", 1), commit_of("b", 0)};
    const wfsm_commit *batch[2] = {&list[0], &list[1]};
    int32_t answers[2];
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_commit(store, batch, 2, answers, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_LIMIT, answers[0]);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, answers[1]);
}

static void a_locked_store_answers_after_its_patience(void)
{
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_sqlite_options options = {.size = sizeof options, .busy_ms = 50};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, try_open(&store, "lock.db", &options));
    start_instance(store, "a", 1);
    sqlite3 *other = other_open("lock.db");
    sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    char *before = dump(store);
    wfsm_commit commit = commit_of("a", 1);
    TEST_ASSERT_EQUAL_INT32(WFSM_BUSY, wf_store_commit_one(store, &commit, error));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "lock.db"));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "another process"));
    TEST_ASSERT_EQUAL_INT32(WFSM_BUSY,
                            wfsm_store_post(store, "a", "E", NULL, NULL, 0, 0, error));
    expect_dump(store, before);
    sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_close(other);
    expect_commit(store, &commit, WFSM_OK);
    wfsm_error_free(error);
}

static int never_sleep(sqlite3_vfs *vfs, int microseconds)
{
    (void)vfs;
    (void)microseconds;
    return 0;
}

/* Patience ends also where the file system of the host does not say how long it slept. */
static void a_file_system_that_does_not_sleep_is_no_trap(void)
{
    wfsm_sqlite_options options = {.size = sizeof options, .busy_ms = 20};
    wfsm_store_free(folder_open("lock.db"));
    sqlite3_vfs *usual = sqlite3_vfs_find(NULL), awake = *usual;
    awake.zName = "awake";
    awake.xSleep = never_sleep;
    TEST_ASSERT_EQUAL_INT(SQLITE_OK, sqlite3_vfs_register(&awake, 1));
    int32_t opened = try_open(&store, "lock.db", &options);
    sqlite3 *other = other_open("lock.db");
    sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    wfsm_commit commit = commit_of("a", 0);
    int32_t refused = wf_store_commit_one(store, &commit, NULL);
    sqlite3_close(other);
    wfsm_store_free(store);
    store = NULL;
    sqlite3_vfs_unregister(&awake);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, opened);
    TEST_ASSERT_EQUAL_INT32(WFSM_BUSY, refused);
}

static void a_file_that_another_holds_cannot_be_opened(void)
{
    wfsm_sqlite_options options = {.size = sizeof options, .busy_ms = 50};
    sqlite3 *other = other_open("held.db");
    sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL);
    TEST_ASSERT_EQUAL_INT32(WFSM_BUSY, try_open(&store, "held.db", &options));
    sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_close(other);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, try_open(&store, "held.db", &options));
}

static void a_reader_is_denied_every_write(void)
{
    wfsm_sqlite_options options = {.size = sizeof options, .read_only = 1};
    wfsm_store *writer = folder_open("read.db");
    start_instance(writer, "a", 2);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, try_open(&store, "read.db", &options));
    wfsm_commit commit = commit_of("a", 2);
    expect_commit(store, &commit, WFSM_DENIED);
    const int32_t got[] = {
        wfsm_store_post(store, "a", "E", NULL, NULL, 0, 0, NULL),
        wfsm_store_acknowledge(store, "a", 0, NULL),
        wfsm_store_owner_alive(store, "o", 1, NULL),
        wfsm_store_own(store, "a", "o", 1, NULL),
        wfsm_store_disown(store, "a", "o", NULL),
        wfsm_store_remove(store, "a", NULL),
    };
    for (size_t i = 0; i < sizeof got / sizeof *got; i++)
        TEST_ASSERT_EQUAL_INT32(WFSM_DENIED, got[i]);
    expect_commit(writer, &commit, WFSM_OK);
    expect_dump(store, dump(writer));
    wfsm_store_free(writer);
}

/* root may write everywhere, so it is nobody for a while. */
static int32_t as_nobody(int32_t (*work)(const char *name), const char *name)
{
    uid_t before = geteuid();
    if (!before)
        TEST_ASSERT_EQUAL_INT(0, seteuid(65534));
    int32_t status = work(name);
    if (!before)
        TEST_ASSERT_EQUAL_INT(0, seteuid(before));
    return status;
}

static int32_t open_to_write(const char *name)
{
    wfsm_store *opened = NULL;
    int32_t status = wfsm_sqlite_open(&opened, name, NULL, NULL, NULL);
    wfsm_store_free(opened);
    return status;
}

static int32_t open_to_read(const char *name)
{
    wfsm_store *opened = NULL;
    kept_row row = {0};
    wfsm_sqlite_options options = {.size = sizeof options, .read_only = 1};
    int32_t status = wfsm_sqlite_open(&opened, name, &options, NULL, NULL);
    if (!status)
        status = wfsm_store_records(opened, "a", 1, 9, keep_row, &row, NULL);
    wfsm_store_free(opened);
    return status || row.count == 3 ? status : 98;
}

static void a_file_that_may_not_be_written_is_read(void)
{
    store = folder_open("closed.db");
    start_instance(store, "a", 3);
    wfsm_store_free(store);
    store = NULL;
    chmod(folder_file("closed.db"), 0444);
    chmod(folder_path(), 0555);
    TEST_ASSERT_EQUAL_INT32(WFSM_IO, as_nobody(open_to_write, folder_file("closed.db")));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, as_nobody(open_to_read, folder_file("closed.db")));
    TEST_ASSERT_EQUAL_INT32(WFSM_IO, as_nobody(open_to_write, folder_file("new.db")));
}

static void a_folder_that_may_not_be_written_is_named(void)
{
    store = folder_open("folder.db");
    start_instance(store, "a", 3);
    wfsm_store_free(store);
    store = NULL;
    chmod(folder_file("folder.db"), 0666);
    chmod(folder_path(), 0555);
    TEST_ASSERT_EQUAL_INT32(WFSM_IO, as_nobody(open_to_write, folder_file("folder.db")));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, as_nobody(open_to_read, folder_file("folder.db")));
}

static void write_and_wait(const char *name, int pipe_end)
{
    wfsm_store *opened = NULL;
    int32_t status = wfsm_sqlite_open(&opened, name, NULL, NULL, NULL);
    for (uint64_t base = 0; !status && base < 3; base++) {
        wfsm_commit commit = commit_of("a", base);
        status = wf_store_commit_one(opened, &commit, NULL);
    }
    while (write(pipe_end, &status, sizeof status) == sizeof status)
        pause();
    _exit(1);
}

/* The writer is at work: its log and its shared memory lie beside the file. */
static void a_file_that_is_being_written_is_read(void)
{
    int ends[2];
    int32_t status = -1;
    const char *file = folder_file("live.db");
    TEST_ASSERT_EQUAL_INT(0, pipe(ends));
    fflush(NULL);
    pid_t writer = fork();
    if (!writer)
        write_and_wait(file, ends[1]);
    TEST_ASSERT_EQUAL_INT(sizeof status, read(ends[0], &status, sizeof status));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, status);
    close(ends[0]);
    close(ends[1]);
    chmod(folder_file("live.db"), 0444);
    chmod(folder_file("live.db-wal"), 0444);
    chmod(folder_file("live.db-shm"), 0444);
    chmod(folder_path(), 0555);
    status = as_nobody(open_to_read, folder_file("live.db"));
    kill(writer, SIGKILL);
    waitpid(writer, NULL, 0);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, status);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_full_disk_loses_nothing);
    RUN_TEST(what_is_too_large_is_refused_alone);
    RUN_TEST(a_locked_store_answers_after_its_patience);
    RUN_TEST(a_file_system_that_does_not_sleep_is_no_trap);
    RUN_TEST(a_file_that_another_holds_cannot_be_opened);
    RUN_TEST(a_reader_is_denied_every_write);
    RUN_TEST(a_file_that_may_not_be_written_is_read);
    RUN_TEST(a_folder_that_may_not_be_written_is_named);
    RUN_TEST(a_file_that_is_being_written_is_read);
    folder_remove();
    return UNITY_END() != 0;
}
