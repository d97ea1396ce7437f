/* What an idle engine costs: the round trips and statements of an hour in which nothing happens. The time is
 * the test's own. */
#include "postgres/server.h"
#include "store/store.h"

#include "pg.h"

#include <stdio.h>
#include <string.h>
#include <unity.h>
#include <wfsm/wfsm.h>

enum { INSTANCES = 100, LAPSE = 10000, HOUR = 3600000 };

static const char document[] =
    "{\"id\": \"wait\", \"initial\": \"a\", \"states\": {\"a\": {\"on\": {\"go\": \"b\"}},"
    " \"b\": {\"on\": {\"back\": \"a\"}}}}";

static wfsm_store *store;
static wfsm_engine *engine;
static wfsm_error *error;

#define OK(call)                                                                               \
    TEST_ASSERT_EQUAL_STRING_MESSAGE("OK", wfsm_status_name(call), wfsm_error_message(error))

static void make_engine(int64_t look_most_ms)
{
    const wfsm_engine_options options = {.size = sizeof options,
                                         .session = "idle",
                                         .lapse_ms = LAPSE,
                                         .look_most_ms = look_most_ms};
    wfsm_machine *machine = NULL;
    char id[16];

    OK(wfsm_engine_new(&engine, store, &options, error));
    OK(wfsm_machine_load(&machine, document, sizeof document - 1, NULL, NULL, error));
    OK(wfsm_engine_add_machine(engine, machine, error));
    wfsm_machine_unref(machine);
    for (int i = 0; i < INSTANCES; i++) {
        snprintf(id, sizeof id, "w%d", i);
        OK(wfsm_engine_start(engine, "wait", id, NULL, 0, 1, error));
    }
}

void setUp(void)
{
    server_wipe();
    error = wfsm_error_new(NULL);
    store = server_open(server_address(), "idle");
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    engine = NULL;
    wfsm_store_free(store);
    wfsm_error_free(error);
}

/* As a loop does that also runs the engine every 50 ms. Returns how many runs there were. */
static int64_t run_until(int64_t from, int64_t end)
{
    int64_t now = from;

    while (now < end) {
        int64_t due = wfsm_engine_deadline(engine);

        OK(wfsm_engine_run(engine, now, error));
        now = due > now && due < now + 50 ? due : now + 50;
    }
    return now;
}

static void an_idle_engine_makes_one_trip_for_a_look(void)
{
    const wf_pg *db = store->self;
    uint64_t trips, statements;
    int64_t now;

    make_engine(LAPSE / 3);
    now = run_until(2, 60000);
    trips = db->trips;
    statements = db->statements;
    now = run_until(now, now + HOUR);
    trips = db->trips - trips;
    statements = db->statements - statements;
    printf("%d instances, one hour: %llu exchanges, %llu statements\n", INSTANCES,
           (unsigned long long)trips, (unsigned long long)statements);
    TEST_ASSERT_TRUE(trips >= HOUR * 3 / LAPSE);
    TEST_ASSERT_TRUE(trips <= HOUR * 4 / LAPSE + 1);
    TEST_ASSERT_EQUAL_UINT64(4 * trips, statements);
}

static void a_post_is_found_by_the_next_look(void)
{
    int64_t now, due;

    make_engine(LAPSE / 3);
    now = run_until(2, 60000);
    OK(wfsm_store_post(store, "w7", "go", "e", NULL, 0, now, error));
    due = wfsm_engine_deadline(engine);
    TEST_ASSERT_TRUE(due <= now + LAPSE / 3);
    do
        OK(wfsm_engine_run(engine, due, error));
    while (wfsm_engine_deadline(engine) <= due);
    TEST_ASSERT_EQUAL_STRING(
        "[\"b\"]", wfsm_instance_configuration(wfsm_engine_instance(engine, "w7"), NULL));
    TEST_ASSERT_TRUE(wfsm_engine_deadline(engine) <= due + 1000);
}

int main(void)
{
    if (!server_start())
        return 77;
    wfsm_store_free(server_open(server_address(), "idle"));
    UNITY_BEGIN();
    RUN_TEST(an_idle_engine_makes_one_trip_for_a_look);
    RUN_TEST(a_post_is_found_by_the_next_look);
    return UNITY_END() != 0;
}
