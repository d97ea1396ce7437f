/* Budgets and failures: what is used stays used after every input; reports besides answers are
 * checked, also stored ones. */
#include <stdio.h>
#include <string.h>
#include <unity.h>
#include <wfsm/audit.h>
#include "support.h"
#include "ids/ids.h"
#include "../given.h"

static const char one[] =
    "{\"wfsm\":1,\"id\":\"m\",\"version\":\"1\",\"initial\":\"a\",\"budgets\":{"
    "\"tokens\":{\"limit\":10},\"claims\":{\"limit\":3,\"counts\":\"claims\"},"
    "\"wall\":{\"limit\":5000,\"counts\":\"time\"}},"
    "\"states\":{\"a\":{\"invoke\":{\"src\":\"x\",\"id\":\"job\",\"onDone\":\"a\",\"onError\":"
    "\"b\"},"
    "\"on\":{\"error.budget.*\":\"c\"}},\"b\":{\"on\":{\"GO\":\"a\"}},\"c\":{}}}";
static const char two[] =
    "{\"wfsm\":1,\"id\":\"m\",\"version\":\"2\",\"migrate\":[{}],\"initial\":\"a\",\"budgets\":"
    "{"
    "\"rounds\":{\"limit\":1,\"counts\":{\"states\":\"a\"}},\"tokens\":{\"limit\":20}},"
    "\"states\":{\"a\":{\"invoke\":{\"src\":\"x\",\"id\":\"job\"}},\"b\":{\"on\":{\"GO\":\"a\"}"
    "},"
    "\"c\":{}}}";

static wfsm_error *error;
static wfsm_machine *machine;
static wfsm_store *memory;
#define IDS(text) ids_in(memory, text)
static wfsm_instance *task;
static int32_t outcome;

#define STATUS(status, call)                                                                   \
    TEST_ASSERT_EQUAL_INT32_MESSAGE(status, call, wfsm_error_message(error))
#define OK(call) STATUS(WFSM_OK, call)

static wfsm_machine *load(const char *text)
{
    wfsm_machine *made = NULL;
    OK(wfsm_machine_load(&made, text, strlen(text), NULL, NULL, error));
    return made;
}

void setUp(void)
{
    error = wfsm_error_new(NULL);
    OK(wfsm_memory_open(&memory, NULL, error));
    machine = load(one);
    OK(wfsm_instance_start(&task, machine, START("t", .store = memory), 100, error));
}

static void expect_clean(void)
{
    wfsm_audit_counts counts = {.size = sizeof counts};
    OK(wfsm_store_audit(memory, NULL, NULL, NULL, &counts, error));
    TEST_ASSERT_EQUAL_UINT64(0, counts.diagnostics);
}

void tearDown(void)
{
    expect_clean();
    wfsm_instance_free(task);
    wfsm_store_free(memory);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    task = NULL;
}

static void expect_budgets(wfsm_instance *instance, int64_t now, const char *expected)
{
    size_t length;
    TEST_ASSERT_EQUAL_STRING(expected, wfsm_instance_budgets(instance, now, &length));
}

static void claim(const char *id, int64_t now)
{
    OK(wfsm_instance_claim(task, id, "me", now, &outcome, error));
}

static void fail(const char *id, const char *usage, int64_t now)
{
    wfsm_report report = {.size = sizeof report, .usage = usage, .usage_length = strlen(usage)};
    OK(wfsm_instance_failure(
        task, FAILURE(id, .failure_class = "exit", .message = "code 7", .report = &report), now,
        &outcome, error));
}

static void test_a_report_is_checked(void)
{
    static const char *const wrong[] = {"[]", "{\"a\":-1}", "{\"a\":0.5}", "{\"a\":\"1\"}",
                                        "{\"a\":1e300}"};
    wfsm_report report = {.size = sizeof report};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        report.usage = wrong[i];
        report.usage_length = strlen(wrong[i]);
        STATUS(WFSM_INVALID,
               wfsm_instance_result(
                   task, RESULT(IDS("t/1/1"), .output = "1", .length = 1, .report = &report),
                   200, &outcome, error));
    }
    report = (wfsm_report){.size = sizeof report, .retry_after = -1};
    STATUS(WFSM_INVALID,
           wfsm_instance_failure(
               task, FAILURE(IDS("t/1/1"), .failure_class = "exit", .report = &report), 200,
               &outcome, error));
    report = (wfsm_report){.size = sizeof report, .signature = ""};
    STATUS(WFSM_INVALID,
           wfsm_instance_failure(
               task, FAILURE(IDS("t/1/1"), .failure_class = "exit", .report = &report), 200,
               &outcome, error));
    report = (wfsm_report){.size = 3};
    STATUS(WFSM_INVALID,
           wfsm_instance_failure(
               task, FAILURE(IDS("t/1/1"), .failure_class = "exit", .report = &report), 200,
               &outcome, error));
    TEST_ASSERT_EQUAL_UINT64(1, wfsm_instance_revision(task));
}

static void test_a_restore_gives_nothing_back(void)
{
    OK(wfsm_instance_checkpoint(task, CHECKPOINT("c"), 150, &outcome, error));
    claim(IDS("t/1/1"), 200);
    fail(IDS("t/1/1"), "{\"tokens\":4}", 300);
    OK(wfsm_instance_restore(task, FROM("c"), 400, &outcome, error));
    expect_budgets(task, 400,
                   "{\"tokens\":{\"used\":4,\"limit\":10,\"left\":6},"
                   "\"claims\":{\"used\":1,\"limit\":3,\"left\":2},"
                   "\"wall\":{\"used\":300,\"limit\":5000,\"left\":4700}}");
    TEST_ASSERT_EQUAL_STRING(
        "[{\"invoke\":\"job\",\"signature\":\"exit: code #\",\"count\":1}]",
        wfsm_instance_failures(task, NULL));
    claim(IDS("t/5/1"), 500);
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    fail(IDS("t/5/1"), "{\"tokens\":4}", 600);
    OK(wfsm_instance_restore(task, FROM("c"), 700, &outcome, error));
    claim(IDS("t/8/1"), 800);
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    fail(IDS("t/8/1"), "{\"tokens\":4}", 900);
    /* All three attempts are used, and the tokens overdrawn: the restore says so. */
    OK(wfsm_instance_restore(task, FROM("c"), 1000, &outcome, error));
    TEST_ASSERT_EQUAL_STRING("[\"c\"]", wfsm_instance_configuration(task, NULL));
}

static void test_a_fork_of_a_checkpoint_goes_on_with_what_is_left_now(void)
{
    wfsm_instance *fork = NULL;
    OK(wfsm_instance_checkpoint(task, CHECKPOINT("c"), 150, &outcome, error));
    claim(IDS("t/1/1"), 200);
    fail(IDS("t/1/1"), "{\"tokens\":9}", 300);
    OK(wfsm_instance_fork(&fork, task, FROM("c"), "f", 400, error));
    expect_budgets(fork, 400,
                   "{\"tokens\":{\"used\":9,\"limit\":10,\"left\":1},"
                   "\"claims\":{\"used\":1,\"limit\":3,\"left\":2},"
                   "\"wall\":{\"used\":300,\"limit\":5000,\"left\":4700}}");
    wfsm_instance_free(fork);
    fork = NULL;
    OK(wfsm_instance_fork(&fork, task, NULL, "g", 500, error));
    TEST_ASSERT_EQUAL_STRING(
        "[{\"invoke\":\"job\",\"signature\":\"exit: code #\",\"count\":1}]",
        wfsm_instance_failures(fork, NULL));
    wfsm_instance_free(fork);
    fork = NULL;
    OK(wfsm_instance_load(&fork, machine, memory, NULL, "f", error));
    expect_budgets(fork, 400,
                   "{\"tokens\":{\"used\":9,\"limit\":10,\"left\":1},"
                   "\"claims\":{\"used\":1,\"limit\":3,\"left\":2},"
                   "\"wall\":{\"used\":300,\"limit\":5000,\"left\":4700}}");
    wfsm_instance_free(fork);
}

static void test_a_migration_keeps_what_is_used(void)
{
    wfsm_machine *later = load(two);
    claim(IDS("t/1/1"), 200);
    fail(IDS("t/1/1"), "{\"tokens\":9}", 300);
    OK(wfsm_instance_migrate(&task, later, NULL, 400, &outcome, error));
    expect_budgets(task, 400,
                   "{\"rounds\":{\"used\":0,\"limit\":1,\"left\":1},"
                   "\"tokens\":{\"used\":9,\"limit\":20,\"left\":11}}");
    TEST_ASSERT_EQUAL_STRING(
        "[{\"invoke\":\"job\",\"signature\":\"exit: code #\",\"count\":1}]",
        wfsm_instance_failures(task, NULL));
    wfsm_machine_unref(later);
}

static void test_a_claim_beyond_the_budget_is_refused(void)
{
    for (int i = 0; i < 3; i++) {
        char id[32];
        snprintf(id, sizeof id, "t/%d/1", 1 + 3 * i);
        claim(IDS(id), 200);
        TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
        fail(IDS(id), "{}", 200);
        OK(wfsm_instance_send(task, EVENT("GO"), 200, &outcome, error));
    }
    TEST_ASSERT_EQUAL_STRING("[\"c\"]", wfsm_instance_configuration(task, NULL));
}

static void test_a_refused_claim_changes_nothing(void)
{
    static const char poor[] =
        "{\"wfsm\":1,\"id\":\"p\",\"initial\":\"a\",\"budgets\":{\"claims\":{\"limit\":0,"
        "\"counts\":\"claims\"}},\"states\":{\"a\":{\"invoke\":{\"src\":\"x\"}}}}";
    wfsm_machine *made = load(poor);
    wfsm_instance *instance = NULL;
    OK(wfsm_instance_start(&instance, made, START("p", .store = memory), 0, error));
    OK(wfsm_instance_claim(instance, IDS("p/1/1"), "me", 1, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_BLOCKED, outcome);
    TEST_ASSERT_EQUAL_UINT64(1, wfsm_instance_revision(instance));
    TEST_ASSERT_EQUAL_INT64(WFSM_NEVER, wfsm_instance_deadline(instance));
    wfsm_instance_free(instance);
    wfsm_machine_unref(made);
}

static void test_long_signatures_differ_by_their_ends(void)
{
    char text[600];
    wfsm_report report = {.size = sizeof report, .signature = text};
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    OK(wfsm_instance_failure(task,
                             FAILURE(IDS("t/1/1"), .failure_class = "exit", .report = &report),
                             200, &outcome, error));
    const wf_repeat *found = wf_repeat_at(&task->snapshot.extras->repeats, 0);
    TEST_ASSERT_LESS_THAN_size_t(WF_SIGNATURE_BYTES, found->signature.length);
    char first[WF_SIGNATURE_BYTES];
    memcpy(first, found->signature.as.text, found->signature.length + 1);
    OK(wfsm_instance_send(task, EVENT("GO"), 200, &outcome, error));
    text[sizeof text - 2] = 'y';
    OK(wfsm_instance_failure(task,
                             FAILURE(IDS("t/3/1"), .failure_class = "exit", .report = &report),
                             200, &outcome, error));
    TEST_ASSERT_EQUAL_UINT32(1, wf_repeat_at(&task->snapshot.extras->repeats, 0)->count);
    found = wf_repeat_at(&task->snapshot.extras->repeats, 0);
    TEST_ASSERT_TRUE(strcmp(first, found->signature.as.text) != 0);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_report_is_checked);
    RUN_TEST(test_a_restore_gives_nothing_back);
    RUN_TEST(test_a_fork_of_a_checkpoint_goes_on_with_what_is_left_now);
    RUN_TEST(test_a_migration_keeps_what_is_used);
    RUN_TEST(test_a_claim_beyond_the_budget_is_refused);
    RUN_TEST(test_a_refused_claim_changes_nothing);
    RUN_TEST(test_long_signatures_differ_by_their_ends);
    return UNITY_END() != 0;
}
