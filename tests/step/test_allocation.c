/* A step whose guards are data and which assigns no string allocates nothing. */
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include "base/memory.h"
#include "step/step.h"

static const char *const document =
    "{\"id\":\"cycle\",\"context\":{\"n\":0,\"most\":1000000,\"on\":true},\"initial\":\"a\","
    "\"states\":{\"a\":{\"on\":{\"GO\":{\"target\":\"b.x\",\"guard\":{\"<\":"
    "[{\"var\":\"context.n\"},{\"var\":\"context.most\"}]},"
    "\"actions\":{\"type\":\"assign\",\"params\":{\"n\":{\"+\":[{\"var\":\"context.n\"},1]}}}}}"
    "},"
    "\"b\":{\"initial\":\"x\",\"on\":{\"BACK\":\"a\"},\"states\":{\"x\":{\"always\":"
    "{\"target\":\"y\",\"guard\":{\"var\":\"context.on\"}}},\"y\":{}}}}}";

static uint64_t allocations;

static void *allocate(void *user, size_t bytes)
{
    (void)user;
    allocations++;
    return malloc(bytes);
}

static void *resize(void *user, void *block, size_t bytes)
{
    (void)user;
    allocations++;
    return realloc(block, bytes);
}

static void release(void *user, void *block)
{
    (void)user;
    free(block);
}

void setUp(void)
{
}

void tearDown(void)
{
}

static void send(wf_step *step, const char *name)
{
    const wf_value null = wf_null(), event = wf_string_z(name);
    int32_t outcome = 0;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_begin(step, 0));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_event(step, &event, &null, &null, &outcome));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_prepare(step));
    wf_step_commit(step);
}

static void test_common_path_allocates_nothing(void)
{
    const wfsm_allocator allocator = {sizeof allocator, NULL, allocate, resize, release};
    const wf_value nothing = wf_absent();
    wfsm_machine *machine = NULL;
    wf_snapshot snapshot;
    wf_step step;
    int32_t outcome;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_machine_load(&machine, document, strlen(document),
                                                       NULL, &allocator, NULL));
    TEST_ASSERT_TRUE(wf_snapshot_init(&snapshot, machine, &machine->allocator));
    TEST_ASSERT_TRUE(wf_step_init(&step, &snapshot, "one"));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_begin(&step, 0));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_start(&step, &nothing, &outcome));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_step_prepare(&step));
    wf_step_commit(&step);
    send(&step, "GO");
    send(&step, "BACK");
    uint64_t before = allocations;
    for (int i = 0; i < 1000; i++) {
        send(&step, "GO");
        send(&step, "BACK");
    }
    TEST_ASSERT_EQUAL_UINT64(before, allocations);
    TEST_ASSERT_GREATER_THAN_UINT64(0, before);
    uint32_t slot = wf_names_find(wf_snapshot_keys(&snapshot), "n", 1);
    TEST_ASSERT_EQUAL_INT64(1001, (int64_t)wf_snapshot_get(&snapshot, slot).as.number);
    wf_step_fini(&step);
    wf_snapshot_fini(&snapshot);
    wfsm_machine_unref(machine);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_common_path_allocates_nothing);
    return UNITY_END() != 0;
}
