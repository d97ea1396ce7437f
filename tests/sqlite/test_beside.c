/* The system below the store: reasons of the operating system, reads that fail, and a log that is
 * taken away while it is in use. */
#include "sqlite/folder.h"
#include "sqlite/other.h"
#include "store/fixture.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unity.h>

static wfsm_error *error;

void setUp(void)
{
    error = wfsm_error_new(NULL);
}

void tearDown(void)
{
    wfsm_error_free(error);
    folder_wipe();
}

/* ---- reads that fail ---- */

static struct {
    sqlite3_syscall_ptr read, pread, pread64;
    bool fails;
    int after; /* so many reads succeed before */
} disk;

static bool fails(void)
{
    return disk.fails && disk.after-- <= 0;
}

static ssize_t broken_read(int file, void *to, size_t count)
{
    if (!fails())
        return ((ssize_t(*)(int, void *, size_t))disk.read)(file, to, count);
    errno = EIO;
    return -1;
}

static ssize_t broken_pread(int file, void *to, size_t count, off_t offset)
{
    if (!fails())
        return ((ssize_t(*)(int, void *, size_t, off_t))disk.pread)(file, to, count, offset);
    errno = EIO;
    return -1;
}

static ssize_t broken_pread64(int file, void *to, size_t count, off_t offset)
{
    if (!fails())
        return ((ssize_t(*)(int, void *, size_t, off_t))disk.pread64)(file, to, count, offset);
    errno = EIO;
    return -1;
}

static void break_calls(void)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find("unix");
    disk.read = vfs->xGetSystemCall(vfs, "read");
    disk.pread = vfs->xGetSystemCall(vfs, "pread");
    disk.pread64 = vfs->xGetSystemCall(vfs, "pread64");
    vfs->xSetSystemCall(vfs, "read", (sqlite3_syscall_ptr)broken_read);
    vfs->xSetSystemCall(vfs, "pread", (sqlite3_syscall_ptr)broken_pread);
    vfs->xSetSystemCall(vfs, "pread64", (sqlite3_syscall_ptr)broken_pread64);
}

static int32_t sink(void *user, const wfsm_row *row)
{
    (void)row;
    ++*(int *)user;
    return WFSM_OK;
}

static void expect_io(int32_t status, const char *words)
{
    TEST_ASSERT_EQUAL_STRING_MESSAGE("IO", wfsm_status_name(status), wfsm_error_message(error));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(wfsm_error_message(error), words),
                                 wfsm_error_message(error));
}

static wfsm_store *reopened(const char *name)
{
    wfsm_store *store = folder_open(name);
    start_instance(store, "a", 200);
    wfsm_store_free(store);
    return folder_open(name);
}

static void a_read_that_fails_is_no_corruption(void)
{
    wfsm_store *store = reopened("eio.db");
    int rows = 0;
    disk.fails = true;
    expect_io(wfsm_store_records(store, "a", 1, UINT64_MAX, sink, &rows, error), strerror(EIO));
    expect_io(wfsm_store_list(store, NULL, sink, &rows, error), strerror(EIO));
    disk.fails = false;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_store_records(store, "a", 1, UINT64_MAX, sink, &rows, error));
    wfsm_store_free(store);
}

/* SQLite keeps the system's last error of a file until the next one. */
static void corruption_after_a_read_that_failed_is_corruption(void)
{
    wfsm_store *store = reopened("both.db");
    size_t length;
    int rows = 0;
    disk.fails = true;
    expect_io(wfsm_store_records(store, "a", 1, UINT64_MAX, sink, &rows, error), strerror(EIO));
    disk.fails = false;
    char *bytes = file_read("both.db", &length);
    memset(bytes + 4096, 0xEE, length - 4096); /* all pages but the first */
    file_write("both.db", bytes, length);
    free(bytes);
    for (int i = 0; i < 2; i++)
        TEST_ASSERT_EQUAL_STRING("CORRUPT",
                                 wfsm_status_name(wfsm_store_records(store, "a", 1, UINT64_MAX,
                                                                     sink, &rows, error)));
    wfsm_store_free(store);
}

static void a_log_that_cannot_be_read_is_no_corruption(void)
{
    wfsm_store *store = folder_open("wal.db"), *other = folder_open("wal.db");
    int rows = 0;
    start_instance(store, "a", 200);
    disk.fails = true;
    expect_io(wfsm_store_records(other, "a", 1, UINT64_MAX, sink, &rows, error), strerror(EIO));
    disk.fails = false;
    wfsm_store_free(other);
    wfsm_store_free(store);
}

static void opening_says_that_the_read_failed(void)
{
    wfsm_store *store = reopened("open.db");
    wfsm_store_free(store);
    disk.fails = true;
    expect_io(wfsm_sqlite_open(&store, folder_file("open.db"), NULL, NULL, error),
              strerror(EIO));
    disk.fails = false;
}

static int32_t count_diagnostic(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    (void)diagnostic;
    ++*(int *)user;
    return WFSM_OK;
}

/* Whichever read it is. */
static void a_check_says_that_the_read_failed(void)
{
    int32_t status = WFSM_IO;
    int failed = 0, diagnostics = 0;
    wfsm_store_free(reopened("check.db"));
    for (int after = 0; status != WFSM_OK; after++) {
        disk.after = after;
        disk.fails = true;
        status = wfsm_sqlite_check(folder_file("check.db"), count_diagnostic, &diagnostics,
                                   NULL, error);
        disk.fails = false;
        if (status != WFSM_OK)
            expect_io(status, strerror(EIO));
        failed += status != WFSM_OK;
    }
    disk.after = 0;
    TEST_ASSERT_EQUAL_INT(1, diagnostics); /* the fixture's document is none */
    TEST_ASSERT_GREATER_THAN_INT(10, failed);
}

/* ---- reasons of the system ---- */

static void opening_says_what_the_system_said(void)
{
    wfsm_sqlite_options writing = {.size = sizeof writing, .must_exist = 1};
    wfsm_store *store = NULL;
    const char *folder = folder_path();
    char name[300];

    snprintf(name, sizeof name, "%s/no/such/folder.db", folder);
    expect_io(wfsm_sqlite_open(&store, name, NULL, NULL, error), strerror(ENOENT));
    expect_io(wfsm_sqlite_open(&store, folder, NULL, NULL, error), strerror(EISDIR));
    expect_io(wfsm_sqlite_open(&store, folder, &writing, NULL, error), strerror(EISDIR));
    file_write("plain", "x", 1);
    snprintf(name, sizeof name, "%s/plain/store.db", folder);
    expect_io(wfsm_sqlite_open(&store, name, NULL, NULL, error), strerror(ENOTDIR));
    TEST_ASSERT_EQUAL_INT(0, symlink("loop.db", folder_file("loop.db")));
    expect_io(wfsm_sqlite_open(&store, folder_file("loop.db"), NULL, NULL, error),
              strerror(ELOOP));
    TEST_ASSERT_NULL(store);
}

/* ---- the log ---- */

static void expect_lost_log(wfsm_store *store, const char *suffix)
{
    int rows = 0;
    expect_io(wfsm_store_list(store, NULL, sink, &rows, error), suffix);
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "deleted, moved or replaced"));
    wfsm_commit commit = commit_of("a", 5);
    expect_commit(store, &commit, WFSM_IO);
    wfsm_store_free(store);
}

static wfsm_store *with_log(const char *name, bool linked)
{
    if (linked)
        wfsm_store_free(folder_open("real.db"));
    if (linked)
        TEST_ASSERT_EQUAL_INT(0, symlink("real.db", folder_file(name)));
    wfsm_store *store = folder_open(name);
    start_instance(store, "a", 5);
    return store;
}

static void a_deleted_log_is_noticed(void)
{
    wfsm_store *store = with_log("a.db", false);
    TEST_ASSERT_EQUAL_INT(0, unlink(folder_file("a.db-wal")));
    expect_lost_log(store, "a.db-wal");
}

static void a_replaced_log_is_noticed(void)
{
    wfsm_store *store = with_log("b.db", false);
    char *new = strdup(folder_file("b.new"));
    file_write("b.new", "", 0);
    TEST_ASSERT_EQUAL_INT(0, rename(new, folder_file("b.db-wal")));
    free(new);
    expect_lost_log(store, "b.db-wal");
}

static void the_log_is_beside_the_file_that_a_link_names(void)
{
    wfsm_store *store = with_log("c.db", true);
    TEST_ASSERT_EQUAL_INT(0, unlink(folder_file("real.db-wal")));
    expect_lost_log(store, "real.db-wal");
}

static void a_deleted_index_is_noticed(void)
{
    wfsm_store *store = with_log("d.db", false);
    TEST_ASSERT_EQUAL_INT(0, unlink(folder_file("d.db-shm")));
    expect_lost_log(store, "d.db-shm");
}

/* Others come and go, and the log with the last of them. */
static void a_log_that_others_share_is_not_lost(void)
{
    wfsm_store *store = with_log("e.db", false), *other = folder_open("e.db");
    int rows = 0;
    wfsm_store_free(store);
    wfsm_commit commit = commit_of("a", 5);
    expect_commit(other, &commit, WFSM_OK);
    other_run("e.db", "PRAGMA wal_checkpoint(TRUNCATE)");
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_list(other, NULL, sink, &rows, error));
    TEST_ASSERT_EQUAL_INT(1, rows);
    wfsm_store_free(other);
}

int main(void)
{
    UNITY_BEGIN();
    break_calls();
    RUN_TEST(a_read_that_fails_is_no_corruption);
    RUN_TEST(corruption_after_a_read_that_failed_is_corruption);
    RUN_TEST(a_log_that_cannot_be_read_is_no_corruption);
    RUN_TEST(opening_says_that_the_read_failed);
    RUN_TEST(a_check_says_that_the_read_failed);
    RUN_TEST(opening_says_what_the_system_said);
    RUN_TEST(a_deleted_log_is_noticed);
    RUN_TEST(a_replaced_log_is_noticed);
    RUN_TEST(the_log_is_beside_the_file_that_a_link_names);
    RUN_TEST(a_deleted_index_is_noticed);
    RUN_TEST(a_log_that_others_share_is_not_lost);
    folder_remove();
    return UNITY_END() != 0;
}
