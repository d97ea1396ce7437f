/* W8, the pool: 1,000 instances with 15 invocations each, done by functions, in the slots of
 * one engine; and the cost of a round while 100,000 instances wait. */
#include <stdio.h>
#include <string.h>
#include <wfsm/wfsm.h>
#include "bench.h"

enum { INSTANCES = 1000, ITEMS = 15, IDLE = 100000, RUNS = 10000 };

static const char busy[] =
    "{\"wfsm\":1,\"id\":\"busy\",\"initial\":\"work\",\"states\":{\"work\":{\"invoke\":{"
    "\"src\":\"agent\",\"items\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15],\"pool\":{\"group\":"
    "{\"var\":\"instance.id\"}},\"onDone\":\"done\"}},\"done\":{\"type\":\"final\"}}}";
static const char idle[] =
    "{\"wfsm\":1,\"id\":\"idle\",\"initial\":\"wait\",\"states\":{\"wait\":{\"on\":{"
    "\"go\":\"gone\"},\"after\":{\"1000000000\":\"gone\"}},\"gone\":{}}}";

static uint64_t calls;
static wfsm_error *error;

static void check(int32_t status)
{
    if (status != WFSM_OK)
        bench_fail("wfsm", wfsm_error_message(error));
}

static int32_t work(void *user, wfsm_call *call)
{
    (void)user;
    calls++;
    return wfsm_call_done(call, "true", 4);
}

static void add(wfsm_engine *engine, const char *text)
{
    wfsm_machine *machine = NULL;
    check(wfsm_machine_load(&machine, text, strlen(text), NULL, NULL, error));
    check(wfsm_engine_add_machine(engine, machine, error));
    wfsm_machine_unref(machine);
}

static void start(wfsm_engine *engine, const char *machine, int count)
{
    char id[40];
    for (int i = 0; i < count; i++) {
        snprintf(id, sizeof id, "%s-%d", machine, i);
        check(wfsm_engine_start(engine, machine, id, NULL, 0, 0, error));
    }
}

static void measure_work(wfsm_engine *engine)
{
    int64_t begin = bench_clock(), now = 0;
    start(engine, "busy", INSTANCES);
    while (!wfsm_engine_idle(engine))
        check(wfsm_engine_run(engine, ++now, error));
    double seconds = (double)(bench_clock() - begin) / 1e9;
    if (calls != (uint64_t)INSTANCES * ITEMS)
        bench_fail("pool", "work was lost, or done twice");
    bench_print("pool", "1,000 instances x 15 items", (double)calls / seconds, "/s", NULL);
}

static void measure_idle(wfsm_engine *engine)
{
    start(engine, "idle", IDLE);
    check(wfsm_engine_run(engine, 1000, error));
    int64_t begin = bench_clock();
    for (int i = 0; i < RUNS; i++)
        check(wfsm_engine_run(engine, 1000, error));
    bench_print("pool", "a run beside 100,000 that wait",
                (double)(bench_clock() - begin) / RUNS, "ns", NULL);
}

int main(void)
{
    wfsm_engine_options options = {
        .size = sizeof options, .session = "bench", .lapse_ms = 1000000000};
    wfsm_engine *engine = NULL;
    wfsm_store *store = NULL;
    error = wfsm_error_new(NULL);
    check(wfsm_memory_open(&store, NULL, error));
    check(wfsm_engine_new(&engine, store, &options, error));
    check(wfsm_engine_add_agent(engine, "agent", work, NULL, error));
    check(wfsm_engine_limit(engine, WFSM_POOL_GROUP, NULL, 4, error));
    add(engine, busy);
    add(engine, idle);
    measure_work(engine);
    measure_idle(engine);
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return 0;
}
