/* W1, dispatch: the cost of one transition in memory, compared with a switch. */
#include <stdlib.h>
#include <string.h>
#include <wfsm/wfsm.h>
#include "bench.h"
#include "cycle.h"

enum { MANY = 1024, LIST = 256, ORDER = 1 << 16, LEAST = 200, JOURNAL = 1 << 16 };

/* Instances in random order, each at its own place of the cycle. */
typedef struct group {
    size_t count;
    size_t turns;
    uint32_t *order; /* each of them once, or of few of them ORDER at random */
    uint8_t *at;     /* by instance: the next event */
    cycle_state **plain; /* each a block of its own, as handles are */
    cycle_state *array;  /* likewise, without pointers */
    wfsm_instance **instances;
} group;

typedef struct entry {
    int64_t now;
    uint32_t event, instance;
} entry;

static wfsm_machine *machine;
static wfsm_store *store;
static wfsm_error *error;
static int32_t numbers[CYCLE];
static entry journal[JOURNAL];
static uint32_t written;

static void check(int32_t status)
{
    if (status != WFSM_OK)
        bench_fail("wfsm", wfsm_error_message(error));
}

static void check_taken(int32_t status, int32_t outcome)
{
    check(status);
    if (outcome != WFSM_TAKEN)
        bench_fail("wfsm", "a transition was not taken");
}

static wfsm_instance *start(wfsm_store *on, const char *id)
{
    const wfsm_start_options options = {.size = sizeof options, .id = id, .store = on};
    wfsm_instance *instance = NULL;
    check(wfsm_instance_start(&instance, machine, &options, 0, error));
    return instance;
}

static void *need(void *block)
{
    if (!block)
        bench_fail("memory", "too little");
    return block;
}

/* ---- hot: one instance, round and round ---- */

static void plain_cycle(void *user)
{
    for (int i = 0; i < CYCLE; i++)
        if (!cycle_send(user, cycle_events[i]))
            bench_fail("switch", "a transition was not taken");
}

/* One of its own for each cycle. */
static void plain_fresh(void *user)
{
    (void)user;
    cycle_state *made = need(malloc(sizeof *made));
    cycle_start(made);
    plain_cycle(made);
    free(made);
}

static void number_cycle(void *user)
{
    for (int i = 0; i < CYCLE; i++) {
        int32_t outcome;
        int32_t status = wfsm_instance_send_number(user, numbers[i], 0, &outcome, error);
        check_taken(status, outcome);
    }
}

static void number_fresh(void *user)
{
    (void)user;
    wfsm_instance *made = start(NULL, "one");
    number_cycle(made);
    wfsm_instance_free(made);
}

static void name_cycle(void *user)
{
    for (int i = 0; i < CYCLE; i++) {
        const wfsm_event event = {.size = sizeof event, .name = cycle_names[i]};
        int32_t outcome;
        int32_t status = wfsm_instance_send(user, &event, 0, &outcome, error);
        check_taken(status, outcome);
    }
}

/* The host's own journal: time, event, instance. */
static void noted_cycle(void *user)
{
    for (int i = 0; i < CYCLE; i++) {
        const wfsm_event event = {.size = sizeof event, .name = cycle_names[i]};
        int32_t outcome;
        int64_t now = bench_milliseconds();
        int32_t status = wfsm_instance_send(user, &event, now, &outcome, error);
        check_taken(status, outcome);
        journal[written++ % JOURNAL] = (entry){now, (uint32_t)numbers[i], 1};
    }
}

/* A memory store forgets nothing: a fresh one now and then. */
static void stored_cycles(void *user)
{
    (void)user;
    check(wfsm_memory_open(&store, NULL, error));
    wfsm_instance *instance = start(store, "one");
    for (int i = 0; i < 100; i++)
        name_cycle(instance);
    wfsm_instance_free(instance);
    wfsm_store_free(store);
}

static void run_hot(void)
{
    cycle_state plain;
    cycle_start(&plain);
    bench_print("dispatch", "switch/hot", bench_time(plain_cycle, &plain, CYCLE, LEAST), "ns",
                NULL);
    wfsm_instance *instance = start(NULL, "one");
    bench_print("dispatch", "number/hot", bench_time(number_cycle, instance, CYCLE, LEAST),
                "ns", "switch/hot");
    bench_print("dispatch", "name/hot", bench_time(name_cycle, instance, CYCLE, LEAST), "ns",
                "switch/hot");
    bench_print("dispatch", "name+time+entry/hot",
                bench_time(noted_cycle, instance, CYCLE, LEAST), "ns", "switch/hot");
    wfsm_instance_free(instance);
    bench_print("dispatch", "switch/fresh", bench_time(plain_fresh, NULL, CYCLE, LEAST), "ns",
                NULL);
    bench_print("dispatch", "number/fresh", bench_time(number_fresh, NULL, CYCLE, LEAST), "ns",
                "switch/fresh");
    bench_print("dispatch", "memory store/hot",
                bench_time(stored_cycles, NULL, (uint64_t)100 * CYCLE, LEAST), "ns",
                "switch/hot");
}

/* ---- many, in random order ---- */

static void plain_order(void *user)
{
    group *self = user;
    for (size_t i = 0; i < self->turns; i++) {
        uint32_t one = self->order[i];
        if (!cycle_send(self->plain[one], cycle_events[self->at[one]]))
            bench_fail("switch", "a transition was not taken");
        self->at[one] = (uint8_t)((self->at[one] + 1) % CYCLE);
    }
}

static void number_order(void *user)
{
    group *self = user;
    for (size_t i = 0; i < self->turns; i++) {
        int32_t outcome;
        uint32_t one = self->order[i];
        int32_t status = wfsm_instance_send_number(self->instances[one], numbers[self->at[one]],
                                                   0, &outcome, error);
        check_taken(status, outcome);
        self->at[one] = (uint8_t)((self->at[one] + 1) % CYCLE);
    }
}

/* The same by lists: what a host does that has taken many events from its queue. */
static void lists_order(void *user)
{
    group *self = user;
    wfsm_instance *instances[LIST];
    int32_t events[LIST], outcomes[LIST];
    wfsm_send_list list = {
        .size = sizeof list, .instances = instances, .numbers = events, .outcomes = outcomes};
    for (size_t at = 0; at < self->turns; at += LIST) {
        size_t count = self->turns - at < LIST ? self->turns - at : LIST;
        for (size_t i = 0; i < count; i++) {
            uint32_t one = self->order[at + i];
            instances[i] = self->instances[one];
            events[i] = numbers[self->at[one]];
            self->at[one] = (uint8_t)((self->at[one] + 1) % CYCLE);
        }
        list.count = count;
        check(wfsm_instance_send_many(&list, 0, NULL, error));
        for (size_t i = 0; i < count; i++)
            check_taken(WFSM_OK, outcomes[i]);
    }
}

/* Of few, so many at random that no predictor learns them; else Fisher and Yates. */
static uint32_t *shuffled(size_t count, size_t *turns)
{
    uint64_t seed = 42;
    *turns = count < ORDER ? ORDER : count;
    uint32_t *order = need(malloc(*turns * sizeof *order));
    for (size_t i = 0; count < ORDER && i < ORDER; i++)
        order[i] = bench_random(&seed, (uint32_t)count);
    if (count < ORDER)
        return order;
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    for (size_t i = count; i-- > 1;) {
        uint32_t other = bench_random(&seed, (uint32_t)i + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    return order;
}

/* Three rounds through all of them; the first warms. */
static double in_order(void (*work)(void *user), group *self)
{
    memset(self->at, 0, self->count);
    return bench_time(work, self, self->turns, LEAST);
}

static void measure_plain(group *self, const char *figure)
{
    self->plain = need(malloc(self->count * sizeof *self->plain));
    for (size_t i = 0; i < self->count; i++) {
        self->plain[i] = need(malloc(sizeof **self->plain));
        cycle_start(self->plain[i]);
    }
    bench_print("dispatch", figure, in_order(plain_order, self), "ns", NULL);
    for (size_t i = 0; i < self->count; i++)
        free(self->plain[i]);
    free(self->plain);
}

/* The same where they stand in one array. */
static void array_order(void *user)
{
    group *self = user;
    for (size_t i = 0; i < self->turns; i++) {
        uint32_t one = self->order[i];
        if (!cycle_send(&self->array[one], cycle_events[self->at[one]]))
            bench_fail("switch", "a transition was not taken");
        self->at[one] = (uint8_t)((self->at[one] + 1) % CYCLE);
    }
}

static void measure_array(group *self, const char *figure)
{
    self->array = need(malloc(self->count * sizeof *self->array));
    for (size_t i = 0; i < self->count; i++)
        cycle_start(&self->array[i]);
    bench_print("dispatch", figure, in_order(array_order, self), "ns", NULL);
    free(self->array);
}

static void make_instances(group *self)
{
    self->instances = need(malloc(self->count * sizeof(wfsm_instance *)));
    for (size_t i = 0; i < self->count; i++)
        self->instances[i] = start(NULL, "one");
}

static void run_many(size_t count, const char *array, const char *floor, const char *figure,
                     const char *lists)
{
    group self = {.count = count, .at = need(calloc(count, 1))};
    self.order = shuffled(count, &self.turns);
    measure_array(&self, array);
    measure_plain(&self, floor);
    make_instances(&self);
    bench_print("dispatch", figure, in_order(number_order, &self), "ns", floor);
    bench_print("dispatch", lists, bench_time(lists_order, &self, self.turns, LEAST), "ns",
                floor);
    for (size_t i = 0; i < count; i++)
        wfsm_instance_free(self.instances[i]);
    free(self.instances);
    free(self.order);
    free(self.at);
}

int main(int argc, char **argv)
{
    size_t length;
    if (argc < 2 || argc > 3)
        bench_fail("usage", "bench_dispatch FILE [INSTANCES]");
    char *text = bench_read(argv[1], &length);
    error = wfsm_error_new(NULL);
    check(wfsm_machine_load(&machine, text, length, NULL, NULL, error));
    for (int i = 0; i < CYCLE; i++)
        numbers[i] = wfsm_machine_event(machine, cycle_names[i]);
    run_hot();
    if (argc == 3) /* else what is hot is enough */
        run_many(MANY, "array/1,024", "switch/1,024", "number/1,024", "lists/1,024");
    if (argc == 3)
        run_many(strtoul(argv[2], NULL, 10), "array/many", "switch/many", "number/many",
                 "lists/many");
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    free(text);
}
