/* Forks: a new instance begins in the present or an earlier state of another one. It has
 * everything that its replay needs, and the other one does not change. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include <wfsm/audit.h>
#include "support.h"
#include "ids/ids.h"
#include "../given.h"

/* Two regions: one remembers, the other works, waits and tells. */
static const char both[] =
    "{\"wfsm\":1,\"id\":\"both\",\"initial\":\"on\",\"context\":{\"n\":1,\"list\":[[2]]},"
    "\"states\":{\"on\":{\"type\":\"parallel\",\"states\":{"
    "\"left\":{\"initial\":\"a\",\"states\":{\"a\":{\"on\":{\"NEXT\":\"b\"}},\"b\":{},"
    "\"h\":{\"type\":\"history\",\"target\":\"a\"}}},"
    "\"right\":{\"initial\":\"work\",\"states\":{"
    "\"work\":{\"invoke\":{\"src\":\"agent\",\"input\":{\"n\":{\"var\":\"context.n\"}},"
    "\"onDone\":\"rest\"},\"after\":{\"1000\":\"late\"},"
    "\"entry\":{\"type\":\"emit\",\"params\":{\"event\":\"working\"}}},"
    "\"rest\":{},\"late\":{}}}},"
    "\"on\":{\"OFF\":\"off\",\"END\":\"end\",\"TELL\":{\"actions\":{\"type\":\"emit\","
    "\"params\":{\"event\":\"told\"}}}}},"
    "\"off\":{\"on\":{\"ON\":\"on.left.h\"}},\"end\":{\"type\":\"final\"}}}";

static wfsm_error *error;
static wfsm_machine *machine;
static wfsm_store *memory;
#define IDS(text) ids_in(memory, text)
static wfsm_instance *one, *forked;
static int32_t outcome;

#define STATUS(status, call)                                                                   \
    TEST_ASSERT_EQUAL_INT32_MESSAGE(status, call, wfsm_error_message(error))
#define OK(call) STATUS(WFSM_OK, call)

static void load_machine(const char *text)
{
    wfsm_machine_unref(machine);
    machine = NULL;
    OK(wfsm_machine_load(&machine, text, strlen(text), NULL, NULL, error));
}

static void begin(const char *id, int64_t now)
{
    wfsm_instance_free(one);
    one = NULL;
    OK(wfsm_instance_start(&one, machine, START(id, .store = memory), now, error));
}

void setUp(void)
{
    error = wfsm_error_new(NULL);
    OK(wfsm_memory_open(&memory, NULL, error));
    load_machine(both);
    begin("one", 100);
}

void tearDown(void)
{
    wfsm_instance_free(one);
    wfsm_instance_free(forked);
    wfsm_store_free(memory);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    one = forked = NULL;
    machine = NULL;
}

static void send(wfsm_instance *instance, const char *event, const char *id, int64_t now)
{
    OK(wfsm_instance_send(instance, EVENT(event, .id = id), now, &outcome, error));
}

static void keep(const char *id, int64_t now)
{
    OK(wfsm_instance_checkpoint(one, CHECKPOINT(id), now, &outcome, error));
}

static int32_t fork_of(const char *checkpoint, const char *id, int64_t now)
{
    wfsm_instance_free(forked);
    forked = NULL;
    return wfsm_instance_fork(&forked, one, checkpoint ? FROM(checkpoint) : NULL, id, now,
                              error);
}

static void expect_state(wfsm_instance *instance, const char *expected)
{
    size_t length;
    TEST_ASSERT_EQUAL_STRING(expected, wfsm_instance_configuration(instance, &length));
}

static void expect_clean(void)
{
    wfsm_audit_counts counts = {.size = sizeof counts};
    OK(wfsm_store_audit(memory, NULL, NULL, NULL, &counts, error));
    TEST_ASSERT_EQUAL_UINT64(0, counts.diagnostics);
}

static void expect_loads_the_same(const wfsm_instance *instance)
{
    wfsm_instance *again = NULL;
    OK(wfsm_instance_load(&again, NULL, memory, instance->attached->functions,
                          wf_instance_id(instance), error));
    char *left = bytes_of(instance), *right = bytes_of(again);
    TEST_ASSERT_EQUAL_STRING(left, right);
    free(left);
    free(right);
    wfsm_instance_free(again);
}

static void expect_in(const char *text, const char *part)
{
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text, part), text);
}

static void test_a_fork_of_a_checkpoint(void)
{
    size_t length;
    keep("c", 400);
    send(one, "NEXT", NULL, 500);
    OK(wfsm_instance_patch(one, "{\"n\":2,\"more\":1}", 16, 600, &outcome, error));
    OK(fork_of("c", "two", 700));
    expect_state(forked, "[\"on.left.a\",\"on.right.work\"]");
    TEST_ASSERT_EQUAL_STRING("two", wfsm_instance_id(forked));
    TEST_ASSERT_EQUAL_STRING("{\"n\":1,\"list\":[[2]]}",
                             wfsm_instance_context(forked, &length));
    TEST_ASSERT_EQUAL_UINT64(1, wfsm_instance_revision(forked));
    TEST_ASSERT_EQUAL_INT64(700, wfsm_instance_now(forked));
    TEST_ASSERT_EQUAL_INT64(1400, wfsm_instance_deadline(forked)); /* 700 were left */
    expect_in(wfsm_instance_invocations(forked, &length), IDS("\"id\":\"two/1/1\""));
    const char *record = wfsm_instance_record(forked, &length);
    expect_in(record, "\"input\":{\"kind\":\"fork\",\"source\":\"one\",\"revision\":2,"
                      "\"checkpoint\":\"c\",\"snapshot\":{\"format\":1,");
    expect_in(record, "\"outcome\":\"started\"");
    TEST_ASSERT_EQUAL_STRING("[]", wfsm_instance_log(forked, &length)); /* no entry actions */
    expect_loads_the_same(forked);
    OK(wfsm_instance_result(forked, RESULT(IDS("two/1/1"), .output = "1", .length = 1), 800,
                            &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    expect_state(forked, "[\"on.left.a\",\"on.right.rest\"]");
    expect_state(one, "[\"on.left.b\",\"on.right.work\"]");
    expect_clean();
}

static void test_a_fork_of_the_present_state(void)
{
    send(one, "NEXT", NULL, 300);
    OK(fork_of(NULL, "two", 700));
    expect_state(forked, "[\"on.left.b\",\"on.right.work\"]");
    TEST_ASSERT_EQUAL_INT64(1100, wfsm_instance_deadline(forked)); /* as the source's */
    size_t length;
    expect_in(wfsm_instance_record(forked, &length),
              "\"source\":\"one\",\"revision\":2,\"snapshot\":{");
    OK(fork_of(NULL, "three", 200)); /* time does not run back */
    TEST_ASSERT_EQUAL_INT64(300, wfsm_instance_now(forked));
    TEST_ASSERT_EQUAL_INT64(1100, wfsm_instance_deadline(forked));
    OK(fork_of(NULL, "four", 5000)); /* overdue: now */
    TEST_ASSERT_EQUAL_INT64(5000, wfsm_instance_deadline(forked));
    expect_clean();
}

static void test_a_fork_of_the_newest_checkpoint(void)
{
    STATUS(WFSM_NOT_FOUND, fork_of("", "two", 200));
    keep("b", 200);
    send(one, "NEXT", NULL, 300);
    keep("a", 400);
    send(one, "OFF", NULL, 500);
    OK(fork_of("", "two", 600));
    expect_state(forked, "[\"on.left.b\",\"on.right.work\"]");
    size_t length;
    expect_in(wfsm_instance_record(forked, &length), "\"checkpoint\":\"a\"");
    expect_clean();
}

static void test_histories_come_along(void)
{
    send(one, "NEXT", NULL, 200);
    send(one, "OFF", NULL, 300);
    OK(fork_of(NULL, "two", 400));
    send(forked, "ON", NULL, 500);
    expect_state(forked, "[\"on.left.b\",\"on.right.work\"]");
    expect_clean();
}

static int32_t find_origin(void *user, const wfsm_row *row)
{
    *(bool *)user =
        strstr(row->text, "\"origin\":{\"interface\":\"page\",\"sender\":\"ada\"}") != NULL;
    return WFSM_OK;
}

static bool is_by_ada(const char *id, uint64_t revision)
{
    bool found = false;
    OK(wfsm_store_records(memory, id, revision, revision, find_origin, &found, error));
    return found;
}

/* The record says who asked for it, and a replay gives the same. */
static void test_who_asked_for_it(void)
{
    wfsm_restore_point by = {
        .size = sizeof by, .interface = WFSM_INTERFACE_PAGE, .sender = "ada"};
    keep("c", 400);
    STATUS(WFSM_INVALID, wfsm_instance_restore(one, &by, 500, &outcome, error));
    OK(wfsm_instance_fork(&forked, one, &by, "present", 500, error));
    TEST_ASSERT_TRUE(is_by_ada("present", 1));
    by.checkpoint = "c";
    OK(wfsm_instance_restore(one, &by, 500, &outcome, error));
    TEST_ASSERT_TRUE(is_by_ada("one", wfsm_instance_revision(one)));
    wfsm_instance_free(forked);
    OK(wfsm_instance_fork(&forked, one, &by, "past", 500, error));
    TEST_ASSERT_TRUE(is_by_ada("past", 1));
    OK(fork_of("c", "nobody's", 600));
    TEST_ASSERT_FALSE(is_by_ada("nobody's", 1));
    by.sender = "";
    STATUS(WFSM_INVALID, wfsm_instance_restore(one, &by, 600, &outcome, error));
    by.sender = NULL;
    by.interface = 0;
    by.checkpoint = NULL;
    wfsm_instance_free(forked);
    forked = NULL;
    STATUS(WFSM_INVALID, wfsm_instance_fork(&forked, one, &by, "new", 600, error));
    by.interface = 99;
    STATUS(WFSM_INVALID, wfsm_instance_fork(&forked, one, &by, "new", 600, error));
    expect_clean();
}

static void test_outbox_and_event_ids_are_new(void)
{
    const char *effect;
    uint64_t number;
    size_t length;
    send(one, "TELL", "e1", 200);
    OK(fork_of(NULL, "two", 300));
    OK(wfsm_instance_next_effect(forked, &effect, &length, &number, error));
    TEST_ASSERT_NULL(effect);
    send(forked, "TELL", "e1", 400);
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    OK(wfsm_instance_next_effect(forked, &effect, &length, &number, error));
    expect_in(effect, IDS("\"id\":\"two/2/1\""));
    TEST_ASSERT_EQUAL_UINT64(1, number);
    send(forked, "TELL", "e1", 500);
    TEST_ASSERT_EQUAL_INT32(WFSM_DUPLICATE, outcome);
    OK(wfsm_instance_next_effect(one, &effect, &length, &number, error));
    expect_in(effect, IDS("\"id\":\"one/1/1\""));
    expect_clean();
}

/* Head, records and checkpoints as text. */
static int32_t add_row(void *user, const wfsm_row *row)
{
    wf_buffer *out = user;
    wf_buffer_format(out, "%d ", (int)row->revision);
    wf_buffer_add(out, row->text, row->length);
    return WFSM_OK;
}

static char *dump_of(const char *id)
{
    wf_buffer out;
    wfsm_allocator allocator;
    wfsm_head head = {.size = sizeof head};
    wf_allocator_init(&allocator, NULL);
    wf_buffer_init(&out, &allocator);
    OK(wfsm_store_head(memory, id, &head, error));
    wf_buffer_format(&out, "%s '%s' %d %d ", head.token, head.owner, (int)head.revision,
                     (int)head.effects);
    OK(wfsm_store_records(memory, id, 1, UINT64_MAX, add_row, &out, error));
    OK(wfsm_store_checkpoints(memory, id, add_row, &out, error));
    return out.data;
}

static void test_the_source_is_not_changed(void)
{
    keep("c", 200);
    OK(wfsm_store_owner_alive(memory, "other", 10000, error));
    OK(wfsm_store_own(memory, "one", "other", 200, error));
    char *before = dump_of("one"), *state = bytes_of(one);
    OK(fork_of("c", "two", 300));
    OK(fork_of(NULL, "three", 300));
    STATUS(WFSM_EXISTS, fork_of("c", "two", 300));
    STATUS(WFSM_EXISTS, fork_of(NULL, "one", 300));
    STATUS(WFSM_NOT_FOUND, fork_of("none", "four", 300));
    STATUS(WFSM_INVALID, fork_of("c", "", 300));
    STATUS(WFSM_INVALID, fork_of("c", "four", -1));
    TEST_ASSERT_NULL(forked);
    char *after = dump_of("one"), *state_after = bytes_of(one);
    TEST_ASSERT_EQUAL_STRING(before, after);
    TEST_ASSERT_EQUAL_STRING(state, state_after);
    wfsm_head head = {.size = sizeof head};
    STATUS(WFSM_NOT_FOUND, wfsm_store_head(memory, "four", &head, error));
    OK(wfsm_store_head(memory, "two", &head, error));
    TEST_ASSERT_EQUAL_STRING("", head.owner);
    free(before);
    free(after);
    free(state);
    free(state_after);
    expect_clean();
}

/* Everything that it needs is its own. */
static void test_a_fork_outlives_its_source(void)
{
    keep("c", 200);
    OK(fork_of("c", "two", 300));
    OK(wfsm_store_remove(memory, "one", error));
    send(forked, "NEXT", NULL, 400);
    wfsm_instance_free(one);
    one = forked;
    forked = NULL;
    OK(fork_of(NULL, "three", 500));
    keep("d", 600);
    OK(fork_of("d", "four", 700));
    char *dump = dump_of("four");
    expect_in(dump, "\"source\":\"two\"");
    free(dump);
    expect_loads_the_same(forked);
    expect_clean();
}

static void test_after_the_end(void)
{
    keep("c", 200);
    send(one, "END", NULL, 300);
    STATUS(WFSM_DENIED, fork_of(NULL, "two", 400));
    OK(fork_of("c", "two", 400));
    expect_state(forked, "[\"on.left.a\",\"on.right.work\"]");
    expect_clean();
}

/* 004-266: what the document forbids for restoring, it forbids for forking. */
static void test_the_restore_rule(void)
{
    load_machine("{\"wfsm\":1,\"id\":\"flow\",\"initial\":\"WORK\","
                 "\"restore\":{\"from\":\"ERROR\",\"event\":\"RESTORE_CHECKPOINT\"},"
                 "\"states\":{\"WORK\":{\"on\":{\"FAIL\":\"ERROR\"}},"
                 "\"ERROR\":{\"on\":{\"END\":\"END\"}},\"END\":{\"type\":\"final\"}}}");
    begin("flow", 100);
    keep("c", 100);
    STATUS(WFSM_DENIED, fork_of("c", "two", 200));
    STATUS(WFSM_DENIED, fork_of("", "two", 200));
    STATUS(WFSM_DENIED, fork_of(NULL, "two", 200));
    send(one, "FAIL", NULL, 300);
    OK(fork_of("c", "two", 400));
    expect_state(forked, "[\"WORK\"]");
    size_t length;
    expect_in(wfsm_instance_record(forked, &length),
              "\"checkpoint\":\"c\",\"event\":\"RESTORE_CHECKPOINT\",\"snapshot\"");
    OK(fork_of(NULL, "three", 400));
    expect_state(forked, "[\"ERROR\"]");
    send(one, "END", NULL, 500);
    STATUS(WFSM_DENIED, fork_of("c", "four", 600));
    expect_clean();
}

static void test_without_a_store_there_are_none(void)
{
    wfsm_instance_free(one);
    one = NULL;
    OK(wfsm_instance_start(&one, machine, START("one"), 0, error));
    STATUS(WFSM_INVALID, fork_of(NULL, "two", 100));
    STATUS(WFSM_INVALID, wfsm_instance_fork(NULL, one, NULL, "two", 100, error));
    STATUS(WFSM_INVALID, wfsm_instance_fork(&forked, NULL, NULL, "two", 100, error));
}

/* ---- wherever a run that uses everything is ---- */

static wfsm_instance *start_everything(wfsm_functions *functions)
{
    load_machine(everything);
    wfsm_instance_free(one);
    one = NULL;
    OK(wfsm_instance_start(&one, machine, START("all", .store = memory, .functions = functions),
                           0, error));
    return one;
}

static void test_wherever_it_is(void)
{
    wfsm_functions *functions = NULL;
    char id[16];
    int32_t status;
    OK(wfsm_functions_new(&functions, NULL, error));
    OK(add_functions(functions, error));
    start_everything(functions);
    for (int line = 0; line < SCRIPT_LENGTH; line++) {
        snprintf(id, sizeof id, "fork%02d", line);
        status = fork_of(line % 3 == 0 ? "" : NULL, id, line * 200);
        if (status != WFSM_NOT_FOUND && status != WFSM_DENIED) {
            OK(status);
            expect_loads_the_same(forked);
            for (int rest = line; rest < SCRIPT_LENGTH; rest++)
                run_line(forked, rest, &outcome, error);
            expect_loads_the_same(forked);
        }
        OK(run_line(one, line, &outcome, error));
    }
    expect_clean();
    wfsm_instance_free(one);
    wfsm_instance_free(forked);
    one = forked = NULL;
    wfsm_functions_free(functions);
}

/* The state stands deeper in the record of a fork than anywhere else. */
static void test_the_deepest_value(void)
{
    char text[600] = "{\"deep\":";
    for (int i = 0; i < WF_KEPT_DEPTH - 1; i++)
        strcat(text, "[");
    for (int i = 0; i < WF_KEPT_DEPTH - 1; i++)
        strcat(text, "]");
    strcat(text, "}");
    OK(wfsm_instance_patch(one, text, strlen(text), 200, &outcome, error));
    send(one, "TELL", NULL, 300);
    keep("c", 300);
    OK(fork_of("c", "two", 300));
    expect_loads_the_same(forked);
    OK(fork_of(NULL, "three", 300));
    expect_clean();
}

/* ---- failures ---- */

static void test_a_commit_that_fails_makes_no_fork(void)
{
    const int32_t answers[] = {WFSM_STORE_FAILED, WFSM_STORE_UNKNOWN};
    for (size_t i = 0; i < 2; i++) {
        flaky self = {.inner = memory, .answer = answers[i]};
        wfsm_store *store = NULL;
        wfsm_instance *source = NULL;
        wfsm_head head = {.size = sizeof head};
        OK(flaky_open(&store, &self, NULL, error));
        OK(wfsm_instance_load(&source, NULL, store, NULL, "one", error));
        self.fail_at = self.commits + 1;
        STATUS(answers[i], wfsm_instance_fork(&forked, source, NULL, "two", 200, error));
        TEST_ASSERT_NULL(forked);
        STATUS(WFSM_NOT_FOUND, wfsm_store_head(memory, "two", &head, error));
        OK(wfsm_instance_send(source, EVENT("TELL"), 200, &outcome, error));
        wfsm_instance_free(source);
        wfsm_store_free(store);
    }
    expect_clean();
}

/* The n-th allocation fails, for every n: no fork, the source as before, nothing leaks. */
static void test_out_of_memory_anywhere(void)
{
    uint64_t n = 0;
    bool finished = false;
    while (!finished) {
        scarce self = {.fail_at = 0};
        wfsm_allocator allocator = scarce_allocator(&self);
        wfsm_machine *own = NULL;
        wfsm_store *store = NULL;
        wfsm_instance *source = NULL, *fork = NULL;
        wfsm_audit_counts counts = {.size = sizeof counts};
        OK(wfsm_machine_load(&own, both, strlen(both), NULL, &allocator, error));
        OK(wfsm_memory_open(&store, &allocator, error));
        OK(wfsm_instance_start(&source, own, START("one", .store = store), 0, error));
        self.fail_at = self.calls + ++n;
        int32_t calls[6];
        calls[0] = wfsm_instance_checkpoint(
            source, CHECKPOINT("c", .artifacts = "[\"a\"]", .length = 5), 1, &outcome, error);
        calls[1] =
            wfsm_instance_fork(&fork, source, calls[0] ? NULL : FROM(""), "two", 2, error);
        wfsm_instance_free(fork);
        fork = NULL;
        calls[2] = wfsm_instance_fork(&fork, source, NULL, "three", 2, error);
        wfsm_instance_free(fork);
        calls[3] =
            calls[0] ? WFSM_OK : wfsm_instance_restore(source, FROM(""), 3, &outcome, error);
        calls[4] = calls[0] ? WFSM_OK
                            : wfsm_instance_delete_checkpoint(source, "c", 4, &outcome, error);
        calls[5] = wfsm_store_audit(store, NULL, NULL, NULL, &counts, error);
        int failed = 0;
        for (size_t i = 0; i < 6; i++) {
            failed += calls[i] != WFSM_OK;
            if (calls[i] != WFSM_OK)
                TEST_ASSERT_EQUAL_INT32(WFSM_NO_MEMORY, calls[i]);
        }
        finished = self.calls < self.fail_at;
        TEST_ASSERT_EQUAL_INT(finished ? 0 : 1, failed);
        self.fail_at = 0;
        OK(wfsm_store_audit(store, NULL, NULL, NULL, &counts, error));
        TEST_ASSERT_EQUAL_UINT64(0, counts.diagnostics);
        wfsm_instance_free(source);
        wfsm_store_free(store);
        wfsm_machine_unref(own);
        TEST_ASSERT_EQUAL_INT64(0, self.living);
    }
    TEST_ASSERT_GREATER_THAN_UINT64(100, n);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_fork_of_a_checkpoint);
    RUN_TEST(test_a_fork_of_the_present_state);
    RUN_TEST(test_a_fork_of_the_newest_checkpoint);
    RUN_TEST(test_histories_come_along);
    RUN_TEST(test_who_asked_for_it);
    RUN_TEST(test_outbox_and_event_ids_are_new);
    RUN_TEST(test_the_source_is_not_changed);
    RUN_TEST(test_a_fork_outlives_its_source);
    RUN_TEST(test_after_the_end);
    RUN_TEST(test_the_restore_rule);
    RUN_TEST(test_without_a_store_there_are_none);
    RUN_TEST(test_wherever_it_is);
    RUN_TEST(test_the_deepest_value);
    RUN_TEST(test_a_commit_that_fails_makes_no_fork);
    RUN_TEST(test_out_of_memory_anywhere);
    return UNITY_END() != 0;
}
