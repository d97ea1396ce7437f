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

int main(void)
{
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_machine *machine = NULL;
    wfsm_store *store = NULL;
    wfsm_instance *instance = NULL;
    const char *effect = NULL;
    uint64_t number = 0;
    int32_t outcome = 0;
    int32_t status;

    if (!(status = wfsm_machine_load(&machine, door, strlen(door), NULL, NULL, error)) &&
        !(status = wfsm_memory_open(&store, NULL, error)) &&
        !(status = wfsm_instance_start(&instance, machine, store, NULL, "front", NULL, 0, 0,
                                       error)) &&
        !(status = wfsm_instance_send(instance, "open", NULL, NULL, 0, 1, &outcome, error)) &&
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
