/*
 * Many instances in one engine that only wait, each for an event or its time, on a store of SQLite:
 * what each takes of memory, what a round costs beside them, and what one costs when its time comes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wfsm/sqlite.h>
#include <wfsm/wfsm.h>
#include "bench.h"
#include "floor.h"

enum { CACHED = 1000, AT_ONCE = 1000, ROUNDS = 1000, DUE = 10000, LATER = 1000000000 };

/* They wait for an answer, or for so many ms. */
#define WAIT(id, ms)                                                                           \
    "{\"wfsm\":1,\"id\":\"" id                                                                 \
    "\",\"initial\":\"asked\",\"context\":{\"order\":0},\"states\":{"                          \
    "\"asked\":{\"on\":{\"answer\":\"answered\"},\"after\":{\"" ms "\":\"late\"}},"            \
    "\"answered\":{},\"late\":{}}}"
static const char *const documents[] = {WAIT("soon", "1000"), WAIT("long", "1000000000")};

static wfsm_error *error;
static wfsm_store *store;
static wfsm_engine *engine;
static char path[4096];

static void check(int32_t status)
{
    if (status != WFSM_OK)
        bench_fail("wfsm", wfsm_error_message(error));
}

static void open_engine(const char *session)
{
    wfsm_sqlite_options sqlite = {.size = sizeof sqlite, .synchronous = WFSM_SQLITE_NORMAL};
    wfsm_engine_options options = {.size = sizeof options,
                                   .session = session,
                                   .lapse_ms = LATER,
                                   .look_ms = WFSM_NEVER,
                                   .cached_instances = CACHED};
    check(wfsm_sqlite_open(&store, path, &sqlite, NULL, error));
    check(wfsm_engine_new(&engine, store, &options, error));
    for (int i = 0; i < 2; i++) {
        wfsm_machine *machine = NULL;
        check(
            wfsm_machine_load(&machine, documents[i], strlen(documents[i]), NULL, NULL, error));
        check(wfsm_engine_add_machine(engine, machine, error));
        wfsm_machine_unref(machine);
    }
}

static void close_engine(void)
{
    wfsm_engine_free(engine);
    wfsm_store_free(store);
}

static void run(int64_t now)
{
    do
        check(wfsm_engine_run(engine, now, error));
    while (wfsm_engine_deadline(engine) <= now);
}

/* The first DUE of them wait for 1,000 ms, the others for much longer. */
static void start_some(size_t first)
{
    static char ids[AT_ONCE][40], inputs[AT_ONCE][40];
    static wfsm_start starts[AT_ONCE];
    const wfsm_start *list[AT_ONCE];
    int32_t answers[AT_ONCE];

    for (size_t i = 0; i < AT_ONCE; i++) {
        snprintf(ids[i], sizeof *ids, "order-%08zu", first + i);
        snprintf(inputs[i], sizeof *inputs, "{\"order\":%zu}", first + i);
        starts[i] = (wfsm_start){.size = sizeof *starts,
                                 .machine = first + i < DUE ? "soon" : "long",
                                 .id = ids[i],
                                 .input = inputs[i],
                                 .length = strlen(inputs[i])};
        list[i] = &starts[i];
    }
    check(wfsm_engine_start_all(engine, list, AT_ONCE, 0, answers, error));
}

static double round_time(int64_t now)
{
    int64_t begin = bench_clock();

    for (int i = 0; i < ROUNDS; i++)
        check(wfsm_engine_run(engine, now, error));
    return (double)(bench_clock() - begin) / ROUNDS / 1000;
}

static void measure_starts(size_t count)
{
    int64_t begin;
    double before, alone;

    open_engine("one");
    alone = round_time(0);
    before = bench_resident();
    begin = bench_clock();
    for (size_t i = 0; i < count; i += AT_ONCE)
        start_some(i);
    run(0);
    bench_print("waiting", "starts", (double)count * 1e9 / (double)(bench_clock() - begin),
                "/s", NULL);
    bench_print("waiting", "memory of each", (bench_resident() - before) / (double)count, "B",
                NULL);
    bench_print("waiting", "round without any", alone, "us", NULL);
    bench_print("waiting", "round beside them, nothing due", round_time(0), "us",
                "round without any");
}

static void measure_timers(void)
{
    int64_t begin = bench_clock();

    run(1000);
    bench_print("waiting", "timers", DUE * 1e9 / (double)(bench_clock() - begin), "/s", NULL);
}

/* Another process takes all of them. */
static void measure_adoption(size_t count)
{
    int64_t begin;
    double before = bench_resident();
    size_t adopted = 0;

    open_engine("two");
    begin = bench_clock();
    check(wfsm_engine_adopt_all(engine, 2000, &adopted, error));
    if (adopted != count)
        bench_fail("waiting", "not all were adopted");
    bench_print("waiting", "adoption", (double)count * 1e9 / (double)(bench_clock() - begin),
                "/s", NULL);
    bench_print("waiting", "resident then", (bench_resident() - before) / (1 << 20), "MiB",
                NULL);
}

int main(int argc, char **argv)
{
    size_t count = argc == 3 ? strtoul(argv[2], NULL, 10) : 1000000;

    if (argc < 2 || argc > 3 || count < DUE || count % AT_ONCE)
        bench_fail("usage", "bench_waiting FOLDER [INSTANCES, thousands, from 10,000]");
    snprintf(path, sizeof path, "%s/waiting.db", argv[1]);
    error = wfsm_error_new(NULL);
    drop_file(path);
    measure_starts(count);
    measure_timers();
    close_engine();
    measure_adoption(count);
    close_engine();
    drop_file(path);
    wfsm_error_free(error);
}
