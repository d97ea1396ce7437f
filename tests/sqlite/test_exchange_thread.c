/* The exchange of a round runs on another thread while the engine's thread asks questions. Run under
 * ThreadSanitizer (meson setup -Db_sanitize=thread), it also proves that the two share nothing. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unity.h>
#include <wfsm/engine.h>
#include <wfsm/sqlite.h>

#include "folder.h"

enum { INSTANCES = 40 };

static const char document[] =
    "{\"id\":\"m\",\"initial\":\"a\",\"context\":{\"n\":0},\"on\":{\"add\":{\"actions\":{"
    "\"type\":\"assign\",\"params\":{\"n\":{\"+\":[{\"var\":\"context.n\"},1]}}}}},\"states\":{"
    "\"a\":{\"entry\":{\"type\":\"emit\",\"params\":{\"event\":\"hello\"}},"
    "\"invoke\":{\"src\":\"one\",\"onDone\":\"b\"}},"
    "\"b\":{\"invoke\":{\"src\":\"one\",\"onDone\":\"c\"},\"after\":{\"100000\":\"c\"}},"
    "\"c\":{\"type\":\"final\"}}}";

static wfsm_store *store;
static wfsm_engine *engine;
static wfsm_error *error;
static int effects, starts;

#define OK(call)                                                                               \
    TEST_ASSERT_EQUAL_STRING_MESSAGE("OK", wfsm_status_name(call), wfsm_error_message(error))

static int32_t begin(void *user, wfsm_call *call)
{
    (void)user;
    (void)call;
    starts++;
    return WFSM_OK;
}

static int32_t answer(void *user, wfsm_call *call)
{
    (void)user;
    return wfsm_call_done(call, "1", 1);
}

static int32_t deliver(void *user, wfsm_call *call)
{
    (void)user;
    (void)call;
    effects++;
    return WFSM_OK;
}

void setUp(void)
{
    wfsm_engine_options options = {
        .size = sizeof options, .session = "one", .slots = INSTANCES, .now = 1};
    wfsm_agent agent = {.size = sizeof agent, .start = begin, .poll = answer};
    wfsm_machine *machine = NULL;

    effects = starts = 0;
    error = wfsm_error_new(NULL);
    OK(wfsm_sqlite_open(&store, folder_file("s.db"), NULL, NULL, error));
    OK(wfsm_engine_new(&engine, store, &options, error));
    OK(wfsm_machine_load(&machine, document, strlen(document), NULL, NULL, error));
    OK(wfsm_engine_add_machine(engine, machine, error));
    wfsm_machine_unref(machine);
    OK(wfsm_engine_add_agent_full(engine, "one", &agent, error));
    OK(wfsm_engine_on_effect(engine, deliver, NULL, error));
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    wfsm_error_free(error);
    folder_remove();
}

static void *exchange(void *round)
{
    wfsm_round_exchange(round);
    return NULL;
}

static const char *id_of(int i)
{
    static char id[20];

    snprintf(id, sizeof id, "i%d", i);
    return id;
}

/* What a window would show. Nothing of it changes while the round is out. */
static uint64_t ask_all(void)
{
    uint64_t sum = 0;

    for (int i = 0; i < INSTANCES; i++) {
        wfsm_instance *one = wfsm_engine_instance(engine, id_of(i));

        sum = sum * 31 + wfsm_instance_revision(one);
        sum = sum * 31 + strlen(wfsm_instance_configuration(one, NULL));
        sum = sum * 31 + strlen(wfsm_instance_context(one, NULL));
        sum = sum * 31 + strlen(wfsm_instance_invocations(one, NULL));
    }
    return sum * 31 + wfsm_engine_working(engine) + (uint64_t)wfsm_engine_idle(engine);
}

static void one_round(int64_t now)
{
    wfsm_round *round = NULL;
    pthread_t thread;
    uint64_t before = ask_all();

    OK(wfsm_engine_prepare(engine, now, &round, error));
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, exchange, round));
    for (int i = 0; i < 5; i++)
        TEST_ASSERT_EQUAL_UINT64(before, ask_all());
    TEST_ASSERT_EQUAL_INT(0, pthread_join(thread, NULL));
    TEST_ASSERT_EQUAL_UINT64(before, ask_all());
    OK(wfsm_engine_finish(engine, round, now, error));
}

static void questions_beside_an_exchange(void)
{
    int64_t now = 1;

    for (int i = 0; i < INSTANCES; i++)
        OK(wfsm_engine_start(engine, "m", id_of(i), NULL, 0, now, error));
    while (!wfsm_engine_idle(engine)) {
        for (int i = 0; i < INSTANCES && now < 4; i++)
            OK(wfsm_store_post(store, id_of(i), "add", NULL, NULL, 0, now, error));
        one_round(++now);
    }
    TEST_ASSERT_EQUAL_INT(INSTANCES, effects);
    TEST_ASSERT_EQUAL_INT(2 * INSTANCES, starts);
    for (int i = 0; i < INSTANCES; i++)
        TEST_ASSERT_EQUAL_STRING("[\"c\"]", wfsm_instance_configuration(
                                                wfsm_engine_instance(engine, id_of(i)), NULL));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(questions_beside_an_exchange);
    return UNITY_END() != 0;
}
