/* W6, engine: workflows of two agents each, which are functions, in 15 slots: how many per
 * second, in memory and with each commit on disk. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wfsm/sqlite.h>
#include <wfsm/wfsm.h>
#include "bench.h"

static const char document[] =
    "{\"id\":\"flow\",\"initial\":\"plan\",\"context\":{\"steps\":null,\"verdict\":null},"
    "\"states\":{"
    "\"plan\":{\"invoke\":{\"src\":\"planner\",\"input\":{\"task\":{\"var\":\"instance.id\"}},"
    "\"onDone\":{\"target\":\"review\",\"actions\":{\"type\":\"assign\",\"params\":"
    "{\"steps\":{\"var\":\"event.data.steps\"}}}}}},"
    "\"review\":{\"invoke\":{\"src\":\"reviewer\",\"input\":{\"steps\":"
    "{\"var\":\"context.steps\"}},\"onDone\":[{\"guard\":{\"===\":["
    "{\"var\":\"event.data.verdict\"},\"good\"]},\"target\":\"done\"},{\"target\":\"plan\"}]}},"
    "\"done\":{\"type\":\"final\"}}}";

enum { SLOTS = 15 };

static uint64_t calls;
static wfsm_error *error;

static void check(int32_t status)
{
    if (status != WFSM_OK)
        bench_fail("wfsm", wfsm_error_message(error));
}

static int32_t answer(void *user, wfsm_call *call)
{
    const char *text = user;
    calls++;
    return wfsm_call_done(call, text, strlen(text));
}

static wfsm_engine *make_engine(wfsm_store *store)
{
    static char steps[] = "{\"steps\": 3}", good[] = "{\"verdict\": \"good\"}";
    wfsm_engine_options options = {
        .size = sizeof options, .slots = SLOTS, .session = "bench", .lapse_ms = 1000000000};
    wfsm_engine *engine = NULL;
    wfsm_machine *machine = NULL;
    check(wfsm_engine_new(&engine, store, &options, error));
    check(wfsm_machine_load(&machine, document, sizeof document - 1, NULL, NULL, error));
    check(wfsm_engine_add_machine(engine, machine, error));
    wfsm_machine_unref(machine);
    check(wfsm_engine_add_agent(engine, "planner", answer, steps, error));
    check(wfsm_engine_add_agent(engine, "reviewer", answer, good, error));
    return engine;
}

static void measure(wfsm_store *store, const char *figure, int count)
{
    wfsm_engine *engine = make_engine(store);
    char name[64];
    int64_t begin = bench_clock(), busy = bench_busy(), now = 0;
    calls = 0;
    for (int i = 0; i < count; i++) {
        char id[32];
        snprintf(id, sizeof id, "flow-%d", i);
        check(wfsm_engine_start(engine, "flow", id, NULL, 0, 0, error));
    }
    while (!wfsm_engine_idle(engine))
        check(wfsm_engine_run(engine, ++now, error));
    double seconds = (double)(bench_clock() - begin) / 1e9;
    if (calls != 2 * (uint64_t)count)
        bench_fail("engine", "work was lost, or done twice");
    bench_print("engine", figure, count / seconds, "/s", NULL);
    snprintf(name, sizeof name, "%s busy", figure);
    bench_print("engine", name, (double)(bench_busy() - busy) / count / 1000, "us", NULL);
    wfsm_engine_free(engine);
    wfsm_store_free(store);
}

static void measure_disk(const char *folder, int32_t synchronous, const char *figure, int count)
{
    char path[4096];
    wfsm_sqlite_options options = {.size = sizeof options, .synchronous = synchronous};
    wfsm_store *store = NULL;
    snprintf(path, sizeof path, "%s/engine.db", folder);
    check(wfsm_sqlite_open(&store, path, &options, NULL, error));
    measure(store, figure, count);
    remove(path);
}

int main(int argc, char **argv)
{
    wfsm_store *store = NULL;
    if (argc != 3)
        bench_fail("usage", "bench_engine FOLDER INSTANCES");
    int count = atoi(argv[2]);
    error = wfsm_error_new(NULL);
    check(wfsm_memory_open(&store, NULL, error));
    measure(store, "workflows in memory", count);
    measure_disk(argv[1], WFSM_SQLITE_NORMAL, "workflows, NORMAL", count);
    measure_disk(argv[1], WFSM_SQLITE_FULL, "workflows, FULL", count / 10);
    wfsm_error_free(error);
    return 0;
}
