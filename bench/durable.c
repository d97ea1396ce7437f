/*
 * W2, durable: transitions committed one by one, or so many at a time, of one instance or of
 * many at random, beside loops over the same SQLite that write the same records and know
 * nothing of them. Bytes and calls are those that the process gave to write(2), from /proc.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wfsm/sqlite.h>
#include <wfsm/wfsm.h>
#include "bench.h"
#include "cycle.h"
#include "floor.h"

enum { RECORDS = CYCLE * 8, CROWD = 10000, AGES = 4 };

/* One of the figures. */
typedef struct plan {
    const char *figure, *floor;
    int32_t synchronous;
    int batch;     /* transitions in a commit */
    int instances; /* more than one: taken at random */
    int count;     /* transitions */
} plan;

static wfsm_machine *machine;
static wfsm_error *error;
static char path[4096];
static char *records[RECORDS];
static uint32_t *order;

static void check(int32_t status)
{
    if (status != WFSM_OK)
        bench_fail("wfsm", wfsm_error_message(error));
}

static void *need(void *block)
{
    if (block == NULL)
        bench_fail("memory", "too little");
    return block;
}

static void send(wfsm_instance *instance, int step)
{
    int32_t outcome = 0;
    check(wfsm_instance_send(instance, cycle_names[step % CYCLE], NULL, NULL, 0, step, &outcome,
                             error));
    if (outcome != WFSM_TAKEN)
        bench_fail("wfsm", "a transition was not taken");
}

static wfsm_instance *start(wfsm_store *store, int number)
{
    char id[32];
    wfsm_instance *made = NULL;
    snprintf(id, sizeof id, "task-%d", number);
    check(wfsm_instance_start(&made, machine, store, NULL, id, NULL, 0, 0, error));
    return made;
}

/* What the floors write: the records of a real run. */
static void make_records(void)
{
    wfsm_store *store = NULL;
    size_t length;
    check(wfsm_memory_open(&store, NULL, error));
    wfsm_instance *instance = start(store, 0);
    for (int i = 0; i < RECORDS; i++) {
        send(instance, i);
        const char *record = wfsm_instance_record(instance, &length);
        records[i] = need(malloc(length + 1));
        memcpy(records[i], record, length + 1);
    }
    wfsm_instance_free(instance);
    wfsm_store_free(store);
}

static void make_order(int count)
{
    uint64_t seed = 7;
    order = need(malloc((size_t)count * sizeof *order));
    for (int i = 0; i < count; i++)
        order[i] = bench_random(&seed, CROWD);
}

static const char *word(int32_t synchronous)
{
    return synchronous == WFSM_SQLITE_FULL ? "FULL" : "NORMAL";
}

/* ---- the floor ---- */

static void raw_run(raw *self, const plan *what, int *revisions, int from, int count)
{
    for (int i = from; i < from + count; i++) {
        int one = what->instances > 1 ? (int)order[i] : 0;
        if (i % what->batch == 0)
            raw_begin(self);
        revisions[one]++;
        raw_step(self, one, revisions[one], records[revisions[one] % RECORDS]);
        if (i % what->batch == what->batch - 1)
            raw_commit(self);
    }
}

static void measure_raw(const plan *what)
{
    raw self;
    int warm = what->batch * 10, *revisions = need(calloc((size_t)what->instances, sizeof(int)));
    raw_open(&self, path, word(what->synchronous), what->instances);
    raw_run(&self, what, revisions, 0, warm);
    traffic begin = traffic_now();
    raw_run(&self, what, revisions, warm, what->count);
    traffic_report(what->floor, &begin, what->count, NULL);
    raw_close(&self);
    free(revisions);
}

/* ---- wfsm ---- */

typedef struct crowd {
    wfsm_store *store;
    wfsm_instance **all;
    int *steps;
} crowd;

static void open_crowd(crowd *self, const plan *what)
{
    wfsm_sqlite_options options = {.size = sizeof options, .synchronous = what->synchronous};
    drop_file(path);
    check(wfsm_sqlite_open(&self->store, path, &options, NULL, error));
    self->all = need(malloc((size_t)what->instances * sizeof *self->all));
    self->steps = need(calloc((size_t)what->instances, sizeof(int)));
    check(wfsm_store_batch(self->store, error));
    for (int i = 0; i < what->instances; i++)
        self->all[i] = start(self->store, i);
    check(wfsm_store_flush(self->store, NULL, error));
}

static void close_crowd(crowd *self, const plan *what)
{
    for (int i = 0; i < what->instances; i++)
        wfsm_instance_free(self->all[i]);
    wfsm_store_free(self->store);
    free(self->all);
    free(self->steps);
}

static void run(crowd *self, const plan *what, int from, int count)
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

static void measure(const plan *what)
{
    crowd self;
    int warm = what->batch * 10;
    open_crowd(&self, what);
    run(&self, what, 0, warm);
    traffic begin = traffic_now();
    run(&self, what, warm, what->count);
    traffic_report(what->figure, &begin, what->count, what->floor);
    close_crowd(&self, what);
}

static void measure_both(const plan *what)
{
    measure_raw(what);
    measure(what);
}

/* The same commits of an instance that is young, and old. */
static void measure_ages(void)
{
    static const int ages[AGES] = {10, 1000, 10000, 100000};
    static const char *const names[AGES] = {"age/10", "age/1,000", "age/10,000", "age/100,000"};
    const plan what = {NULL, NULL, WFSM_SQLITE_NORMAL, 1, 1, 0}, fast = {NULL, NULL, 2, 100, 1, 0};
    enum { WINDOW = 2000 };
    crowd self;
    int at = 0;
    open_crowd(&self, &what);
    for (int i = 0; i < AGES; i++) {
        int until = (ages[i] - at) / 100 * 100;
        run(&self, &fast, 0, until);
        traffic begin = traffic_now();
        run(&self, &what, 0, WINDOW);
        traffic_report(names[i], &begin, WINDOW, i > 0 ? names[0] : NULL);
        at += until + WINDOW;
    }
    close_crowd(&self, &what);
}

int main(int argc, char **argv)
{
    size_t length;
    if (argc < 3 || argc > 4)
        bench_fail("usage", "bench_durable FILE FOLDER [COUNT]");
    int count = argc == 4 ? atoi(argv[3]) : 2400;
    char *text = bench_read(argv[1], &length);
    snprintf(path, sizeof path, "%s/bench.db", argv[2]);
    error = wfsm_error_new(NULL);
    check(wfsm_machine_load(&machine, text, length, NULL, NULL, error));
    make_records();
    make_order(count * 40);
    const plan plans[] = {
        {"wfsm/full", "loop/full", WFSM_SQLITE_FULL, 1, 1, count},
        {"wfsm/normal", "loop/normal", WFSM_SQLITE_NORMAL, 1, 1, count},
        {"wfsm/full/10", "loop/full/10", WFSM_SQLITE_FULL, 10, 1, count * 5},
        {"wfsm/full/100", "loop/full/100", WFSM_SQLITE_FULL, 100, 1, count * 20},
        {"wfsm/normal/100", "loop/normal/100", WFSM_SQLITE_NORMAL, 100, 1, count * 20},
        {"wfsm/full/100/10,000", "loop/full/100/10,000", WFSM_SQLITE_FULL, 100, CROWD, count * 20},
    };
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        measure_both(&plans[i]);
    measure_ages();
    drop_file(path);
    for (int i = 0; i < RECORDS; i++)
        free(records[i]);
    free(order);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    free(text);
}
