/* One instance, stepped by hand: load, start, send, next effect, free. */
#include <stdio.h>
#include <string.h>
#include <wfsm/wfsm.h>

static const char door[] =
    "{\"wfsm\": 1, \"id\": \"door\", \"initial\": \"closed\", \"states\": {"
    "  \"closed\": {\"on\": {\"open\": \"opened\"}},"
    "  \"opened\": {"
    "    \"entry\": {\"type\": \"emit\", \"params\": {\"event\": \"ring\"}},"
    "    \"on\": {\"close\": \"closed\"}}}}";

static int32_t start(wfsm_instance **instance, wfsm_machine *machine, wfsm_store *store,
                     wfsm_error *error)
{
    const wfsm_start_options options = {.size = sizeof options, .id = "front", .store = store};
    return wfsm_instance_start(instance, machine, &options, 0, error);
}

int main(void)
{
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_machine *machine = NULL;
    wfsm_store *store = NULL;
    wfsm_instance *instance = NULL;
    const wfsm_event open = {.size = sizeof open, .name = "open"};
    const char *effect = NULL;
    uint64_t number = 0;
    int32_t outcome = 0;
    int32_t status;

    if (!(status = wfsm_machine_load(&machine, door, strlen(door), NULL, NULL, error)) &&
        !(status = wfsm_memory_open(&store, NULL, error)) &&
        !(status = start(&instance, machine, store, error)) &&
        !(status = wfsm_instance_send(instance, &open, 1, &outcome, error)) &&
        !(status = wfsm_instance_next_effect(instance, &effect, NULL, &number, error))) {
        printf("%s, effect %s\n", wfsm_outcome_name(outcome), effect);
        status = wfsm_instance_ack(instance, number, error);
        printf("the door is %s\n", wfsm_instance_configuration(instance, NULL));
    }
    if (status)
        fprintf(stderr, "step: %s\n", wfsm_error_message(error));
    wfsm_instance_free(instance);
    wfsm_store_free(store);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    return status ? 1 : 0;
}
