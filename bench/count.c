/* Runs so many cycles and nothing else, for callgrind: bench/instructions.py. */
#include <stdlib.h>
#include <string.h>
#include <wfsm/wfsm.h>
#include "bench.h"
#include "cycle.h"

static void check(int32_t status, const wfsm_error *error)
{
    if (status != WFSM_OK)
        bench_fail("wfsm", wfsm_error_message(error));
}

int main(int argc, char **argv)
{
    size_t length;
    int32_t outcome = 0, numbers[CYCLE];
    wfsm_machine *machine = NULL;
    wfsm_store *store = NULL;
    wfsm_instance *instance = NULL;
    wfsm_error *error = wfsm_error_new(NULL);
    if (argc != 4)
        bench_fail("usage", "bench_count FILE number|name|store CYCLES");
    char *text = bench_read(argv[1], &length);
    check(wfsm_machine_load(&machine, text, length, NULL, NULL, error), error);
    for (int i = 0; i < CYCLE; i++)
        numbers[i] = wfsm_machine_event(machine, cycle_names[i]);
    if (strcmp(argv[2], "store") == 0)
        check(wfsm_memory_open(&store, NULL, error), error);
    const wfsm_start_options options = {.size = sizeof options, .id = "one", .store = store};
    check(wfsm_instance_start(&instance, machine, &options, 0, error), error);
    bool by_number = strcmp(argv[2], "number") == 0;
    long count = atol(argv[3]) * CYCLE;
    for (long i = 0; i < count; i++) {
        const wfsm_event event = {.size = sizeof event, .name = cycle_names[i % CYCLE]};
        int32_t status = by_number ? wfsm_instance_send_number(instance, numbers[i % CYCLE], 0,
                                                               &outcome, error)
                                   : wfsm_instance_send(instance, &event, 0, &outcome, error);
        check(status, error);
        if (outcome != WFSM_TAKEN)
            bench_fail("wfsm", "a transition was not taken");
    }
    wfsm_instance_free(instance);
    wfsm_store_free(store);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    free(text);
}
