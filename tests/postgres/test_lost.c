/* Lost answers. If a commit is not stored when the store is read the next time, it is never stored. */
#include "postgres/lossy.h"
#include "postgres/server.h"
#include "store/fixture.h"
#include "store/store.h"

#include "pg.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unity.h>
#include <wfsm/instance.h>

static int32_t commit_on(wfsm_store *on, const char *instance, uint64_t base)
{
    wfsm_commit commit = commit_of(instance, base);
    const wfsm_commit *list[] = {&commit};
    int32_t answer = WFSM_OK;
    int32_t status = wfsm_store_commit(on, list, 1, &answer, error);

    return status != WFSM_OK ? status : answer;
}

static uint64_t revision_on(wfsm_store *on, const char *instance)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(on, instance, &head, error);

    if (status == WFSM_NOT_FOUND)
        return 0;
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, status, wfsm_error_message(error));
    return head.revision;
}

static void an_answer_that_is_lost_was_a_commit(void)
{
    start_instance(store, "a", 1);
    between->mute = between->count;
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, commit_on(store, "a", 1));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "lost"));
    TEST_ASSERT_EQUAL_UINT64(2, revision_on(store, "a"));
    TEST_ASSERT_EQUAL_INT32(WFSM_CONFLICT, commit_on(store, "a", 1));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, commit_on(store, "a", 2));
}

static void a_removal_may_be_asked_for_again(void)
{
    start_instance(store, "a", 1);
    between->mute = between->count;
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, wfsm_store_remove(store, "a", error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_remove(store, "a", error));
    TEST_ASSERT_EQUAL_UINT64(0, revision_on(store, "a"));
}

/* A post with an id is there once, however often it is made. */
static void a_post_may_be_made_again(void)
{
    start_instance(store, "a", 1);
    between->mute = between->count;
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN,
                            wfsm_store_post(store, "a", "e", "id", NULL, 0, 1, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_EXISTS,
                            wfsm_store_post(store, "a", "e", "id", NULL, 0, 1, error));
}

/* If the answer to a claim was lost, the row says one of two things, and a host tries both. */
static void a_claim_may_be_made_again(void)
{
    between->mute = between->count;
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN,
                            wfsm_store_claim(store, "me", 0, 1, 100, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED, wfsm_store_claim(store, "me", 0, 1, 100, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_claim(store, "me", 100, 1, 100, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED, wfsm_store_claim(store, "me", 99, 1, 99, error));
}

/* The commit arrives when the instance was looked at, and when it was committed to again. */
static void a_commit_that_is_late_is_refused(void)
{
    int held = between->count;

    start_instance(store, "a", 1);
    between->hold = between->count;
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, commit_on(store, "a", 1));
    TEST_ASSERT_TRUE(between->seen > 0);
    TEST_ASSERT_EQUAL_UINT64(1, revision_on(store, "a"));
    between->hold = 0;
    relay_await_end(between, held);
    TEST_ASSERT_EQUAL_UINT64(1, revision_on(plain, "a"));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, commit_on(store, "a", 1));
    TEST_ASSERT_EQUAL_UINT64(2, revision_on(plain, "a"));
    TEST_ASSERT_EQUAL_INT64(0, server_number("SELECT epoch FROM wfsm.head"));
}

/* Another handle has looked at it, too: it need not know of the epoch to load the instance, and learns
 * it by that. */
static void another_handle_learns_the_epoch(void)
{
    start_instance(store, "a", 1);
    between->hold = between->count;
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, commit_on(store, "a", 1));
    TEST_ASSERT_EQUAL_UINT64(1, revision_on(store, "a"));
    TEST_ASSERT_EQUAL_INT32(WFSM_CONFLICT, commit_on(plain, "a", 1));
    TEST_ASSERT_EQUAL_UINT64(1, revision_on(plain, "a"));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, commit_on(plain, "a", 1));
    TEST_ASSERT_EQUAL_INT32(WFSM_CONFLICT, commit_on(store, "a", 1));
}

static void a_start_that_is_late_is_refused(void)
{
    int held = between->count;

    between->hold = between->count;
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, commit_on(store, "a", 0));
    TEST_ASSERT_EQUAL_UINT64(0, revision_on(store, "a"));
    between->hold = 0;
    relay_await_end(between, held);
    TEST_ASSERT_EQUAL_UINT64(0, revision_on(plain, "a"));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, commit_on(plain, "a", 1));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND,
                            wfsm_store_post(plain, "a", "e", NULL, NULL, 0, 1, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, commit_on(store, "a", 0));
    TEST_ASSERT_EQUAL_UINT64(1, revision_on(plain, "a"));
    TEST_ASSERT_EQUAL_INT32(WFSM_EXISTS, commit_on(plain, "a", 0));
}

/* The one that does not know of the lost start may start the instance all the same. */
static void another_handle_starts_what_was_given_up(void)
{
    int held = between->count;

    between->hold = between->count;
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, commit_on(store, "a", 0));
    TEST_ASSERT_EQUAL_UINT64(0, revision_on(store, "a"));
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, commit_on(plain, "a", 0),
                                    wfsm_error_message(error));
    between->hold = 0;
    relay_await_end(between, held);
    TEST_ASSERT_EQUAL_UINT64(1, revision_on(plain, "a"));
    TEST_ASSERT_EQUAL_INT64(1, server_number("SELECT count(*) FROM wfsm.record"));
}

static const char lamp[] =
    "{\"id\": \"lamp\", \"initial\": \"on\", \"context\": {\"n\": 0}, \"states\": {\"on\": {"
    "\"on\": {\"ADD\": {\"actions\": {\"type\": \"assign\", \"params\": {\"n\": {\"+\": ["
    "{\"var\": \"context.n\"}, 1]}}}}}}}}";

static wfsm_instance *load_lamp(wfsm_machine *machine)
{
    wfsm_instance *instance = NULL;

    TEST_ASSERT_EQUAL_INT32_MESSAGE(
        WFSM_OK, wfsm_instance_load(&instance, machine, store, NULL, "lamp", error),
        wfsm_error_message(error));
    return instance;
}

/* An event without an id asks nothing before its commit. */
static void lose_event(wfsm_machine *machine, volatile int *fault, int wanted,
                       uint64_t revision)
{
    const wfsm_event event = {.size = sizeof event, .name = "ADD"};
    wfsm_instance *instance = load_lamp(machine);
    int32_t stored = -1;

    *fault = between->count;
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN,
                            wfsm_instance_send(instance, &event, 1, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_instance_check_commit(instance, &stored, error));
    TEST_ASSERT_EQUAL_INT32(wanted, stored);
    wfsm_instance_free(instance);
    TEST_ASSERT_EQUAL_UINT64(revision, revision_on(plain, "lamp"));
}

/* What wfsm_instance_check_commit() says stays true. */
static void an_instance_knows_what_became_of_its_commit(void)
{
    const wfsm_start_options options = {.size = sizeof options, .id = "lamp", .store = store};
    const wfsm_event event = {.size = sizeof event, .name = "ADD"};
    wfsm_instance *instance = NULL;
    wfsm_machine *machine = NULL;
    int held;

    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_machine_load(&machine, lamp, sizeof lamp - 1, NULL, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_instance_start(&instance, machine, &options, 0, error));
    wfsm_instance_free(instance);
    lose_event(machine, &between->mute, 1, 2);
    lose_event(machine, &between->hold, 0, 2);
    held = between->hold;
    between->hold = 0;
    relay_await_end(between, held);
    TEST_ASSERT_EQUAL_UINT64(2, revision_on(plain, "lamp"));
    instance = load_lamp(machine);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_instance_send(instance, &event, 2, NULL, error));
    TEST_ASSERT_EQUAL_UINT64(3, revision_on(plain, "lamp"));
    wfsm_instance_free(instance);
    wfsm_machine_unref(machine);
}

/* In a child: ends the session that waits for the lock beside that of the lost commit. */
static pid_t end_wait(int of_commit)
{
    char sql[200];
    pid_t child = fork();

    if (child != 0)
        return child;
    server_forget();
    snprintf(sql, sizeof sql,
             "SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity"
             " WHERE wait_event_type = 'Lock' AND pid <> %d",
             of_commit);
    server_await(sql, 1);
    _exit(0);
}

static void expect_end(pid_t child)
{
    int status = -1;

    waitpid(child, &status, 0);
    TEST_ASSERT_EQUAL_INT(0, status);
}

/* The server still holds the lock of the lost commit. Who asks waits, and learns nothing wrong. */
static void nothing_is_read_before_it_is_certain(void)
{
    wfsm_head head = {.size = sizeof head};
    wf_pg *db = plain->self;
    const int patience = db->answer_ms;
    const int process = PQbackendPID(db->connection);
    pid_t child;

    start_instance(plain, "a", 1);
    server_run("BEGIN");
    server_run("SELECT 1 FROM wfsm.head FOR UPDATE");
    db->answer_ms = 1; /* as long as the row is locked, no time is long enough */
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, commit_on(plain, "a", 1));
    db->answer_ms = patience;
    child = end_wait(process);
    TEST_ASSERT_EQUAL_INT32(WFSM_IO, wfsm_store_head(plain, "a", &head, error));
    expect_end(child);
    child = end_wait(process);
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_FAILED, commit_on(plain, "a", 1));
    expect_end(child);
    server_run("COMMIT");
    TEST_ASSERT_EQUAL_UINT64(2, revision_on(plain, "a"));
}

/* In a child: ends the wait for a standby that never comes. */
static pid_t cancel_wait(void)
{
    pid_t child = fork();

    if (child != 0)
        return child;
    server_forget();
    server_await("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'", 1);
    server_run("SELECT pg_cancel_backend(pid) FROM pg_stat_activity"
               " WHERE wait_event = 'SyncRep'");
    _exit(0);
}

static void set_standby(const char *name)
{
    server_run(name);
    server_run("SELECT pg_reload_conf()");
}

/* Commits wait until the server's checkpointer has read its configuration: so does this one. */
static void end_standby(void)
{
    set_standby("ALTER SYSTEM RESET synchronous_standby_names");
    server_run("CREATE TABLE no_standby ()");
    server_run("DROP TABLE no_standby");
}

static void a_wait_for_a_standby_that_was_cancelled_is_unknown(void)
{
    pid_t child;
    uint64_t revision = 1;
    int32_t answer;

    start_instance(plain, "a", 1);
    set_standby("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    child = cancel_wait();
    do { /* until the server's checkpointer has read its configuration */
        answer = commit_on(plain, "a", revision++);
    } while (answer == WFSM_OK);
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, answer);
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "standby"));
    waitpid(child, NULL, 0);
    end_standby();
    TEST_ASSERT_EQUAL_UINT64(revision, revision_on(plain, "a"));
}

/* A read is simply made again. */
static void a_session_that_was_ended_while_idle_is_not_noticed(void)
{
    start_instance(store, "a", 1);
    server_end_sessions();
    TEST_ASSERT_EQUAL_UINT64(1, revision_on(plain, "a"));
    server_end_sessions();
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, commit_on(plain, "a", 1),
                                    wfsm_error_message(error));
}

/* kill -9 of the whole server. */
static void a_server_that_was_killed_has_what_it_acknowledged(void)
{
    wfsm_head head = {.size = sizeof head};

    start_instance(plain, "a", 3);
    server_kill();
    TEST_ASSERT_EQUAL_INT32(WFSM_IO, wfsm_store_head(plain, "a", &head, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_FAILED, commit_on(plain, "a", 3));
    server_start_again();
    TEST_ASSERT_EQUAL_UINT64(3, revision_on(plain, "a"));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, commit_on(plain, "a", 3));
}

int main(void)
{
    if (!lossy_start())
        return 77;
    UNITY_BEGIN();
    RUN_TEST(an_answer_that_is_lost_was_a_commit);
    RUN_TEST(a_removal_may_be_asked_for_again);
    RUN_TEST(a_post_may_be_made_again);
    RUN_TEST(a_claim_may_be_made_again);
    RUN_TEST(a_commit_that_is_late_is_refused);
    RUN_TEST(another_handle_learns_the_epoch);
    RUN_TEST(a_start_that_is_late_is_refused);
    RUN_TEST(another_handle_starts_what_was_given_up);
    RUN_TEST(an_instance_knows_what_became_of_its_commit);
    RUN_TEST(nothing_is_read_before_it_is_certain);
    RUN_TEST(a_wait_for_a_standby_that_was_cancelled_is_unknown);
    RUN_TEST(a_session_that_was_ended_while_idle_is_not_noticed);
    RUN_TEST(a_server_that_was_killed_has_what_it_acknowledged);
    return UNITY_END() != 0;
}
