/*
 * W6, engine: workflows of five steps: the start, and four results of an agent, which is a function.
 * A step that needs an agent claims it too. bench_engine FOLDER flight COUNT: 1,000 of them in
 * flight, by the engine in memory and on disk, and by the batch call with the same steps.
 * bench_engine FOLDER alone: the rounds of one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wfsm/sqlite.h>
#include <wfsm/wfsm.h>
#include "bench.h"
#include "floor.h"

#define WORK(name, next)                                                                       \
    "\"" name "\":{\"invoke\":{\"src\":\"worker\",\"input\":{\"steps\":"                       \
    "{\"var\":\"context.steps\"}},\"onDone\":{\"target\":\"" next "\",\"actions\":"            \
    "{\"type\":\"assign\",\"params\":{\"steps\":{\"var\":\"event.data.steps\"}}}}}},"

static const char document[] =
    "{\"id\":\"flow\",\"initial\":\"plan\",\"context\":{\"steps\":null},\"states\":{" WORK(
        "plan", "build") WORK("build", "test") WORK("test", "review")
        WORK("review", "done") "\"done\":{\"type\":\"final\"}}}";

static const char output[] = "{\"steps\": 3}";

enum { FLIGHT = 1000, STEPS = 5, KINDS = 3, MEMORY = -1 };

static uint64_t calls, commits;
static wfsm_error *error;
static wfsm_machine *machine;

/* One way to run the workflows, and what it has taken so far. */
typedef struct run {
    const char *word; /* as in the figures */
    int32_t synchronous; /* of SQLite; MEMORY: the store in memory */
    wfsm_store *store;
    char path[4200];
    int64_t time, busy, syncs;
} run;

static void check(int32_t status)
{
    if (status != WFSM_OK)
        bench_fail("wfsm", wfsm_error_message(error));
}

static int32_t answer(void *user, wfsm_call *call)
{
    (void)user;
    calls++;
    return wfsm_call_done(call, output, strlen(output));
}

static int32_t count_commit(void *user, wfsm_call *call)
{
    (void)user;
    (void)call;
    commits++;
    return WFSM_OK;
}

static wfsm_engine *make_engine(wfsm_store *store)
{
    wfsm_engine_options options = {
        .size = sizeof options, .slots = FLIGHT, .session = "bench", .lapse_ms = 1000000000};
    wfsm_engine *engine = NULL;
    check(wfsm_engine_new(&engine, store, &options, error));
    check(wfsm_engine_add_machine(engine, machine, error));
    check(wfsm_engine_add_agent(engine, "worker", answer, NULL, error));
    return engine;
}

static void open_run(run *self, const char *folder, const char *file)
{
    wfsm_sqlite_options options = {.size = sizeof options, .synchronous = self->synchronous};
    if (self->synchronous == MEMORY) {
        check(wfsm_memory_open(&self->store, NULL, error));
        return;
    }
    snprintf(self->path, sizeof self->path, "%s/%s-%s.db", folder, file, self->word);
    check(wfsm_sqlite_open(&self->store, self->path, &options, NULL, error));
}

static void close_run(run *self)
{
    wfsm_store_free(self->store);
    if (*self->path)
        drop_file(self->path);
}

static void measure_begin(run *self)
{
    self->time -= bench_clock();
    self->busy -= bench_busy();
    self->syncs -= sync_count();
}

static void measure_end(run *self)
{
    self->time += bench_clock();
    self->busy += bench_busy();
    self->syncs += sync_count();
}

static const char *make_id(char id[32], int number)
{
    snprintf(id, 32, "flow-%d", number);
    return id;
}

/* ---- the engine ---- */

static void start_flight(wfsm_engine *engine, int from)
{
    static char ids[FLIGHT][32];
    static wfsm_start starts[FLIGHT];
    static const wfsm_start *list[FLIGHT];
    static int32_t answers[FLIGHT];
    for (int i = 0; i < FLIGHT; i++) {
        starts[i] = (wfsm_start){
            .size = sizeof starts[i], .machine = "flow", .id = make_id(ids[i], from + i)};
        list[i] = &starts[i];
    }
    check(wfsm_engine_start_all(engine, list, FLIGHT, 0, answers, error));
}

/* So many at once, from that number on. */
static void fly(run *self, int from)
{
    int64_t now = 0;
    calls = 0;
    wfsm_engine *engine = make_engine(self->store);
    measure_begin(self);
    start_flight(engine, from);
    while (!wfsm_engine_idle(engine))
        check(wfsm_engine_run(engine, ++now, error));
    measure_end(self);
    if (calls != (STEPS - 1) * FLIGHT)
        bench_fail("engine", "work was lost, or done twice");
    wfsm_engine_free(engine);
}

/* ---- the batch call ---- */

static void answer_one(wfsm_instance *instance)
{
    int32_t outcome = 0;
    char id[512];
    const char *open = wfsm_instance_invocations(instance, NULL),
               *from = strstr(open, "\"id\":");
    if (!from || sscanf(from, "\"id\": \"%511[^\"]", id) != 1)
        bench_fail("batch", open);
    const wfsm_result result = {
        .size = sizeof result, .invocation = id, .output = output, .length = strlen(output)};
    check(wfsm_instance_result(instance, &result, 0, &outcome, error));
    if (outcome != WFSM_TAKEN && outcome != WFSM_ENDED)
        bench_fail("batch", "a result was not taken");
}

/* The same steps of the same number of workflows, each step of all of them in one batch. */
static void fly_batch(run *self, int from)
{
    static wfsm_instance *all[FLIGHT];
    char id[32];
    measure_begin(self);
    for (int step = 0; step < STEPS; step++) {
        check(wfsm_store_batch(self->store, error));
        for (int i = 0; i < FLIGHT; i++) {
            const wfsm_start_options options = {
                .size = sizeof options, .id = make_id(id, from + i), .store = self->store};
            if (step == 0)
                check(wfsm_instance_start(&all[i], machine, &options, 0, error));
            else
                answer_one(all[i]);
        }
        check(wfsm_store_flush(self->store, NULL, error));
    }
    measure_end(self);
    for (int i = 0; i < FLIGHT; i++)
        wfsm_instance_free(all[i]);
}

/* ---- the rows ---- */

static void report(const run *self, const char *who, int count, const char *floor)
{
    char figure[64];
    double seconds = (double)self->time / 1e9;
    snprintf(figure, sizeof figure, "%s, %s", who, self->word);
    bench_print("engine", figure, count / seconds, "/s", floor);
    snprintf(figure, sizeof figure, "%s, %s: busy", who, self->word);
    bench_print("engine", figure, (double)self->busy / count / 1000, "us", NULL);
    if (self->synchronous == MEMORY)
        return;
    snprintf(figure, sizeof figure, "%s, %s: syncs", who, self->word);
    bench_print("engine", figure, (double)self->syncs / count, "each", NULL);
    snprintf(figure, sizeof figure, "%s, %s: steps", who, self->word);
    bench_print("engine", figure, STEPS * count / seconds, "/s", NULL);
}

/* A part of each in turn, so that other work of the machine affects all of them. */
static void measure_flight(const char *folder, int count)
{
    run engines[KINDS] = {{.word = "memory", .synchronous = MEMORY},
                          {.word = "NORMAL", .synchronous = WFSM_SQLITE_NORMAL},
                          {.word = "FULL", .synchronous = WFSM_SQLITE_FULL}};
    run batches[KINDS];
    memcpy(batches, engines, sizeof engines);
    for (int k = 0; k < KINDS; k++) {
        open_run(&engines[k], folder, "engine");
        open_run(&batches[k], folder, "batch");
    }
    for (int at = 0; at < count; at += FLIGHT)
        for (int k = 0; k < KINDS; k++) {
            fly(&engines[k], at);
            fly_batch(&batches[k], at);
        }
    count = (count + FLIGHT - 1) / FLIGHT * FLIGHT;
    for (int k = 0; k < KINDS; k++) {
        char floor[64];
        snprintf(floor, sizeof floor, "batch, %s", batches[k].word);
        report(&batches[k], "batch", count, NULL);
        report(&engines[k], "engine", count, floor);
        if (k > 0) {
            snprintf(floor, sizeof floor, "engine, %s, of memory", engines[k].word);
            bench_print("engine", floor, count * 1e9 / (double)engines[k].time, "/s",
                        "engine, memory");
        }
        close_run(&engines[k]);
        close_run(&batches[k]);
    }
}

/* Lists the rounds of one workflow: how many commits and syncs each of them made. */
static void list_rounds(const char *folder)
{
    run self = {.word = "FULL", .synchronous = WFSM_SQLITE_FULL};
    char figure[64];
    int64_t now = 0;
    open_run(&self, folder, "alone");
    wfsm_engine *engine = make_engine(self.store);
    check(wfsm_engine_observe(engine, count_commit, NULL, error));
    int64_t syncs = sync_count();
    check(wfsm_engine_start(engine, "flow", "one", NULL, 0, 0, error));
    for (int round = 0; round == 0 || !wfsm_engine_idle(engine); round++) {
        if (round > 0)
            check(wfsm_engine_run(engine, ++now, error));
        snprintf(figure, sizeof figure, round ? "alone, round %d" : "alone, start", round);
        bench_print("engine", figure, (double)(sync_count() - syncs), "syncs", NULL);
        snprintf(figure, sizeof figure,
                 round ? "alone, round %d: commits" : "alone, start: commits", round);
        bench_print("engine", figure, (double)commits, "", NULL);
        syncs = sync_count();
        commits = 0;
    }
    wfsm_engine_free(engine);
    close_run(&self);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        bench_fail("usage", "bench_engine FOLDER flight COUNT | FOLDER alone");
    error = wfsm_error_new(NULL);
    check(wfsm_machine_load(&machine, document, sizeof document - 1, NULL, NULL, error));
    if (argc == 4 && strcmp(argv[2], "flight") == 0)
        measure_flight(argv[1], atoi(argv[3]));
    else
        list_rounds(argv[1]);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    return 0;
}
