/* bench/postgres_flight.c: see postgres_flight.h. A workflow is the start and four results of an agent,
 * which is a function, as in engine.c. */
#include "postgres_flight.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <wfsm/postgres.h>
#include <wfsm/wfsm.h>
#include "bench.h"
#include "postgres/server.h"

enum { TURNS = 3, FLIGHT = 1000, STEPS = 5 };

#define WORK(name, next)                                                                       \
    "\"" name "\":{\"invoke\":{\"src\":\"worker\",\"input\":{\"steps\":"                       \
    "{\"var\":\"context.steps\"}},\"onDone\":{\"target\":\"" next "\",\"actions\":"            \
    "{\"type\":\"assign\",\"params\":{\"steps\":{\"var\":\"event.data.steps\"}}}}}},"

static const char document[] =
    "{\"id\":\"flow\",\"initial\":\"plan\",\"context\":{\"steps\":null},\"states\":{" WORK(
        "plan", "build") WORK("build", "test") WORK("test", "review")
        WORK("review", "done") "\"done\":{\"type\":\"final\"}}}";

static wfsm_error *error;
static long long calls;

static void check(int32_t status)
{
    if (status != WFSM_OK)
        bench_fail("wfsm", wfsm_error_message(error));
}

static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int32_t answer(void *user, wfsm_call *call)
{
    static const char output[] = "{\"steps\": 3}";

    (void)user;
    calls++;
    return wfsm_call_done(call, output, sizeof output - 1);
}

static wfsm_engine *make_engine(wfsm_store *store, wfsm_machine *machine)
{
    const wfsm_engine_options options = {
        .size = sizeof options, .slots = FLIGHT, .session = "flight", .now = now()};
    wfsm_engine *engine = NULL;

    check(wfsm_engine_new(&engine, store, &options, error));
    check(wfsm_engine_add_machine(engine, machine, error));
    check(wfsm_engine_add_agent(engine, "worker", answer, NULL, error));
    return engine;
}

static void start_all(wfsm_engine *engine, int turn)
{
    static char ids[FLIGHT][32];
    static wfsm_start starts[FLIGHT];
    static const wfsm_start *list[FLIGHT];
    static int32_t answers[FLIGHT];

    for (int i = 0; i < FLIGHT; i++) {
        snprintf(ids[i], sizeof ids[i], "flow-%d-%d", turn, i);
        starts[i] = (wfsm_start){.size = sizeof starts[i], .machine = "flow", .id = ids[i]};
        list[i] = &starts[i];
    }
    check(wfsm_engine_start_all(engine, list, FLIGHT, now(), answers, error));
}

/* Workflows a second. */
static double fly(wfsm_store *store, wfsm_machine *machine, int turn)
{
    wfsm_engine *engine = make_engine(store, machine);
    int64_t begin = bench_clock();

    calls = 0;
    start_all(engine, turn);
    while (!wfsm_engine_idle(engine))
        check(wfsm_engine_run(engine, now(), error));
    double seconds = (double)(bench_clock() - begin) / 1e9;
    if (calls != (STEPS - 1) * FLIGHT)
        bench_fail("engine", "work was lost, or done twice");
    check(wfsm_engine_free(engine));
    return FLIGHT / seconds;
}

static double fly_other(const char *command)
{
    char line[4096], text[300] = "";
    long long workflows = 0, ns = 0;

    snprintf(line, sizeof line, "%s '%s' %d", command, server_url("dbos"), FLIGHT);
    FILE *output = popen(line, "r");
    while (output && fgets(text, sizeof text, output) &&
           sscanf(text, "{\"workflows\":%lld,\"ns\":%lld}", &workflows, &ns) != 2)
        ;
    if (!output || pclose(output) != 0 || workflows != FLIGHT)
        bench_fail(command, "did not do its work");
    return (double)workflows * 1e9 / (double)ns;
}

static void print(const char *who, const char *synced, double value, const char *floor)
{
    char figure[64];

    snprintf(figure, sizeof figure, "%s, %s: workflows", who, synced);
    bench_print("postgres", figure, value, "/s", floor);
}

void pg_flight(const char *command, const char *synced)
{
    const wfsm_postgres_options options = {.size = sizeof options, .allow_unsafe = 1};
    wfsm_store *store = NULL;
    wfsm_machine *machine = NULL;
    double own = 0, other = 0;
    char floor[64];

    error = wfsm_error_new(NULL);
    check(wfsm_postgres_open(&store, server_address(), &options, NULL, error));
    check(wfsm_machine_load(&machine, document, strlen(document), NULL, NULL, error));
    server_run("CREATE DATABASE dbos");
    fly(store, machine, TURNS);
    for (int turn = 0; turn < TURNS; turn++) {
        own += fly(store, machine, turn) / TURNS;
        other += fly_other(command) / TURNS;
    }
    snprintf(floor, sizeof floor, "dbos, %s: workflows", synced);
    print("dbos", synced, other, NULL);
    print("engine", synced, own, floor);
    wfsm_machine_unref(machine);
    wfsm_store_free(store);
    wfsm_error_free(error);
}
