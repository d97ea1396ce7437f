/* Files that are not a store, or cannot be one: opening them gives a clear error and does not
 * change them. */
#include "sqlite/folder.h"
#include "sqlite/other.h"
#include "store/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
    folder_wipe();
}

/* Opening is refused, the message names the file and says this, and no byte changes. */
static void expect_refusal(const char *name, int32_t status, const char *words)
{
    wfsm_store *store;
    size_t length_before, length_after;
    char *before = file_read(name, &length_before);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(status, try_open(&store, name, NULL), open_message);
    TEST_ASSERT_NULL(store);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(open_message, name), open_message);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(open_message, words), open_message);
    char *after = file_read(name, &length_after);
    TEST_ASSERT_EQUAL_size_t(length_before, length_after);
    TEST_ASSERT_EQUAL_MEMORY(before, after, length_after);
    free(before);
    free(after);
}

static void text_is_no_database(void)
{
    char text[8192];
    memset(text, 'x', sizeof text);
    file_write("notes.txt", text, sizeof text);
    expect_refusal("notes.txt", WFSM_CORRUPT, "a wfsm store");
    file_write("short.txt", "hello", 5);
    expect_refusal("short.txt", WFSM_CORRUPT, "a wfsm store");
}

static void a_database_of_another_program_is_left_alone(void)
{
    other_run("plain.db", "CREATE TABLE instance (id TEXT)");
    expect_refusal("plain.db", WFSM_CORRUPT, "another program (application_id 0;");
    other_run("marked.db", "PRAGMA application_id = 77");
    expect_refusal("marked.db", WFSM_CORRUPT, "application_id 77");
}

static void a_newer_schema_is_named(void)
{
    wfsm_store_free(folder_open("new.db"));
    other_run("new.db", "PRAGMA user_version = 2");
    expect_refusal("new.db", WFSM_VERSION, "version 2");
    other_run("new.db", "PRAGMA user_version = 0");
    expect_refusal("new.db", WFSM_CORRUPT, "version 0");
}

static void a_changed_schema_is_noticed(void)
{
    wfsm_store *store;
    wfsm_store_free(folder_open("changed.db"));
    other_run("changed.db", "ALTER TABLE journal RENAME COLUMN record TO entry");
    TEST_ASSERT_EQUAL_INT32(WFSM_CORRUPT, try_open(&store, "changed.db", NULL));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(open_message, "record"), open_message);
}

static void a_missing_file_is_made_only_if_it_may(void)
{
    wfsm_store *store;
    wfsm_sqlite_options options = {.size = sizeof options, .must_exist = 1};
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, try_open(&store, "none.db", &options));
    options = (wfsm_sqlite_options){.size = sizeof options, .read_only = 1};
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, try_open(&store, "none.db", &options));
    TEST_ASSERT_EQUAL_INT(-1, access(folder_file("none.db"), F_OK));
    TEST_ASSERT_EQUAL_INT32(WFSM_IO, try_open(&store, "no/such/folder/a.db", NULL));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(open_message, "no/such/folder"), open_message);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, try_open(&store, "none.db", NULL));
    wfsm_store_free(store);
    options = (wfsm_sqlite_options){.size = sizeof options, .must_exist = 1};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, try_open(&store, "none.db", &options));
    wfsm_store_free(store);
}

static void a_file_that_cannot_be_opened_is_not_missing(void)
{
    wfsm_store *store;
    wfsm_sqlite_options options = {.size = sizeof options, .must_exist = 1};
    TEST_ASSERT_EQUAL_INT(0, symlink("circle.db", folder_file("circle.db")));
    TEST_ASSERT_EQUAL_INT32(WFSM_IO, try_open(&store, "circle.db", &options));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(open_message, "cannot be opened"), open_message);
}

static void expect_mode(const char *name, mode_t mode)
{
    struct stat status;
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, stat(folder_file(name), &status), name);
    TEST_ASSERT_EQUAL_HEX32_MESSAGE(mode, status.st_mode & 07777, name);
}

static void expect_modes(const char *const names[3], const wfsm_sqlite_options *options,
                         mode_t mode, const char *instance)
{
    wfsm_store *store;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, try_open(&store, names[0], options));
    start_instance(store, instance, 1);
    for (int i = 0; i < 3; i++)
        expect_mode(names[i], mode);
    wfsm_store_free(store);
}

static void only_its_owner_reads_a_new_file(void)
{
    static const char *const usual[] = {"own.db", "own.db-wal", "own.db-shm"};
    static const char *const group[] = {"group.db", "group.db-wal", "group.db-shm"};
    wfsm_sqlite_options options = {.size = sizeof options, .mode = 0660};
    mode_t before = umask(0);
    expect_modes(usual, NULL, 0600, "a");
    (void)umask(077);
    expect_modes(group, &options, 0660, "a");
    (void)umask(before);
    /* Somebody has asked for these; opening does not take them back. */
    TEST_ASSERT_EQUAL_INT(0, chmod(folder_file("own.db"), 0644));
    expect_modes(usual, NULL, 0644, "b");
}

static void a_link_that_leads_nowhere_is_refused(void)
{
    char target[512];
    wfsm_store *store;
    snprintf(target, sizeof target, "%s", folder_file("elsewhere.db"));
    TEST_ASSERT_EQUAL_INT(0, symlink(target, folder_file("link.db")));
    TEST_ASSERT_EQUAL_INT32(WFSM_IO, try_open(&store, "link.db", NULL));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(open_message, "link.db: it is a link"), open_message);
    TEST_ASSERT_EQUAL_INT(-1, access(target, F_OK));
    wfsm_store_free(folder_open("elsewhere.db"));
    wfsm_store_free(folder_open("link.db"));
}

static void an_empty_file_becomes_a_store(void)
{
    wfsm_store *store;
    wfsm_sqlite_options options = {.size = sizeof options, .read_only = 1};
    file_write("empty.db", "", 0);
    TEST_ASSERT_EQUAL_INT32(WFSM_CORRUPT, try_open(&store, "empty.db", &options));
    store = folder_open("empty.db");
    start_instance(store, "a", 1);
    wfsm_store_free(store);
}

static void names_of_files_are_taken_literally(void)
{
    const char *names[] = {"a?mode=ro.db", "b#c%20d.db", "file:e.db", "\xC3\xA9 f'\".db"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        wfsm_store *store = folder_open(names[i]);
        start_instance(store, "a", 1);
        wfsm_store_free(store);
        TEST_ASSERT_EQUAL_INT(0, access(folder_file(names[i]), F_OK));
    }
}

static void options_are_checked(void)
{
    wfsm_store *store = NULL;
    struct {
        wfsm_sqlite_options options;
        int32_t more;
    } newer = {{.size = sizeof newer}, 1};
    const wfsm_sqlite_options cases[] = {
        {.size = 0},
        {.size = sizeof *cases, .synchronous = 2},
        {.size = sizeof *cases, .synchronous = -1},
        {.size = sizeof *cases, .busy_ms = -1},
        {.size = sizeof *cases, .read_only = 2},
        {.size = sizeof *cases, .must_exist = -1},
        {.size = sizeof *cases, .mode = 0400},
        {.size = sizeof *cases, .mode = 04600},
        {.size = sizeof *cases, .mode = -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, try_open(&store, "a.db", &cases[i]));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, try_open(&store, "a.db", &newer.options));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_sqlite_open(&store, "", NULL, NULL, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_sqlite_open(&store, ":memory:", NULL, NULL, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_sqlite_open(&store, NULL, NULL, NULL, NULL));
    TEST_ASSERT_NULL(store);
    TEST_ASSERT_EQUAL_INT(-1, access(folder_file("a.db"), F_OK));
    newer.more = 0;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, try_open(&store, "a.db", &newer.options));
    wfsm_store_free(store);
}

static int32_t inner_number(wfsm_store *store, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    sqlite3_prepare_v2(inner_connection(store), sql, -1, &statement, NULL);
    TEST_ASSERT_EQUAL_INT(SQLITE_ROW, sqlite3_step(statement));
    int32_t number = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

/* FULL is 2 and NORMAL 1 in SQLite's own words. */
static void the_log_is_synced_as_asked(void)
{
    wfsm_sqlite_options options = {.size = sizeof options, .synchronous = WFSM_SQLITE_NORMAL};
    wfsm_store *store = folder_open("full.db");
    TEST_ASSERT_EQUAL_INT32(2, inner_number(store, "PRAGMA synchronous"));
    wfsm_store_free(store);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, try_open(&store, "full.db", &options));
    TEST_ASSERT_EQUAL_INT32(1, inner_number(store, "PRAGMA synchronous"));
    wfsm_store_free(store);
    TEST_ASSERT_EQUAL_INT64(
        1, other_number("full.db", "SELECT journal_mode = 'wal' FROM pragma_journal_mode"));
    TEST_ASSERT_EQUAL_INT64(0x7766736d, other_number("full.db", "PRAGMA application_id"));
    TEST_ASSERT_EQUAL_INT64(1, other_number("full.db", "PRAGMA user_version"));
}

/* Somebody's `sqlite3` may have left the file in another mode. */
static void write_ahead_logging_is_turned_on_again(void)
{
    wfsm_store_free(folder_open("mode.db"));
    other_run("mode.db", "PRAGMA journal_mode = DELETE");
    wfsm_store_free(folder_open("mode.db"));
    TEST_ASSERT_EQUAL_INT64(
        1, other_number("mode.db", "SELECT journal_mode = 'wal' FROM pragma_journal_mode"));
}

/* Memory of the store's own comes from its allocator; SQLite has its own. */
static size_t blocks;

static void *take(void *user, size_t bytes)
{
    (void)user;
    blocks++;
    return malloc(bytes);
}

static void *resize(void *user, void *block, size_t bytes)
{
    (void)user;
    blocks += !block;
    return realloc(block, bytes);
}

static void give(void *user, void *block)
{
    (void)user;
    blocks -= block != NULL;
    free(block);
}

static void memory_comes_from_the_allocator(void)
{
    wfsm_allocator allocator = {sizeof allocator, NULL, take, resize, give};
    wfsm_store *store = NULL;
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_sqlite_open(&store, folder_file("a.db"), NULL, &allocator, NULL));
    TEST_ASSERT_GREATER_THAN_size_t(0, blocks);
    start_instance(store, "a", 100);
    free_dump(dump(store));
    wfsm_store_free(store);
    TEST_ASSERT_EQUAL_size_t(0, blocks);
    allocator.release = NULL;
    TEST_ASSERT_EQUAL_INT32(
        WFSM_INVALID, wfsm_sqlite_open(&store, folder_file("a.db"), NULL, &allocator, NULL));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(text_is_no_database);
    RUN_TEST(a_database_of_another_program_is_left_alone);
    RUN_TEST(a_newer_schema_is_named);
    RUN_TEST(a_changed_schema_is_noticed);
    RUN_TEST(a_missing_file_is_made_only_if_it_may);
    RUN_TEST(a_file_that_cannot_be_opened_is_not_missing);
    RUN_TEST(only_its_owner_reads_a_new_file);
    RUN_TEST(a_link_that_leads_nowhere_is_refused);
    RUN_TEST(an_empty_file_becomes_a_store);
    RUN_TEST(names_of_files_are_taken_literally);
    RUN_TEST(options_are_checked);
    RUN_TEST(the_log_is_synced_as_asked);
    RUN_TEST(write_ahead_logging_is_turned_on_again);
    RUN_TEST(memory_comes_from_the_allocator);
    folder_remove();
    return UNITY_END() != 0;
}
