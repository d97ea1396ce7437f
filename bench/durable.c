/*
 * W2, durable: transitions committed one by one or several at a time, of one instance or of
 * many at random, compared with loops over the same SQLite that write the same bytes without
 * computing them. Bytes and calls are those of write(2), from /proc.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wfsm/sqlite.h>
#include <wfsm/wfsm.h>
#include "bench.h"
#include "cycle.h"
#include "floor.h"

enum { RECORDS = CYCLE * 8, INSTANCES = 10000, AGES = 4, SLICES = 4, FLOORS = 3 };

/* One of the figures. */
typedef struct plan {
    int32_t synchronous;
    int batch;     /* transitions in a commit */
    int instances; /* more than one: taken at random */
    int count;     /* transitions */
} plan;

static wfsm_machine *machine;
static wfsm_error *error;
static char path[4096];
static char *records[RECORDS];
static char *whole; /* the state of an instance, as a snapshot has it */
static uint32_t *order;

static void check(int32_t status)
{
    if (status != WFSM_OK)
        bench_fail("wfsm", wfsm_error_message(error));
}

static void *need(void *block)
{
    if (!block)
        bench_fail("memory", "too little");
    return block;
}

static void send(wfsm_instance *instance, int step)
{
    const wfsm_event event = {.size = sizeof event, .name = cycle_names[step % CYCLE]};
    int32_t outcome = 0;
    check(wfsm_instance_send(instance, &event, step, &outcome, error));
    if (outcome != WFSM_TAKEN)
        bench_fail("wfsm", "a transition was not taken");
}

static wfsm_instance *start(wfsm_store *store, int number)
{
    char id[32];
    wfsm_instance *made = NULL;
    snprintf(id, sizeof id, "task-%d", number);
    const wfsm_start_options options = {.size = sizeof options, .id = id, .store = store};
    check(wfsm_instance_start(&made, machine, &options, 0, error));
    return made;
}

static char *copy(const char *text, size_t length)
{
    char *made = need(malloc(length + 1));
    memcpy(made, text, length);
    made[length] = '\0';
    return made;
}

static int32_t keep_state(void *user, const wfsm_row *row)
{
    (void)user;
    whole = copy(row->text, row->length);
    return WFSM_OK;
}

/* What the floors write: the records of a real run, and its snapshot. */
static void make_records(void)
{
    wfsm_store *store = NULL;
    size_t length;
    check(wfsm_memory_open(&store, NULL, error));
    wfsm_instance *instance = start(store, 0);
    for (int i = 0; i < RECORDS; i++) {
        send(instance, i);
        const char *record = wfsm_instance_record(instance, &length);
        records[i] = copy(record, length);
    }
    check(wfsm_store_snapshot(store, "task-0", NULL, keep_state, NULL, error));
    wfsm_instance_free(instance);
    wfsm_store_free(store);
}

static void make_order(int count)
{
    uint64_t seed = 7;
    order = need(malloc((size_t)count * sizeof *order));
    for (int i = 0; i < count; i++)
        order[i] = bench_random(&seed, INSTANCES);
}

/* ---- the floors ---- */

static const char *word(int32_t synchronous)
{
    return synchronous == WFSM_SQLITE_FULL ? "FULL" : "NORMAL";
}

/* As "loop/full/100/10,000". */
static const char *name(char out[64], const char *who, const plan *what)
{
    snprintf(out, 64, "%s/%s/%d%s", who,
             what->synchronous == WFSM_SQLITE_FULL ? "full" : "normal", what->batch,
             what->instances > 1 ? "/10,000" : "");
    return out;
}

typedef struct floor_run {
    enum layout layout;
    const char *who;
    char path[4200];
    raw raw;
    int *revisions;
    traffic sum;
} floor_run;

static void raw_run(floor_run *self, const plan *what, int from, int count)
{
    for (int i = from; i < from + count; i++) {
        int one = what->instances > 1 ? (int)order[i] : 0, *revision = &self->revisions[one];
        if (i % what->batch == 0)
            raw_begin(&self->raw);
        ++*revision;
        raw_step(&self->raw, one, *revision, records[*revision % RECORDS]);
        if (i % what->batch == what->batch - 1)
            raw_commit(&self->raw);
    }
}

static void open_floor(floor_run *self, const plan *what)
{
    snprintf(self->path, sizeof self->path, "%s-%s", path, self->who);
    raw_open(&self->raw, self->layout, self->path, word(what->synchronous), what->instances,
             whole);
    self->revisions = need(calloc((size_t)what->instances, sizeof(int)));
    raw_run(self, what, 0, what->batch * 10);
}

static void close_floor(floor_run *self, const plan *what)
{
    char figure[64];
    traffic_report(name(figure, self->who, what), &self->sum, what->count, NULL);
    raw_close(&self->raw);
    drop_file(self->path);
    free(self->revisions);
}

/* ---- wfsm ---- */

typedef struct load {
    wfsm_store *store;
    wfsm_instance **all;
    int *steps;
    traffic sum;
} load;

static void open_load(load *self, const plan *what)
{
    wfsm_sqlite_options options = {.size = sizeof options, .synchronous = what->synchronous};
    *self = (load){.store = NULL};
    drop_file(path);
    check(wfsm_sqlite_open(&self->store, path, &options, NULL, error));
    self->all = need(malloc((size_t)what->instances * sizeof *self->all));
    self->steps = need(calloc((size_t)what->instances, sizeof(int)));
    check(wfsm_store_batch(self->store, error));
    for (int i = 0; i < what->instances; i++)
        self->all[i] = start(self->store, i);
    check(wfsm_store_flush(self->store, NULL, error));
}

static void close_load(load *self, const plan *what)
{
    for (int i = 0; i < what->instances; i++)
        wfsm_instance_free(self->all[i]);
    wfsm_store_free(self->store);
    free(self->all);
    free(self->steps);
}

static void run(load *self, const plan *what, int from, int count)
{
    for (int i = from; i < from + count; i++) {
        int one = what->instances > 1 ? (int)order[i] : 0;
        if (what->batch > 1 && i % what->batch == 0)
            check(wfsm_store_batch(self->store, error));
        send(self->all[one], self->steps[one]++);
        if (what->batch > 1 && i % what->batch == what->batch - 1)
            check(wfsm_store_flush(self->store, NULL, error));
    }
}

/* A part of each in turn, so that other work of the disk affects all of them. */
static void measure(const plan *what)
{
    char figure[64], floor[64];
    load self;
    floor_run floors[] = {{.layout = RAW_STATE, .who = "loop"},
                          {.layout = RAW_HEAD, .who = "heads"},
                          {.layout = RAW_LOG, .who = "log"}};
    /* the log knows nothing but to sync */
    int others = what->synchronous == WFSM_SQLITE_FULL ? FLOORS : FLOORS - 1;
    int slice = what->count / SLICES, begin = what->batch * 10;
    open_load(&self, what);
    run(&self, what, 0, begin);
    for (int k = 0; k < others; k++)
        open_floor(&floors[k], what);
    for (int at = begin; at < begin + what->count; at += slice) {
        for (int k = 0; k < others; k++) {
            traffic then = traffic_now();
            raw_run(&floors[k], what, at, slice);
            traffic_add(&floors[k].sum, &then);
        }
        traffic then = traffic_now();
        run(&self, what, at, slice);
        traffic_add(&self.sum, &then);
    }
    for (int k = 0; k < others; k++)
        close_floor(&floors[k], what);
    traffic_report(name(figure, "wfsm", what), &self.sum, what->count,
                   name(floor, "loop", what));
    close_load(&self, what);
}

/* What the chain of digests costs: it cannot be switched off. */
static void digest_record(void *user)
{
    char digest[65];
    check(wfsm_digest(user, strlen(user), digest));
}

static void measure_digest(void)
{
    bench_print("durable", "digest of a record", bench_time(digest_record, records[0], 1, 50),
                "ns", NULL);
}

/* The same commits of an instance that is young, and old. */
static void measure_ages(void)
{
    static const int ages[AGES] = {10, 1000, 10000, 100000};
    static const char *const names[AGES] = {"age/10", "age/1,000", "age/10,000", "age/100,000"};
    const plan what = {WFSM_SQLITE_NORMAL, 1, 1, 0}, fast = {WFSM_SQLITE_NORMAL, 100, 1, 0};
    enum { WINDOW = 2000 };
    load self;
    int at = 0;
    open_load(&self, &what);
    for (int i = 0; i < AGES; i++) {
        int until = (ages[i] - at) / 100 * 100;
        run(&self, &fast, 0, until);
        traffic begin = traffic_now(), sum = {0};
        run(&self, &what, 0, WINDOW);
        traffic_add(&sum, &begin);
        traffic_report(names[i], &sum, WINDOW, i > 0 ? names[0] : NULL);
        at += until + WINDOW;
    }
    close_load(&self, &what);
}

/* Counts are in units of the argument. */
static const plan plans[] = {
    {WFSM_SQLITE_FULL, 1, 1, 5},
    {WFSM_SQLITE_NORMAL, 1, 1, 3},
    {WFSM_SQLITE_FULL, 10, 1, 5},
    {WFSM_SQLITE_NORMAL, 10, 1, 5},
    {WFSM_SQLITE_FULL, 100, 1, 20},
    {WFSM_SQLITE_NORMAL, 100, 1, 20},
    {WFSM_SQLITE_FULL, 1, INSTANCES, 1},
    {WFSM_SQLITE_NORMAL, 1, INSTANCES, 3},
    {WFSM_SQLITE_FULL, 10, INSTANCES, 5},
    {WFSM_SQLITE_NORMAL, 10, INSTANCES, 5},
    {WFSM_SQLITE_FULL, 100, INSTANCES, 20},
    {WFSM_SQLITE_NORMAL, 100, INSTANCES, 20},
};

int main(int argc, char **argv)
{
    size_t length;
    if (argc < 3 || argc > 4)
        bench_fail("usage", "bench_durable FILE FOLDER [first]");
    int count = 800;
    char *text = bench_read(argv[1], &length);
    snprintf(path, sizeof path, "%s/bench.db", argv[2]);
    error = wfsm_error_new(NULL);
    check(wfsm_machine_load(&machine, text, length, NULL, NULL, error));
    make_records();
    make_order(count * 40);
    size_t most = argc == 4 ? 1 : sizeof plans / sizeof *plans;
    for (size_t i = 0; i < most; i++)
        measure(&(plan){plans[i].synchronous, plans[i].batch, plans[i].instances,
                        plans[i].count * count});
    if (argc < 4) {
        measure_digest();
        measure_ages();
    }
    drop_file(path);
    for (int i = 0; i < RECORDS; i++)
        free(records[i]);
    free(whole);
    free(order);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    free(text);
}
