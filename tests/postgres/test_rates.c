/* Sessions on a server share a rate: the server's bucket does what that of the memory store does, for any
 * sequence of calls; and processes that ask at the same time get no more than the rate. */
#include "postgres/server.h"

#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unity.h>
#include <wfsm/wfsm.h>

enum { PROCESSES = 4, ASKED = 30 };

static wfsm_store *store;
static wfsm_error *error;

#define OK(call)                                                                               \
    TEST_ASSERT_EQUAL_STRING_MESSAGE("OK", wfsm_status_name(call), wfsm_error_message(error))

void setUp(void)
{
    server_wipe();
}

void tearDown(void)
{
    wfsm_store_free(store);
    store = NULL;
}

static void ask(wfsm_store *of, wfsm_rate *const *rates, size_t count, int64_t now)
{
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .session = "s",
                              .now = now,
                              .rates = rates,
                              .rate_count = count};

    OK(wfsm_store_exchange(of, &exchange, error));
    OK(exchange.lease);
}

static wfsm_rate any_rate(int which)
{
    static const char *const names[] = {"a", "b", "\xc3\xa4 '"};

    return (wfsm_rate){.size = sizeof(wfsm_rate),
                       .kind = WFSM_POOL_GROUP,
                       .name = names[which],
                       .count = 1 + (uint32_t)rand() % 2 * 3,
                       .per_ms = rand() % 20 ? 100 : 70,
                       .wanted = 1 + (uint32_t)rand() % 4};
}

/* Several rates in one exchange, in any order; clocks that go back a little, or far. */
static void it_does_what_the_memory_store_does(void)
{
    wfsm_store *memory = NULL;
    int64_t now = 1000000;

    store = server_open(server_address(), "rates");
    OK(wfsm_memory_open(&memory, NULL, error));
    srand(1);
    for (int i = 0; i < 600; i++) {
        int first = rand() % 3, second = (first + 1 + rand() % 2) % 3;
        wfsm_rate here[2] = {any_rate(first), any_rate(second)}, there[2] = {here[0], here[1]};
        size_t count = 1 + (size_t)rand() % 2;

        ask(store, (wfsm_rate *[]){&here[0], &here[1]}, count, now);
        ask(memory, (wfsm_rate *[]){&there[0], &there[1]}, count, now);
        for (size_t j = 0; j < count; j++) {
            TEST_ASSERT_EQUAL_UINT32(there[j].granted, here[j].granted);
            TEST_ASSERT_EQUAL_INT64(there[j].wait_ms, here[j].wait_ms);
        }
        now += rand() % 100 ? rand() % 60 - 6 : -5000;
    }
    wfsm_store_free(memory);
}

static void the_greatest_numbers_do_not_overflow(void)
{
    wfsm_rate rate = {.size = sizeof rate,
                      .kind = 1,
                      .name = "x",
                      .count = INT32_MAX,
                      .per_ms = INT32_MAX,
                      .wanted = UINT32_MAX};

    store = server_open(server_address(), "rates");
    ask(store, (wfsm_rate *[]){&rate}, 1, 1);
    TEST_ASSERT_EQUAL_UINT32(INT32_MAX, rate.granted);
    for (int i = 0; i < 17; i++)
        ask(store, (wfsm_rate *[]){&rate}, 1, 1);
    TEST_ASSERT_EQUAL_UINT32(0, rate.granted);
    ask(store, (wfsm_rate *[]){&rate}, 1, INT64_MAX - 1);
    TEST_ASSERT_EQUAL_UINT32(INT32_MAX, rate.granted);
}

/* A child asks until it was refused so often, and uses what it gets when it may. */
static void take_tokens(void)
{
    const wfsm_postgres_options options = {.size = sizeof options, .tenant = "rates"};

    server_forget();
    error = wfsm_error_new(NULL);
    OK(wfsm_postgres_open(&store, server_address(), &options, NULL, error));
    for (int i = 0; i < ASKED; i++) {
        wfsm_rate rate = {
            .size = sizeof rate, .kind = 1, .name = "x", .count = 3, .per_ms = 60, .wanted = 2};

        ask(store, (wfsm_rate *[]){&rate}, 1, 1);
        poll(NULL, 0, (int)rate.wait_ms);
    }
    _exit(0);
}

/* The row says by the server's clock what was taken: all asked for one at least, so at most what has come
 * back and 3 + 16 were given. */
static void processes_get_no_more_than_the_rate(void)
{
    static const char spent[] =
        "SELECT ((extract(epoch FROM clock_timestamp()) * 1000)::bigint - %lld) / 20";
    char sql[200];
    long long begin, periods;
    pid_t children[PROCESSES];

    wfsm_store_free(server_open(server_address(), "rates"));
    begin = server_number("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint");
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] == 0)
            take_tokens();
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = 1;

        waitpid(children[i], &status, 0);
        TEST_ASSERT_EQUAL_INT(0, status);
    }
    snprintf(sql, sizeof sql, spent, begin);
    periods = server_number(sql);
    TEST_ASSERT_GREATER_OR_EQUAL_INT64(PROCESSES * ASKED - 3 - 16, periods);
    TEST_ASSERT_EQUAL_INT64(1, server_number("SELECT count(*) FROM wfsm.rate"));
}

static int32_t work(void *user, wfsm_call *call)
{
    (void)call;
    ++*(int *)user;
    return WFSM_OK;
}

/* An engine asks in the exchanges of its rounds. */
static void an_engine_begins_work_at_the_rate(void)
{
    static const char document[] =
        "{\"id\": \"job\", \"initial\": \"a\", \"states\": {\"a\": {\"invoke\": {\"src\": "
        "\"worker\"}}}}";
    const wfsm_engine_options options = {.size = sizeof options, .session = "one"};
    const wfsm_pool_rate rate = {.size = sizeof rate,
                                 .kind = WFSM_POOL_AGENT,
                                 .shared = 1,
                                 .name = "worker",
                                 .per_ms = 1000,
                                 .count = 2};
    wfsm_machine *machine = NULL;
    wfsm_engine *engine = NULL;
    int begun = 0;

    store = server_open(server_address(), "rates");
    OK(wfsm_engine_new(&engine, store, &options, error));
    OK(wfsm_machine_load(&machine, document, sizeof document - 1, NULL, NULL, error));
    OK(wfsm_engine_add_machine(engine, machine, error));
    OK(wfsm_engine_add_agent(engine, "worker", work, &begun, error));
    OK(wfsm_engine_rate(engine, &rate, error));
    for (int i = 0; i < 4; i++)
        OK(wfsm_engine_start(engine, "job", (const char[]){(char)('a' + i), '\0'}, NULL, 0, 1,
                             error));
    for (int64_t now = 1; now <= 1101; now += 100) {
        for (int i = 0; i < 4; i++)
            OK(wfsm_engine_run(engine, now, error));
        TEST_ASSERT_EQUAL_INT(now < 501 ? 2 : now < 1001 ? 3 : 4, begun);
    }
    wfsm_engine_free(engine);
    wfsm_machine_unref(machine);
}

int main(void)
{
    if (!server_start())
        return 77;
    error = wfsm_error_new(NULL);
    wfsm_store_free(server_open(server_address(), "rates"));
    UNITY_BEGIN();
    RUN_TEST(it_does_what_the_memory_store_does);
    RUN_TEST(the_greatest_numbers_do_not_overflow);
    RUN_TEST(processes_get_no_more_than_the_rate);
    RUN_TEST(an_engine_begins_work_at_the_rate);
    return UNITY_END() != 0;
}
