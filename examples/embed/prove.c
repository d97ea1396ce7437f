/* Proves a store: every case that a store must pass, and then a workflow on it with every
 * fault at every call. Put your own store into open_store(). */
#include <stdio.h>
#include <string.h>
#include <wfsm/wfsm.h>
#include <wfsm/testkit.h>

static wfsm_store *kept[2]; /* this toy outlives its handles, not its process */

static int32_t open_store(void *user, int32_t which, wfsm_store **store, wfsm_error *error)
{
    (void)user;
    int32_t status = kept[which] ? WFSM_OK : wfsm_memory_open(&kept[which], NULL, error);
    return status ? status : wfsm_testkit_wrap(store, kept[which], NULL, error);
}

static int32_t open_first(void *user, wfsm_store **store, wfsm_error *error)
{
    return open_store(user, 0, store, error);
}

static void wipe(void *user)
{
    (void)user;
    for (int i = 0; i < 2; i++) {
        wfsm_store_free(kept[i]);
        kept[i] = NULL;
    }
}

static int32_t print_case(void *user, const wfsm_testkit_result *result)
{
    (void)user;
    if (result->verdict == WFSM_TESTKIT_FAILED)
        printf("%s: %s\n", result->name, result->message);
    return WFSM_OK;
}

static int32_t print_violation(void *user, const wfsm_testkit_violation *violation)
{
    (void)user;
    printf("%s at call %d: %s\n", wfsm_testkit_fault_name(violation->fault), (int)violation->at,
           violation->message);
    return WFSM_OK;
}

static const char till[] =
    "{\"id\": \"till\", \"initial\": \"open\", \"context\": {\"sum\": 0}, \"states\": "
    "{\"open\":"
    " {\"after\": {\"1000\": \"shut\"}, \"on\": {\"PAY\": {\"actions\": {\"type\": \"assign\","
    " \"params\": {\"sum\": {\"+\": [{\"var\": \"context.sum\"}, 1]}}}}}},"
    " \"shut\": {\"type\": \"final\"}}}";

int main(void)
{
    const wfsm_testkit_input pay = {
        .size = sizeof pay, .kind = WFSM_TESTKIT_EVENT, .name = "PAY"};
    const wfsm_testkit_input wait = {
        .size = sizeof wait, .kind = WFSM_TESTKIT_ADVANCE, .ms = 1000};
    const wfsm_testkit_input *lines[] = {&pay, &pay, &wait};
    wfsm_testkit_store_options store = {
        .size = sizeof store, .open = open_store, .wipe = wipe, .durable = 1};
    wfsm_testkit_crash_options play = {.size = sizeof play,
                                       .open = open_first,
                                       .wipe = wipe,
                                       .violated = print_violation,
                                       .inputs = lines,
                                       .count = 3};
    wfsm_testkit_counts cases = {.size = sizeof cases};
    wfsm_testkit_crash_counts crashes = {.size = sizeof crashes};
    wfsm_error *error = wfsm_error_new(NULL);

    int32_t status = wfsm_testkit_store(&store, print_case, NULL, &cases, error);
    if (!status)
        status = wfsm_machine_load(&play.machine, till, strlen(till), NULL, NULL, error);
    if (!status)
        status = wfsm_testkit_crash(&play, &crashes, error);
    printf("%d cases failed, %d invariants violated%s%s\n", (int)cases.failed,
           (int)crashes.violations, status ? ": " : "", wfsm_error_message(error));
    wfsm_machine_unref(play.machine);
    wfsm_error_free(error);
    return status || cases.failed || crashes.violations;
}
