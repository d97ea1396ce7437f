/* A store is set back to an older state: a backup is restored in its place, with and without a handle
 * that has it open. */
#include "sqlite/folder.h"
#include "sqlite/other.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_commit_of_a_living_engine_is_refused_and_the_instance_lost);
    RUN_TEST(an_engine_without_work_notices_it_with_its_next_sign_of_life);
    RUN_TEST(the_host_may_adopt_what_is_left);
    folder_remove();
    return UNITY_END() != 0;
}
