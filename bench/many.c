/* W3, many: a million instances, three steps each: the memory of one, and the time to make it. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wfsm/wfsm.h>
#include "bench.h"
#include "cycle.h"

enum { STEPS = 3 };

static wfsm_machine *machine;
static wfsm_error *error;
static int32_t numbers[STEPS];

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

static void *make_plain(void)
{
    cycle_state *made = need(malloc(sizeof *made));
    cycle_start(made);
    return made;
}

static void step_plain(void *one, int step)
{
    if (!cycle_send(one, cycle_events[step]))
        bench_fail("switch", "a transition was not taken");
}

static void *make_instance(void)
{
    const wfsm_start_options options = {.size = sizeof options, .id = "one"};
    wfsm_instance *made = NULL;
    check(wfsm_instance_start(&made, machine, &options, 0, error));
    return made;
}

static void step_instance(void *one, int step)
{
    int32_t outcome = 0;
    check(wfsm_instance_send_number(one, numbers[step], 0, &outcome, error));
    if (outcome != WFSM_TAKEN)
        bench_fail("wfsm", "a transition was not taken");
}

static void free_instance(void *one)
{
    wfsm_instance_free(one);
}

typedef struct kind {
    const char *bytes, *create, *step, *than[3];
    void *(*make)(void);
    void (*move)(void *one, int step);
    void (*drop)(void *one);
} kind;

static const kind plain = {"malloc/bytes", "malloc/create", "malloc/step", {NULL, NULL, NULL},
                           make_plain,     step_plain,      free};
static const kind ours = {"bytes",       "create",
                          "step",        {"switch/bytes", "malloc/create", "malloc/step"},
                          make_instance, step_instance,
                          free_instance};

static void measure(const kind *what, size_t count)
{
    void **all = need(calloc(count, sizeof *all));
    double before = bench_resident();
    int64_t begin = bench_busy();
    for (size_t i = 0; i < count; i++)
        all[i] = what->make();
    int64_t made = bench_busy();
    for (int step = 0; step < STEPS; step++)
        for (size_t i = 0; i < count; i++)
            what->move(all[i], step);
    int64_t stepped = bench_busy();
    double each = (double)count;
    bench_print("many", what->bytes, (bench_resident() - before) / each, "bytes",
                what->than[0]);
    bench_print("many", what->create, (double)(made - begin) / each, "ns", what->than[1]);
    bench_print("many", what->step, (double)(stepped - made) / each / STEPS, "ns",
                what->than[2]);
    for (size_t i = 0; i < count; i++)
        what->drop(all[i]);
    free(all);
}

/* In a process of its own, whose memory nobody has used before. */
static void measure_alone(const kind *what, size_t count)
{
    int state = 0;
    pid_t child = fork();
    if (child == 0) {
        measure(what, count);
        fflush(stdout);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &state, 0) != child || state != 0)
        bench_fail("many", "the process ended in another way");
}

int main(int argc, char **argv)
{
    size_t length;
    if (argc != 3)
        bench_fail("usage", "bench_many FILE INSTANCES");
    char *text = bench_read(argv[1], &length);
    error = wfsm_error_new(NULL);
    check(wfsm_machine_load(&machine, text, length, NULL, NULL, error));
    for (int i = 0; i < STEPS; i++)
        numbers[i] = wfsm_machine_event(machine, cycle_names[i]);
    bench_print("many", "switch/bytes", sizeof(cycle_state), "bytes", NULL);
    measure_alone(&plain, strtoul(argv[2], NULL, 10));
    measure_alone(&ours, strtoul(argv[2], NULL, 10));
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    free(text);
    return 0;
}
