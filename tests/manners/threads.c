/* Threads that share what they may share: one machine and one file on disk.
 * Built with the thread sanitizer around the one-file form. usage: threads FILE */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "wfsm.h"

enum { THREADS = 8, STEPS = 300 };

static const char document[] =
    "{\"id\": \"m\", \"initial\": \"a\", \"context\": {\"n\": 0}, \"states\": {\"a\": {\"on\": "
    "{\"go\": {\"actions\": {\"type\": \"assign\", \"params\": "
    "{\"n\": {\"+\": [{\"var\": \"context.n\"}, 1]}}}}}}, \"w\": {\"invoke\": {\"src\": "
    "\"agent\", \"onDone\": \"a\"}}}}";

static wfsm_machine *machine;
static const char *file;

static int32_t drive(wfsm_store *store, const char *id)
{
    wfsm_instance *instance = NULL;
    wfsm_machine *mine = wfsm_machine_ref(machine);
    int32_t outcome = 0;
    int32_t status = wfsm_instance_start(
        &instance, mine,
        &(wfsm_start_options){.size = sizeof(wfsm_start_options), .id = id, .store = store}, 0,
        NULL);

    for (int i = 0; i < STEPS && !status; i++)
        status = wfsm_instance_send(instance,
                                    &(wfsm_event){.size = sizeof(wfsm_event), .name = "go"}, i,
                                    &outcome, NULL);
    if (!status && strcmp(wfsm_instance_context(instance, NULL), "{\"n\":300}") != 0)
        status = WFSM_CORRUPT;
    wfsm_instance_free(instance);
    wfsm_machine_unref(mine);
    return status;
}

static void *work(void *argument)
{
    int number = *(int *)argument;
    char id[32];
    wfsm_store *memory = NULL, *disk = NULL;
    wfsm_sqlite_options options = {.size = sizeof options, .synchronous = WFSM_SQLITE_NORMAL};
    int32_t status = wfsm_memory_open(&memory, NULL, NULL);

    snprintf(id, sizeof id, "thread-%d", number);
    if (!status)
        status = drive(memory, id);
    if (!status)
        status = wfsm_sqlite_open(&disk, file, &options, NULL, NULL);
    if (!status)
        status = drive(disk, id);
    wfsm_store_free(memory);
    wfsm_store_free(disk);
    *(int *)argument = status;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int results[THREADS];
    int failed = 0;

    if (argc != 2 || wfsm_machine_load(&machine, document, strlen(document), NULL, NULL, NULL))
        return 2;
    file = argv[1];
    for (int i = 0; i < THREADS; i++) {
        results[i] = i;
        if (pthread_create(&threads[i], NULL, work, &results[i]) != 0)
            return 2;
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        failed += results[i] != WFSM_OK;
        if (results[i])
            fprintf(stderr, "thread %d: %s\n", i, wfsm_status_name(results[i]));
    }
    wfsm_machine_unref(machine);
    printf("%d threads, %d steps, %d failed\n", THREADS, 2 * THREADS * STEPS, failed);
    return failed != 0;
}
