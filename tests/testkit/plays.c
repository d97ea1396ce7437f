#include "testkit/plays.h"

#include <stdio.h>
#include <string.h>
#include <unity.h>

/* Timers that race with events, effects, agents, a checkpoint to restore, data that
 * would show a step that was taken twice. */
static const char document[] =
    "{\"wfsm\": 1, \"id\": \"play\", \"initial\": \"plan\","
    " \"context\": {\"count\": 0, \"ticks\": 0, \"note\": \"\"},"
    " \"restore\": {\"from\": [\"#work\"], \"event\": \"BACK\"},"
    " \"states\": {"
    "  \"plan\": {\"id\": \"plan\","
    "   \"invoke\": {\"id\": \"planner\", \"src\": \"planner\","
    "     \"onDone\": \"work\", \"onError\": {\"target\": \"plan\", \"reenter\": true}}},"
    "  \"work\": {\"id\": \"work\","
    "   \"entry\": [{\"type\": \"emit\", \"params\": {\"event\": \"working\"}}],"
    "   \"after\": {\"100\": {\"actions\": [{\"type\": \"assign\", \"params\":"
    "     {\"ticks\": {\"+\": [{\"var\": \"context.ticks\"}, 1]}}},"
    "     {\"type\": \"emit\", \"params\": {\"event\": \"tick\"}},"
    "     {\"type\": \"raise\", \"params\": {\"event\": \"AGAIN\", \"delay\": 50}}]}},"
    "   \"on\": {"
    "     \"ADD\": {\"actions\": [{\"type\": \"assign\", \"params\":"
    "        {\"count\": {\"+\": [{\"var\": \"context.count\"}, 1]}}},"
    "        {\"type\": \"emit\", \"params\": {\"event\": \"added\","
    "          \"data\": {\"var\": \"context.count\"}}}]},"
    "     \"AGAIN\": {\"target\": \"work\", \"reenter\": true},"
    "     \"END\": {\"guard\": {\">\": [{\"var\": \"context.count\"}, 1]},"
    "        \"target\": \"end\"}}},"
    "  \"end\": {\"type\": \"final\", \"entry\": [{\"type\": \"emit\", \"params\":"
    "     {\"event\": \"ended\"}}],"
    "   \"output\": {\"count\": {\"var\": \"context.count\"}}}}}";

#define INPUT(...) {.size = sizeof(wfsm_testkit_input), __VA_ARGS__}
static const wfsm_testkit_input script[] = {
    INPUT(.kind = WFSM_TESTKIT_EVENT, .name = "ADD"), /* nothing handles it yet */
    INPUT(.kind = WFSM_TESTKIT_FAILURE, .name = "sim/1/1", .failure_class = "network"),
    INPUT(.kind = WFSM_TESTKIT_RESULT, .name = "sim/2/1", .json = "{\"x\":1}", .length = 7),
    INPUT(.kind = WFSM_TESTKIT_EVENT, .name = "ADD", .id = "first"),
    INPUT(.kind = WFSM_TESTKIT_EVENT, .name = "END"), /* the guard refuses it */
    INPUT(.kind = WFSM_TESTKIT_CHECKPOINT, .name = "c1", .json = "[\"plan.md\"]", .length = 11),
    INPUT(.kind = WFSM_TESTKIT_ADVANCE, .ms = 400),
    INPUT(.kind = WFSM_TESTKIT_PATCH, .json = "{\"note\":\"n\"}", .length = 12),
    INPUT(.kind = WFSM_TESTKIT_EVENT, .name = "ADD", .id = "first"), /* a duplicate */
    INPUT(.kind = WFSM_TESTKIT_RESTORE, .revision = 5),
    INPUT(.kind = WFSM_TESTKIT_RESTORE, .name = "c1"),
    INPUT(.kind = WFSM_TESTKIT_FORGET, .name = "c1"),
    INPUT(.kind = WFSM_TESTKIT_EVENT, .name = "ADD"),
    INPUT(.kind = WFSM_TESTKIT_ADVANCE, .ms = 120),
    INPUT(.kind = WFSM_TESTKIT_RESULT, .name = "sim/1/1"), /* stale */
    INPUT(.kind = WFSM_TESTKIT_EVENT, .name = "ADD", .json = "[1]", .length = 3),
    INPUT(.kind = WFSM_TESTKIT_EVENT, .name = "END"),
    INPUT(.kind = WFSM_TESTKIT_EVENT, .name = "ADD"), /* it has ended */
};
enum { LINES = sizeof script / sizeof *script };

wfsm_machine *play_machine(void)
{
    wfsm_machine *machine = NULL;
    wfsm_error *error = wfsm_error_new(NULL);
    int32_t status =
        wfsm_machine_load(&machine, document, sizeof document - 1, NULL, NULL, error);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, status, wfsm_error_message(error));
    wfsm_error_free(error);
    return machine;
}

static int32_t open_kept(void *user, wfsm_store **store, wfsm_error *error)
{
    play_store *self = user;
    wfsm_store *handle = NULL;
    int32_t status = self->kept ? WFSM_OK : wfsm_memory_open(&self->kept, NULL, error);
    if (!status)
        status = wfsm_testkit_wrap(&handle, self->kept, NULL, error);
    if (status)
        return status;
    *store = handle;
    return self->wrap ? self->wrap(store, handle, error) : WFSM_OK;
}

static void cut_kept(void *user)
{
    play_store *self = user;
    if (self->cut)
        self->cut();
}

static void wipe_kept(void *user)
{
    play_store *self = user;
    wfsm_store_free(self->kept);
    self->kept = NULL;
}

static int32_t keep_violation(void *user, const wfsm_testkit_violation *violation)
{
    play_store *self = user;
    snprintf(self->message, sizeof self->message, "%s at call %d, line %d: %s",
             wfsm_testkit_fault_name(violation->fault), (int)violation->at,
             (int)violation->line, violation->message);
    return WFSM_OK;
}

wfsm_testkit_crash_options play_options(play_store *store, wfsm_machine *machine)
{
    static const wfsm_testkit_input *lines[LINES];
    for (int i = 0; i < LINES; i++)
        lines[i] = &script[i];
    return (wfsm_testkit_crash_options){
        .size = sizeof(wfsm_testkit_crash_options),
        .machine = machine,
        .inputs = lines,
        .count = LINES,
        .user = store,
        .open = open_kept,
        .cut = cut_kept,
        .wipe = wipe_kept,
        .violated = keep_violation,
    };
}
