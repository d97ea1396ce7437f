/* A store is set back to an older state: a backup is restored in its place, with and without a handle
 * that has it open. */
#include "sqlite/folder.h"
#include "sqlite/other.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unity.h>
#include <wfsm/wfsm.h>

static const char counter[] =
    "{\"id\":\"m\",\"initial\":\"a\",\"context\":{\"n\":0},\"states\":{\"a\":{\"on\":{\"go\":{"
    "\"actions\":{\"type\":\"assign\",\"params\":{\"n\":{\"+\":[{\"var\":\"context.n\"},1]}}}}}}}}";

static wfsm_error *error;
static wfsm_store *store;
static wfsm_engine *engine;
static struct {
    int count;
    int32_t why;
} lost;

#define OK(call) TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, call, wfsm_error_message(error))

void setUp(void)
{
    error = wfsm_error_new(NULL);
    lost.count = 0;
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    wfsm_error_free(error);
    engine = NULL;
    store = NULL;
    folder_wipe();
}

static int32_t hear(void *user, wfsm_call *call)
{
    (void)user;
    lost.count++;
    lost.why = wfsm_call_lost(call);
    return WFSM_OK;
}

static void make_engine(const char *session, int64_t now)
{
    wfsm_engine_options options = {
        .size = sizeof options, .session = session, .lapse_ms = 9000, .now = now};
    wfsm_machine *machine = NULL;

    OK(wfsm_engine_new(&engine, store, &options, error));
    OK(wfsm_machine_load(&machine, counter, strlen(counter), NULL, NULL, error));
    OK(wfsm_engine_add_machine(engine, machine, error));
    OK(wfsm_engine_on_lost(engine, hear, NULL, error));
    wfsm_machine_unref(machine);
}

static int32_t go(int64_t now)
{
    int32_t outcome = 0;

    return wfsm_engine_send(engine, "x", "go", NULL, NULL, 0, now, &outcome, error);
}

/* By SQLite's own means, which processes that have the file open notice. */
static void copy(const char *from, const char *to)
{
    sqlite3 *source = other_open(from), *target = other_open(to);
    sqlite3_backup *backup = sqlite3_backup_init(target, "main", source, "main");

    TEST_ASSERT_NOT_NULL(backup);
    TEST_ASSERT_EQUAL_INT(SQLITE_DONE, sqlite3_backup_step(backup, -1));
    TEST_ASSERT_EQUAL_INT(SQLITE_OK, sqlite3_backup_finish(backup));
    sqlite3_close(source);
    sqlite3_close(target);
}

/* x is at revision 2 in the backup, and at revision 4 in the store. */
static void be_ahead_of_the_backup(void)
{
    store = folder_open("t.db");
    make_engine("one", 0);
    OK(wfsm_engine_start(engine, "m", "x", NULL, 0, 0, error));
    OK(go(1));
    copy("t.db", "backup.db");
    OK(go(2));
    OK(go(3));
}

static void check_lost(void)
{
    TEST_ASSERT_EQUAL_INT(1, lost.count);
    TEST_ASSERT_EQUAL_INT32(WFSM_LOST_SET_BACK, lost.why);
    TEST_ASSERT_NULL(wfsm_engine_instance(engine, "x"));
}

/* ---- a living engine ---- */

static void a_commit_of_a_living_engine_is_refused_and_the_instance_lost(void)
{
    be_ahead_of_the_backup();
    copy("backup.db", "t.db");
    TEST_ASSERT_EQUAL_INT32(WFSM_CONFLICT, go(4));
    OK(wfsm_engine_run(engine, 5, error));
    check_lost();
}

static void an_engine_without_work_notices_it_with_its_next_sign_of_life(void)
{
    be_ahead_of_the_backup();
    copy("backup.db", "t.db");
    wfsm_engine_run(engine, 4000, error);
    wfsm_engine_run(engine, 4000, error);
    check_lost();
}

static void the_host_may_adopt_what_is_left(void)
{
    be_ahead_of_the_backup();
    copy("backup.db", "t.db");
    (void)go(4);
    OK(wfsm_engine_run(engine, 5, error));
    OK(wfsm_engine_adopt(engine, "x", 6, error));
    TEST_ASSERT_EQUAL_UINT64(2, wfsm_instance_revision(wfsm_engine_instance(engine, "x")));
    OK(go(7));
    TEST_ASSERT_EQUAL_INT(1, lost.count);
}

/* ---- a backup that is put in the place of the store ---- */

/* Makes the store, or works on it: one more revision, by a session of its own. */
static void work(const char *session, bool continues)
{
    store = folder_open("t.db");
    make_engine(session, 100000);
    if (continues) {
        OK(wfsm_engine_adopt(engine, "x", 100000, error));
        OK(go(100000));
    } else {
        OK(wfsm_engine_start(engine, "m", "x", NULL, 0, 100000, error));
    }
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    engine = NULL;
    store = NULL;
}

static int32_t count_diagnostic(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    snprintf(open_message, sizeof open_message, "%s", diagnostic->message);
    ++*(int *)user;
    return WFSM_OK;
}

static int32_t age(void)
{
    return wfsm_sqlite_check_age(folder_file("t.db"), NULL, error);
}

static void put_back(const char *name, char *bytes, size_t length)
{
    file_write(name, bytes, length);
    free(bytes);
}

static void check_refused(void)
{
    int diagnostics = 0;

    TEST_ASSERT_EQUAL_INT32(WFSM_CONFLICT, try_open(&store, "t.db", NULL));
    TEST_ASSERT_NOT_NULL(strstr(open_message, "a backup was put in its place"));
    TEST_ASSERT_NOT_NULL(strstr(open_message, "delete "));
    TEST_ASSERT_NOT_NULL(strstr(open_message, "t.db-seen"));
    TEST_ASSERT_EQUAL_INT32(WFSM_CONFLICT, age());
    OK(wfsm_sqlite_check(folder_file("t.db"), count_diagnostic, &diagnostics, NULL, error));
    TEST_ASSERT_EQUAL_INT(1, diagnostics);
    TEST_ASSERT_NOT_NULL(strstr(open_message, "a backup was put in its place"));
}

/* Reading is possible before and after, and so is writing once the file is gone. */
static void check_refused_until_the_file_is_deleted(void)
{
    const wfsm_sqlite_options reading = {.size = sizeof reading, .read_only = 1};

    check_refused();
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, try_open(&store, "t.db", &reading));
    wfsm_store_free(store);
    store = NULL;
    check_refused();
    TEST_ASSERT_EQUAL_INT(0, remove(folder_file("t.db-seen")));
    OK(age());
    work("later", true);
    OK(age());
}

static void a_restored_backup_is_refused(void)
{
    size_t length;

    work("one", false);
    char *backup = file_read("t.db", &length);
    work("two", true);
    put_back("t.db", backup, length);
    check_refused_until_the_file_is_deleted();
}

/* One that was made while an engine lived; it has not opened the store again since. */
static void a_backup_of_a_store_in_use_is_refused(void)
{
    size_t length;

    be_ahead_of_the_backup();
    OK(wfsm_engine_run(engine, 4000, error));
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    engine = NULL;
    store = NULL;
    char *backup = file_read("backup.db", &length);
    put_back("t.db", backup, length);
    check_refused_until_the_file_is_deleted();
}

/* Posts have no session. */
static void a_backup_from_before_a_post_is_refused(void)
{
    size_t length;

    work("one", false);
    char *backup = file_read("t.db", &length);
    store = folder_open("t.db");
    OK(wfsm_store_post(store, "x", "go", NULL, NULL, 0, 0, error));
    wfsm_store_free(store);
    store = NULL;
    put_back("t.db", backup, length);
    check_refused_until_the_file_is_deleted();
}

static void the_last_state_of_a_store_is_as_good_as_ever(void)
{
    size_t length;

    work("one", false);
    work("two", true);
    char *last = file_read("t.db", &length);
    TEST_ASSERT_EQUAL_INT(0, remove(folder_file("t.db")));
    put_back("t.db", last, length);
    OK(age());
    work("three", true);
}

static void a_copy_in_another_place_is_a_store_like_any_other(void)
{
    size_t length;

    work("one", false);
    char *copied = file_read("t.db", &length);
    work("two", true);
    put_back("u.db", copied, length);
    store = folder_open("u.db");
    OK(wfsm_store_post(store, "x", "go", NULL, NULL, 0, 0, error));
    OK(age());
}

static void another_store_of_the_name_has_no_past(void)
{
    work("one", false);
    work("two", true);
    TEST_ASSERT_EQUAL_INT(0, remove(folder_file("t.db")));
    work("three", false);
    work("four", true);
    OK(age());
}

static int32_t ignore(void *user, const wfsm_row *row)
{
    (void)user;
    (void)row;
    return WFSM_OK;
}

/* Two handles that take turns never lower the generation, even if they read in between. */
static void handles_count_together(void)
{
    store = folder_open("t.db");
    wfsm_store *other = folder_open("t.db");
    for (sqlite3_int64 i = 1; i <= 5; i++) {
        OK(wfsm_store_owner_alive(i % 2 ? store : other, "me", i, error));
        OK(wfsm_store_inbox(store, NULL, 0, ignore, NULL, error));
        OK(wfsm_store_inbox(other, NULL, 0, ignore, NULL, error));
        TEST_ASSERT_EQUAL_INT64(i, other_number("t.db", "SELECT generation FROM store"));
        OK(age());
    }
    wfsm_store_free(other);
}

/* ---- the file ---- */

static void it_has_the_permissions_of_the_store(void)
{
    struct stat found;
    const wfsm_sqlite_options shared = {.size = sizeof shared, .mode = 0640};

    work("one", false);
    TEST_ASSERT_EQUAL_INT(0, stat(folder_file("t.db-seen"), &found));
    TEST_ASSERT_EQUAL_UINT(0600, found.st_mode & 0777);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, try_open(&store, "u.db", &shared));
    OK(wfsm_store_owner_alive(store, "me", 1, error));
    TEST_ASSERT_EQUAL_INT(0, stat(folder_file("u.db-seen"), &found));
    TEST_ASSERT_EQUAL_UINT(0640, found.st_mode & 0777);
}

static void a_damaged_file_says_nothing_and_is_written_again(void)
{
    static const char *const texts[] = {"", "wfsm store ", "wfsm store 00 generation 99\n",
                                        "\0\0\0"};
    size_t length;

    work("one", false);
    char *good = file_read("t.db-seen", &length);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        file_write("t.db-seen", texts[i], strlen(texts[i]));
        OK(age());
        work(i % 2 ? "two" : "three", true);
        char *again = file_read("t.db-seen", &length);
        TEST_ASSERT_EQUAL_MEMORY(good, again, sizeof "wfsm store");
        free(again);
    }
    free(good);
}

static void what_cannot_be_read_or_written_does_no_harm(void)
{
    TEST_ASSERT_EQUAL_INT(0, mkdir(folder_file("t.db-seen"), 0700));
    work("one", false);
    work("two", true);
    OK(age());
    TEST_ASSERT_EQUAL_INT(0, rmdir(folder_file("t.db-seen")));
    TEST_ASSERT_EQUAL_INT(0, mkfifo(folder_file("t.db-seen"), 0600));
    work("three", true);
    OK(age());
}

static void a_link_in_its_place_is_refused(void)
{
    char *victim;
    size_t length;

    work("one", false);
    TEST_ASSERT_EQUAL_INT(0, remove(folder_file("t.db-seen")));
    file_write("victim", "precious", 8);
    TEST_ASSERT_EQUAL_INT(0, symlink(folder_file("victim"), folder_file("t.db-seen")));
    TEST_ASSERT_EQUAL_INT32(WFSM_IO, try_open(&store, "t.db", NULL));
    TEST_ASSERT_NOT_NULL(strstr(open_message, "t.db-seen is a link"));
    victim = file_read("victim", &length);
    TEST_ASSERT_EQUAL_size_t(8, length);
    TEST_ASSERT_EQUAL_MEMORY("precious", victim, 8);
    free(victim);
}

/* ---- a handle that is open ---- */

static void a_handle_whose_store_was_set_back_writes_no_more(void)
{
    store = folder_open("t.db");
    OK(wfsm_store_owner_alive(store, "me", 1, error));
    copy("t.db", "backup.db");
    OK(wfsm_store_owner_alive(store, "me", 2, error));
    copy("backup.db", "t.db");
    for (int i = 0; i < 3; i++)
        TEST_ASSERT_EQUAL_INT32(WFSM_CONFLICT, wfsm_store_owner_alive(store, "me", 3, error));
    TEST_ASSERT_NOT_NULL(
        strstr(wfsm_error_message(error), "an older copy was put in its place"));
    wfsm_store_free(store);
    check_refused();
}

static void an_engine_that_was_set_back_by_hours_loses_all_its_instances(void)
{
    be_ahead_of_the_backup();
    OK(wfsm_engine_start(engine, "m", "y", NULL, 0, 3, error));
    OK(wfsm_engine_run(engine, 4000, error));
    copy("backup.db", "t.db");
    wfsm_engine_run(engine, 8000, error);
    wfsm_engine_run(engine, 8000, error);
    TEST_ASSERT_EQUAL_INT(2, lost.count);
    TEST_ASSERT_EQUAL_INT32(WFSM_LOST_SET_BACK, lost.why);
    TEST_ASSERT_EQUAL_INT32(WFSM_CONFLICT, wfsm_engine_adopt(engine, "x", 8000, error));
}

/* Its commits are not synced, but the log is before the file is written. */
static void a_store_without_syncs_is_compared_too(void)
{
    const wfsm_sqlite_options normal = {.size = sizeof normal,
                                        .synchronous = WFSM_SQLITE_NORMAL};
    size_t length;

    work("one", false);
    char *backup = file_read("t.db", &length);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, try_open(&store, "t.db", &normal));
    OK(wfsm_store_owner_alive(store, "me", 1, error));
    wfsm_store_free(store);
    store = NULL;
    put_back("t.db", backup, length);
    check_refused();
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_commit_of_a_living_engine_is_refused_and_the_instance_lost);
    RUN_TEST(an_engine_without_work_notices_it_with_its_next_sign_of_life);
    RUN_TEST(the_host_may_adopt_what_is_left);
    RUN_TEST(a_restored_backup_is_refused);
    RUN_TEST(a_backup_of_a_store_in_use_is_refused);
    RUN_TEST(a_backup_from_before_a_post_is_refused);
    RUN_TEST(the_last_state_of_a_store_is_as_good_as_ever);
    RUN_TEST(a_copy_in_another_place_is_a_store_like_any_other);
    RUN_TEST(another_store_of_the_name_has_no_past);
    RUN_TEST(handles_count_together);
    RUN_TEST(it_has_the_permissions_of_the_store);
    RUN_TEST(a_damaged_file_says_nothing_and_is_written_again);
    RUN_TEST(what_cannot_be_read_or_written_does_no_harm);
    RUN_TEST(a_link_in_its_place_is_refused);
    RUN_TEST(a_handle_whose_store_was_set_back_writes_no_more);
    RUN_TEST(an_engine_that_was_set_back_by_hours_loses_all_its_instances);
    RUN_TEST(a_store_without_syncs_is_compared_too);
    folder_remove();
    return UNITY_END() != 0;
}
