/* A server that is set back to an older state while handles and engines use it is noticed; with "pool", by
 * those behind pgbouncer, who do not see that the server was another one in between. */
#include "postgres/server.h"
#include "store/fixture.h"
#include "store/store.h"

#include <string.h>
#include <unity.h>
#include <wfsm/wfsm.h>

static const char *(*address)(void) = server_address;
static bool behind_pool;
static wfsm_error *error;
static wfsm_store *store;

void setUp(void)
{
    error = wfsm_error_new(NULL);
    wfsm_store_free(server_open(server_address(), "test"));
    server_wipe();
    store = server_open(address(), "test");
}

void tearDown(void)
{
    wfsm_store_free(store);
    wfsm_error_free(error);
}

static int32_t commit(const char *instance, uint64_t base)
{
    wfsm_commit made = commit_of(instance, base);
    const wfsm_commit *list[] = {&made};
    int32_t answer = WFSM_OK;
    int32_t status = wfsm_store_commit(store, list, 1, &answer, error);

    return status != WFSM_OK ? status : answer;
}

/* A pool needs a moment, and what was on its way is lost. */
static int32_t claim(int64_t mine, int64_t now, int64_t until)
{
    int32_t status;

    do
        status = wfsm_store_claim(store, "me", mine, now, until, error);
    while (status == WFSM_STORE_FAILED || status == WFSM_STORE_UNKNOWN || status == WFSM_IO);
    return status;
}

static void expect_set_back(int32_t status)
{
    wfsm_head head = {.size = sizeof head};

    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_CONFLICT, status, wfsm_error_message(error));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(wfsm_error_message(error), "set back"),
                                 wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT32(WFSM_CONFLICT, wfsm_store_head(store, "a", &head, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_CONFLICT, commit("b", 0));
    TEST_ASSERT_EQUAL_INT64(
        0, server_number("SELECT count(*) FROM wfsm.head WHERE instance = 'b'"));
    wfsm_store_free(store);
    store = server_open(server_address(), "test");
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_head(store, "a", &head, error));
    TEST_ASSERT_EQUAL_UINT64(2, head.revision);
}

/* A commit of another instance would not notice it. */
static void a_lost_commit_is_noticed(void)
{
    start_instance(store, "a", 2);
    server_save();
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, commit("a", 2), wfsm_error_message(error));
    server_set_back();
    expect_set_back(commit("c", 0));
}

static void a_lost_lease_is_noticed(void)
{
    int32_t status;

    start_instance(store, "a", 2);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, claim(0, 1, 100));
    server_save();
    status = claim(100, 50, 200);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, status, wfsm_error_message(error));
    server_set_back();
    expect_set_back(claim(200, 150, 300));
}

/* Nothing was lost: the server was only started again. */
static void a_server_that_was_started_again_is_none(void)
{
    wfsm_head head = {.size = sizeof head};

    start_instance(store, "a", 2);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, claim(0, 1, 100));
    server_kill();
    server_start_again();
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, claim(100, 50, 200), wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_head(store, "a", &head, error));
}

/* Another process has removed the instance, and started one with the same name. */
static void a_new_instance_is_none(void)
{
    wfsm_store *other = server_open(server_address(), "test");
    wfsm_commit made = commit_of("a", 0);

    start_instance(store, "a", 2);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_remove(other, "a", error));
    made.now += 1;
    expect_commit(other, &made, WFSM_OK);
    wfsm_store_free(other);
    server_end_sessions();
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, claim(0, 1, 100), wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, commit("a", 1));
}

/* ---- an engine ---- */

static const char lamp[] =
    "{\"id\": \"lamp\", \"initial\": \"on\", \"states\": {\"on\": {\"on\": "
    "{\"ADD\": {\"actions\": {\"type\": \"assign\", \"params\": {\"n\": 1}}}}"
    "}}, \"context\": {\"n\": 0}}";

static int32_t why;

static int32_t lose(void *user, wfsm_call *call)
{
    (void)user;
    why = wfsm_call_lost(call);
    return WFSM_OK;
}

static void run(wfsm_engine *engine, int64_t now)
{
    int32_t status;

    do
        status = wfsm_engine_run(engine, now, error);
    while (status == WFSM_STORE_FAILED || status == WFSM_STORE_UNKNOWN || status == WFSM_IO);
}

static void an_engine_loses_its_instances(void)
{
    const wfsm_engine_options options = {.size = sizeof options, .session = "engine"};
    wfsm_engine *engine = NULL;
    wfsm_machine *machine = NULL;
    int32_t outcome;

    why = -1;
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_machine_load(&machine, lamp, sizeof lamp - 1, NULL, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_engine_new(&engine, store, &options, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_engine_add_machine(engine, machine, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_engine_on_lost(engine, lose, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_engine_start(engine, "lamp", "l", NULL, 0, 1000, error));
    run(engine, 1000);
    server_save();
    for (int64_t now = 2000; now < 20000; now += 1000) {
        wfsm_engine_send(engine, "l", "ADD", NULL, NULL, 0, now, &outcome, error);
        run(engine, now);
    }
    server_set_back();
    for (int64_t now = 20000; now < 60000 && why < 0; now += 1000)
        run(engine, now);
    TEST_ASSERT_EQUAL_INT32(WFSM_LOST_SET_BACK, why);
    wfsm_engine_free(engine);
    wfsm_machine_unref(machine);
}

int main(int count, char **arguments)
{
    if (!server_start())
        return 77;
    behind_pool = count > 1 && strcmp(arguments[1], "pool") == 0;
    wfsm_store_free(server_open(server_address(), "test"));
    if (behind_pool && !pool_start())
        return 77;
    address = behind_pool ? pool_address : server_address;
    UNITY_BEGIN();
    if (!behind_pool)
        RUN_TEST(a_lost_commit_is_noticed);
    RUN_TEST(a_lost_lease_is_noticed);
    RUN_TEST(a_server_that_was_started_again_is_none);
    RUN_TEST(a_new_instance_is_none);
    RUN_TEST(an_engine_loses_its_instances);
    return UNITY_END() != 0;
}
