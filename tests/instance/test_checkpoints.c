/* Checkpoints are made, listed, restored and deleted: what the record and the store have, and
 * what is refused. The machine is a small version of that of seed 004. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include <wfsm/audit.h>
#include "support.h"
#include "../given.h"

static const char flow[] =
    "{\"wfsm\":1,\"id\":\"flow\",\"initial\":\"IDLE\","
    "\"restore\":{\"from\":[\"ERROR\",\"RECOVERING\"],\"event\":\"RESTORE_CHECKPOINT\"},"
    "\"context\":{\"prompt\":\"\",\"retryCount\":0,\"queue\":[]},"
    "\"states\":{"
    "\"IDLE\":{\"on\":{\"START\":\"ANALYZING\"}},"
    "\"ANALYZING\":{\"invoke\":{\"src\":\"analyst\"},\"on\":{\"DONE\":\"PLANNING\"}},"
    "\"PLANNING\":{\"after\":{\"1000\":\"ERROR\"},"
    "\"on\":{\"PLAN_COMPLETE\":\"BUILDING\"}},"
    "\"BUILDING\":{\"on\":{\"ERROR\":\"ERROR\",\"DONE\":\"COMPLETED\"}},"
    "\"ERROR\":{\"on\":{\"START_RECOVERY\":\"RECOVERING\"}},"
    "\"RECOVERING\":{\"on\":{\"ERROR\":\"ERROR\"}},"
    "\"COMPLETED\":{\"type\":\"final\"}}}";

static wfsm_error *error;
static wfsm_machine *machine;
static wfsm_store *memory;
static wfsm_instance *one;
static int32_t outcome;
static int64_t now;

#define STATUS(status, call)                                                                   \
    TEST_ASSERT_EQUAL_INT32_MESSAGE(status, call, wfsm_error_message(error))
#define OK(call) STATUS(WFSM_OK, call)

void setUp(void)
{
    error = wfsm_error_new(NULL);
    now = 100;
    OK(wfsm_machine_load(&machine, flow, strlen(flow), NULL, NULL, error));
    OK(wfsm_memory_open(&memory, NULL, error));
    OK(wfsm_instance_start(&one, machine, START("one", .store = memory), now, error));
}

void tearDown(void)
{
    wfsm_instance_free(one);
    wfsm_store_free(memory);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
}

static void send(const char *event, int32_t expected)
{
    OK(wfsm_instance_send(one, EVENT(event), now, &outcome, error));
    TEST_ASSERT_EQUAL_INT32_MESSAGE(expected, outcome, event);
}

static void take(const char *event)
{
    send(event, WFSM_TAKEN);
}

static int32_t keep(const char *id, const char *artifacts)
{
    return wfsm_instance_checkpoint(
        one,
        CHECKPOINT(id, .artifacts = artifacts, .length = artifacts ? strlen(artifacts) : 0),
        now, &outcome, error);
}

static int32_t restore(const char *id)
{
    return wfsm_instance_restore(one, FROM(id), now, &outcome, error);
}

static int32_t delete(const char *id)
{
    return wfsm_instance_delete_checkpoint(one, id, now, &outcome, error);
}

static int32_t add_row(void *user, const wfsm_row *row)
{
    char *out = user;
    size_t used = strlen(out);
    snprintf(out + used, 400 - used, "%s@%d%.*s ", row->id, (int)row->revision,
             (int)row->length, row->text);
    return WFSM_OK;
}

static void expect_list(const char *expected)
{
    char text[400] = "";
    OK(wfsm_store_checkpoints(memory, "one", add_row, text, error));
    TEST_ASSERT_EQUAL_STRING(expected, text);
}

static void expect_state(const char *expected)
{
    size_t length;
    TEST_ASSERT_EQUAL_STRING(expected, wfsm_instance_configuration(one, &length));
}

static void expect_in_record(const char *text)
{
    size_t length;
    const char *record = wfsm_instance_record(one, &length);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(record, text), record);
}

static void expect_clean(void)
{
    wfsm_audit_counts counts = {.size = sizeof counts};
    OK(wfsm_store_audit(memory, NULL, NULL, NULL, &counts, error));
    TEST_ASSERT_EQUAL_UINT64(0, counts.diagnostics);
}

/* 004-116, 004-261, 004-361 */
static void test_artifacts_are_in_the_record_and_in_the_listing(void)
{
    take("START");
    OK(keep("c1", " [ \"file1.ts\", \"\\u20ac\" ] "));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    expect_in_record("\"input\":{\"kind\":\"checkpoint\",\"id\":\"c1\","
                     "\"artifacts\":[\"file1.ts\",\"\xE2\x82\xAC\"]}");
    OK(keep("c2", NULL));
    expect_in_record("\"input\":{\"kind\":\"checkpoint\",\"id\":\"c2\"}");
    OK(keep("c3", "[]"));
    expect_in_record("\"input\":{\"kind\":\"checkpoint\",\"id\":\"c3\"}");
    expect_list("c1@3[\"file1.ts\",\"\xE2\x82\xAC\"] c2@4[] c3@5[] ");
    expect_state("[\"ANALYZING\"]");
    expect_clean();
}

static void test_artifacts_that_are_refused(void)
{
    static char long_name[5000], many[5000] = "[";
    const struct {
        const char *artifacts;
        int32_t status;
    } cases[] = {
        {"{}", WFSM_SEMANTIC},
        {"\"file\"", WFSM_SEMANTIC},
        {"[1]", WFSM_SEMANTIC},
        {"[\"\"]", WFSM_SEMANTIC},
        {"[\"a\\u0000b\"]", WFSM_SYNTAX},
        {"[\"a\"", WFSM_SYNTAX},
        {long_name, WFSM_LIMIT},
        {many, WFSM_LIMIT},
    };
    snprintf(long_name, sizeof long_name, "[\"%04096d\"]", 0);
    for (int i = 0; i < 1000; i++)
        strcat(many, "\"a\",");
    strcat(many, "\"a\"]");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        STATUS(cases[i].status, keep("c", cases[i].artifacts));
        TEST_ASSERT_EQUAL_UINT64(1, wfsm_instance_revision(one));
    }
    expect_list("");
    snprintf(long_name, sizeof long_name, "[\"%04095d\"]", 0);
    OK(keep("c", long_name));
    expect_clean();
}

/* 004-271 */
static void test_the_newest_is_restored_without_its_name(void)
{
    take("START");
    OK(keep("c1", NULL));
    take("DONE");
    OK(keep("c2", NULL));
    take("PLAN_COMPLETE");
    OK(keep("c1", NULL));
    take("ERROR");
    OK(restore(""));
    expect_in_record("\"input\":{\"kind\":\"restore\",\"id\":\"c1\",\"revision\":7,"
                     "\"event\":\"RESTORE_CHECKPOINT\",\"snapshot\":{");
    expect_state("[\"BUILDING\"]");
    take("ERROR");
    OK(delete ("c1"));
    OK(restore(""));
    expect_state("[\"PLANNING\"]");
    expect_clean();
}

/* 004-264 */
static void test_what_is_not_there_changes_nothing(void)
{
    OK(keep("c1", NULL));
    take("START");
    take("DONE");
    take("PLAN_COMPLETE");
    take("ERROR");
    char *before = bytes_of(one);
    STATUS(WFSM_NOT_FOUND, restore("none"));
    STATUS(WFSM_NOT_FOUND, delete ("none"));
    STATUS(WFSM_INVALID, delete (""));
    STATUS(WFSM_INVALID, restore(NULL));
    STATUS(WFSM_INVALID, keep("", NULL));
    char *after = bytes_of(one);
    TEST_ASSERT_EQUAL_STRING(before, after);
    free(before);
    free(after);
    OK(delete ("c1"));
    STATUS(WFSM_NOT_FOUND, restore("")); /* 004-387: RECOVERING without any stays */
    STATUS(WFSM_NOT_FOUND, delete ("c1"));
    take("START_RECOVERY");
    expect_clean();
}

/* 004-265, 004-266, 004-267, 004-362 */
static void test_the_restore_rule(void)
{
    take("START");
    take("DONE");
    OK(keep("plan", NULL));
    STATUS(WFSM_DENIED, restore("plan"));
    take("PLAN_COMPLETE");
    STATUS(WFSM_DENIED, restore("plan"));
    take("ERROR");
    take("START_RECOVERY");
    uint64_t revision = wfsm_instance_revision(one);
    OK(restore("plan"));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    TEST_ASSERT_EQUAL_UINT64(revision + 1, wfsm_instance_revision(one));
    expect_in_record("\"from\":[\"RECOVERING\"],\"configuration\":[\"PLANNING\"]");
    take("PLAN_COMPLETE");
    take("ERROR");
    OK(restore("plan")); /* 004-269: and again */
    take("PLAN_COMPLETE");
    send("DONE", WFSM_ENDED);
    TEST_ASSERT_EQUAL_INT32(WFSM_DONE, wfsm_instance_status(one));
    STATUS(WFSM_DENIED, restore("plan"));
    STATUS(WFSM_DENIED, restore(""));
    expect_clean();
}

/* 004-270: as a plain event it is one that nothing handles. */
static void test_the_event_of_the_rule_restores_nothing(void)
{
    take("START");
    OK(keep("c", NULL));
    take("DONE");
    take("PLAN_COMPLETE");
    take("ERROR");
    take("START_RECOVERY");
    send("RESTORE_CHECKPOINT", WFSM_NO_TRANSITION);
    expect_state("[\"RECOVERING\"]");
}

/* 004-263, 004-388: the context of the checkpoint and nothing else. */
static void test_the_whole_context_comes_back(void)
{
    static const char then[] = "{\"prompt\":\"p\",\"gone\":{\"a\":[1]}}";
    static const char later[] =
        "{\"prompt\":\"q\",\"queue\":[1],\"retryCount\":3,\"epic\":{\"id\":7}}";
    size_t length;
    take("START");
    take("DONE");
    OK(wfsm_instance_patch(one, then, strlen(then), now, &outcome, error));
    OK(keep("c", NULL));
    take("PLAN_COMPLETE");
    OK(wfsm_instance_patch(one, later, strlen(later), now, &outcome, error));
    take("ERROR");
    OK(restore("c"));
    TEST_ASSERT_EQUAL_STRING(
        "{\"prompt\":\"p\",\"retryCount\":0,\"queue\":[],\"gone\":{\"a\":[1]}}",
        wfsm_instance_context(one, &length));
    expect_clean();
}

static void test_after_the_end_one_may_only_be_deleted(void)
{
    take("START");
    OK(keep("c", NULL));
    take("DONE");
    take("PLAN_COMPLETE");
    send("DONE", WFSM_ENDED);
    uint64_t revision = wfsm_instance_revision(one);
    OK(keep("late", NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_ENDED, outcome);
    TEST_ASSERT_EQUAL_UINT64(revision, wfsm_instance_revision(one));
    OK(delete ("c"));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    TEST_ASSERT_EQUAL_INT32(WFSM_DONE, wfsm_instance_status(one));
    expect_list("");
    wfsm_instance *again = NULL;
    OK(wfsm_instance_load(&again, machine, memory, NULL, "one", error));
    wfsm_instance_free(again);
    expect_clean();
}

static void test_without_a_store_there_are_none(void)
{
    wfsm_instance_free(one);
    one = NULL;
    OK(wfsm_instance_start(&one, machine, START("one"), now, error));
    STATUS(WFSM_INVALID, keep("c", NULL));
    STATUS(WFSM_INVALID, restore("c"));
    STATUS(WFSM_INVALID, restore(""));
    STATUS(WFSM_INVALID, delete ("c"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_artifacts_are_in_the_record_and_in_the_listing);
    RUN_TEST(test_artifacts_that_are_refused);
    RUN_TEST(test_the_newest_is_restored_without_its_name);
    RUN_TEST(test_what_is_not_there_changes_nothing);
    RUN_TEST(test_the_restore_rule);
    RUN_TEST(test_the_event_of_the_rule_restores_nothing);
    RUN_TEST(test_the_whole_context_comes_back);
    RUN_TEST(test_after_the_end_one_may_only_be_deleted);
    RUN_TEST(test_without_a_store_there_are_none);
    return UNITY_END() != 0;
}
