/* A store that makes one call fail: what it does, and what the caller is told. */
#include <stdio.h>
#include <string.h>
#include <unity.h>
#include <wfsm/testkit.h>
#include "../given.h"

static wfsm_store *inner, *outer;
static wfsm_testkit_plan plan;

void setUp(void)
{
    plan = (wfsm_testkit_plan){.size = sizeof plan};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_memory_open(&inner, NULL, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_testkit_wrap(&outer, inner, &plan, NULL));
}

void tearDown(void)
{
    wfsm_store_free(outer);
    wfsm_store_free(inner);
}

static int32_t commit(uint64_t base)
{
    char record[] = "{}";
    const wfsm_commit made = {.size = sizeof made,
                              .instance = "a",
                              .base = base,
                              .owner = "",
                              .token = "t",
                              .record = record,
                              .record_length = 2,
                              .machine = "m",
                              .fingerprint = "f",
                              .document = base ? NULL : "{}",
                              .document_length = base ? 0 : 2,
                              .tags = "",
                              .status = WFSM_RUNNING,
                              .deadline = WFSM_NEVER};
    const wfsm_commit *list[] = {&made};
    int32_t answer = WFSM_HOST;
    int32_t status = wfsm_store_commit(outer, list, 1, &answer, NULL);
    TEST_ASSERT_EQUAL_INT32(status, answer);
    memset(record, 'x', 2); /* what is delayed must have a copy */
    return status;
}

static uint64_t revision(void)
{
    wfsm_head head = {.size = sizeof head};
    return wfsm_store_head(inner, "a", &head, NULL) ? 0 : head.revision;
}

static void spoil(int32_t fault, uint64_t delay)
{
    plan.fault = fault;
    plan.at = plan.calls + 1;
    plan.delay = delay;
}

static void a_commit_is_spoiled(void)
{
    const struct {
        int32_t fault, answer;
        uint64_t done;
        int32_t dead;
    } cases[] = {
        {WFSM_TESTKIT_NONE, WFSM_OK, 1, 0},
        {WFSM_TESTKIT_FAIL, WFSM_STORE_FAILED, 0, 0},
        {WFSM_TESTKIT_DROP, WFSM_STORE_UNKNOWN, 0, 0},
        {WFSM_TESTKIT_LOSE, WFSM_STORE_UNKNOWN, 1, 0},
        {WFSM_TESTKIT_DELAY, WFSM_STORE_UNKNOWN, 0, 0},
        {WFSM_TESTKIT_CUT_BEFORE, WFSM_STORE_UNKNOWN, 0, 1},
        {WFSM_TESTKIT_CUT_AFTER, WFSM_STORE_UNKNOWN, 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *name = wfsm_testkit_fault_name(cases[i].fault);
        int32_t happened = plan.happened;
        spoil(cases[i].fault, 1);
        TEST_ASSERT_EQUAL_INT32_MESSAGE(cases[i].answer, commit(0), name);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(cases[i].done, revision(), name);
        TEST_ASSERT_EQUAL_INT32_MESSAGE(cases[i].dead, plan.dead, name);
        TEST_ASSERT_EQUAL_INT32_MESSAGE(i > 0, plan.happened - happened, name);
        tearDown();
        setUp();
    }
}

static void a_commit_that_is_delayed_comes_through_later(void)
{
    wfsm_head head = {.size = sizeof head};
    spoil(WFSM_TESTKIT_DELAY, 2);
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, commit(0));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, wfsm_store_head(outer, "a", &head, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_head(outer, "a", &head, NULL));
    spoil(WFSM_TESTKIT_DELAY, 9);
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, commit(1));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, commit(1));
    wfsm_store_free(outer);
    outer = NULL;
    TEST_ASSERT_EQUAL_UINT64(2, revision()); /* the late one was refused */
}

static void what_is_delayed_is_done_when_the_store_is_closed(void)
{
    spoil(WFSM_TESTKIT_DELAY, 100);
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, commit(0));
    wfsm_store_free(outer);
    outer = NULL;
    TEST_ASSERT_EQUAL_UINT64(1, revision());
}

static void without_power_nothing_is_done(void)
{
    wfsm_head head = {.size = sizeof head};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, commit(0));
    plan.dead = 1;
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, commit(1));
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN,
                            wfsm_store_post(outer, "a", "E", NULL, NULL, 0, 1, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, wfsm_store_own(outer, "a", "me", 1, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, wfsm_store_disown(outer, "a", "me", NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, wfsm_store_owner_alive(outer, "me", 1, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, wfsm_store_acknowledge(outer, "a", 0, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, wfsm_store_remove(outer, "a", NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_FAILED, wfsm_store_head(outer, "a", &head, NULL));
    TEST_ASSERT_EQUAL_UINT64(1, revision());
    plan.dead = 0;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_head(outer, "a", &head, NULL));
    TEST_ASSERT_EQUAL_STRING("", head.owner);
}

static int32_t count_row(void *user, const wfsm_row *row)
{
    (void)row;
    ++*(int *)user;
    return WFSM_OK;
}

static void a_reading_fails_before_or_after_its_rows(void)
{
    const struct {
        int32_t fault;
        int rows;
    } cases[] = {{WFSM_TESTKIT_FAIL, 0}, {WFSM_TESTKIT_DROP, 0}, {WFSM_TESTKIT_LOSE, 1}};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, commit(0));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int rows = 0;
        spoil(cases[i].fault, 1);
        TEST_ASSERT_EQUAL_INT32(WFSM_STORE_FAILED,
                                wfsm_store_records(outer, "a", 1, 9, count_row, &rows, NULL));
        TEST_ASSERT_EQUAL_INT(cases[i].rows, rows);
        TEST_ASSERT_EQUAL_INT32(0, plan.wrote);
    }
}

/* A commit by another handle between the reads of a load is not damage. */
static void a_load_bears_a_commit_in_between(void)
{
    static const char document[] =
        "{\"wfsm\": 1, \"id\": \"m\", \"initial\": \"a\", \"states\":"
        " {\"a\": {\"on\": {\"GO\": {\"actions\": []}}}}}";
    wfsm_machine *machine = NULL;
    wfsm_instance *writer = NULL, *reader = NULL;
    wfsm_machine_load(&machine, document, sizeof document - 1, NULL, NULL, NULL);
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_instance_start(&writer, machine, START("a", .store = outer), 0, NULL));
    for (uint64_t delay = 1; delay < 5; delay++) {
        spoil(WFSM_TESTKIT_DELAY, delay);
        TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN,
                                wfsm_instance_patch(writer, "{\"x\": 1}", 8, 0, NULL, NULL));
        wfsm_error *error = wfsm_error_new(NULL);
        int32_t status = wfsm_instance_load(&reader, machine, outer, NULL, "a", error);
        TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, status, wfsm_error_message(error));
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_error_status(error));
        wfsm_error_free(error);
        wfsm_instance_free(writer);
        writer = reader;
        reader = NULL;
        while (wfsm_instance_revision(writer) <= delay) { /* it came after the load */
            wfsm_head head = {.size = sizeof head};
            wfsm_store_head(outer, "a", &head, NULL);
            wfsm_instance_free(writer);
            wfsm_instance_load(&writer, machine, outer, NULL, "a", NULL);
        }
        TEST_ASSERT_EQUAL_UINT64(delay + 1, wfsm_instance_revision(writer));
    }
    wfsm_instance_free(writer);
    wfsm_machine_unref(machine);
}

static void a_wrapper_needs_a_store(void)
{
    wfsm_store *made = NULL;
    wfsm_testkit_plan short_plan = {.size = 8};
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_testkit_wrap(NULL, inner, NULL, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_testkit_wrap(&made, NULL, NULL, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_testkit_wrap(&made, inner, &short_plan, NULL));
    TEST_ASSERT_NULL(made);
    TEST_ASSERT_EQUAL_STRING("none", wfsm_testkit_fault_name(99));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_commit_is_spoiled);
    RUN_TEST(a_commit_that_is_delayed_comes_through_later);
    RUN_TEST(what_is_delayed_is_done_when_the_store_is_closed);
    RUN_TEST(without_power_nothing_is_done);
    RUN_TEST(a_reading_fails_before_or_after_its_rows);
    RUN_TEST(a_load_bears_a_commit_in_between);
    RUN_TEST(a_wrapper_needs_a_store);
    return UNITY_END() != 0;
}
