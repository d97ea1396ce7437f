/* A stranger's program: a durable instance, taken one step and found again. */
#include <stdio.h>
#include <string.h>
#include <wfsm/sqlite.h>
#include <wfsm/wfsm.h>

static const char document[] =
    "{\"id\": \"review\", \"initial\": \"waiting\", \"states\": {"
    "\"waiting\": {\"on\": {\"approve\": \"approved\"}}, \"approved\": {\"type\": \"final\"}}}";

static int32_t step(wfsm_machine *machine, wfsm_store *store)
{
    wfsm_instance *instance = NULL;
    wfsm_start_options options = {.size = sizeof options, .id = "r-1", .store = store};
    wfsm_event approve = {.size = sizeof approve, .name = "approve"};
    int32_t outcome = 0;
    int32_t status = wfsm_instance_start(&instance, machine, &options, 1, NULL);

    if (!status)
        status = wfsm_instance_send(instance, &approve, 2, &outcome, NULL);
    wfsm_instance_free(instance);
    return status;
}

int main(void)
{
    wfsm_machine *machine = NULL;
    wfsm_store *store = NULL;
    wfsm_instance *instance = NULL;
    int32_t status = wfsm_machine_load(&machine, document, strlen(document), NULL, NULL, NULL);

    if (!status)
        status = wfsm_sqlite_open(&store, "consumer.db", NULL, NULL, NULL);
    if (!status && !(status = step(machine, store)))
        status = wfsm_instance_load(&instance, NULL, store, NULL, "r-1", NULL);
    printf("wfsm %s: %s\n", wfsm_version(),
           status ? wfsm_status_name(status) : wfsm_instance_configuration(instance, NULL));
    wfsm_instance_free(instance);
    wfsm_store_free(store);
    wfsm_machine_unref(machine);
    return status != WFSM_OK;
}
