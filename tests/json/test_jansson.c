/* wfsm/jansson.h: an agent that reads and answers json_t, questions as json_t, and values that
 * jansson cannot write. */
#include <stdbool.h>
#include <string.h>
#include <unity.h>
#include <wfsm/jansson.h>

static const char document[] =
    "{\"id\":\"review\",\"initial\":\"waiting\",\"context\":{\"text\":\"\",\"marks\":[]},"
    "\"states\":{\"waiting\":{\"on\":{\"text\":{\"target\":\"review\",\"actions\":"
    "{\"type\":\"assign\",\"params\":{\"text\":{\"var\":\"event.data.text\"}}}}}},"
    "\"review\":{\"invoke\":{\"src\":\"reviewer\",\"input\":{\"text\":{\"var\":"
    "\"context.text\"}},\"onDone\":{\"target\":\"end\",\"actions\":{\"type\":\"assign\","
    "\"params\":{\"marks\":{\"var\":\"event.data.marks\"}}}}}},"
    "\"end\":{\"type\":\"final\"}}}";

static wfsm_store *store;
static wfsm_engine *engine;
static wfsm_error *error;
static bool later; /* the reviewer gives its answer by id */

static int32_t review(void *user, wfsm_call *call)
{
    json_t *input = wfsm_call_json(call, wfsm_call_input), *answer;
    int32_t status;

    (void)user;
    if (later) {
        json_decref(input);
        return WFSM_OK;
    }
    answer = json_pack("{s:[i,i], s:O}", "marks", 1, 2, "text", json_object_get(input, "text"));
    status = wfsm_call_done_json(call, answer);
    json_decref(answer);
    json_decref(input);
    return status;
}

void setUp(void)
{
    wfsm_engine_options options = {.size = sizeof options, .session = "test"};
    wfsm_machine *machine = NULL;

    later = false;
    error = wfsm_error_new(NULL);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_memory_open(&store, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_new(&engine, store, &options, error));
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_machine_load(&machine, document, strlen(document), NULL, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_add_machine(engine, machine, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_add_agent(engine, "reviewer", review, NULL, error));
    wfsm_machine_unref(machine);
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    wfsm_error_free(error);
}

static void check_context(const char *expected)
{
    wfsm_instance *instance = wfsm_engine_instance(engine, "one");
    json_t *context = wfsm_instance_json(instance, wfsm_instance_context);
    json_t *same = json_loads(expected, 0, NULL);

    TEST_ASSERT_NOT_NULL(context);
    TEST_ASSERT_TRUE_MESSAGE(json_equal(context, same), expected);
    json_decref(context);
    json_decref(same);
}

static int32_t send(const json_t *data, int64_t now, int32_t *outcome)
{
    const wfsm_json_event event = {.size = sizeof event, .name = "text", .data = data};

    return wfsm_engine_send_json(engine, "one", &event, now, outcome, error);
}

static void start_and_send(void)
{
    json_t *input = json_pack("{s:[]}", "marks"),
           *data = json_pack("{s:s}", "text", "caf\u00e9");
    int32_t outcome = 0;

    TEST_ASSERT_EQUAL(WFSM_OK,
                      wfsm_engine_start_json(engine, "review", "one", input, 1000, error));
    TEST_ASSERT_EQUAL(WFSM_OK, send(data, 1001, &outcome));
    TEST_ASSERT_EQUAL(WFSM_TAKEN, outcome);
    while (wfsm_engine_deadline(engine) <= 1002)
        TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_run(engine, 1002, error));
    json_decref(input);
    json_decref(data);
}

static void an_agent_reads_and_answers_values(void)
{
    start_and_send();
    check_context("{\"text\":\"caf\u00e9\",\"marks\":[1,2]}");
}

static void an_answer_may_come_by_id(void)
{
    json_t *answer = json_pack("{s:[f,b,n]}", "marks", 0.1, 1), *list;
    int32_t outcome = 0;

    later = true;
    start_and_send();
    list = wfsm_instance_json(wfsm_engine_instance(engine, "one"), wfsm_instance_invocations);
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_engine_result_json(
                     engine, json_string_value(json_object_get(json_array_get(list, 0), "id")),
                     answer, 1003, &outcome, error));
    TEST_ASSERT_EQUAL(WFSM_ENDED, outcome);
    check_context("{\"text\":\"caf\u00e9\",\"marks\":[0.1,true,null]}");
    json_decref(list);
    json_decref(answer);
}

/* No data is null; no input leaves the context of the document. */
static void null_is_no_json_at_all(void)
{
    int32_t outcome = 0;

    TEST_ASSERT_EQUAL(WFSM_OK,
                      wfsm_engine_start_json(engine, "review", "one", NULL, 1000, error));
    TEST_ASSERT_EQUAL(WFSM_OK, send(NULL, 1001, &outcome));
    check_context("{\"text\":null,\"marks\":[]}");
    TEST_ASSERT_NULL(wfsm_json_value(NULL, 0));
}

static void a_value_that_cannot_be_written_is_invalid(void)
{
    json_t *bad = json_pack("{s:o}", "text", json_string_nocheck("\xff"));
    int32_t outcome = 0;

    TEST_ASSERT_EQUAL(WFSM_INVALID,
                      wfsm_engine_start_json(engine, "review", "one", bad, 1000, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_error_status(error));
    TEST_ASSERT_EQUAL_STRING("expected a json_t that jansson can write as UTF-8 text",
                             wfsm_error_message(error));
    start_and_send();
    TEST_ASSERT_EQUAL(WFSM_INVALID, send(bad, 1002, &outcome));
    TEST_ASSERT_EQUAL(0, outcome);
    TEST_ASSERT_EQUAL(WFSM_INVALID,
                      wfsm_engine_result_json(engine, "one/2/1", bad, 1003, &outcome, error));
    json_decref(bad);
}

/* What text may not have, a value may not have either. */
static void integers_beyond_doubles_are_refused(void)
{
    json_t *input = json_pack("{s:I}", "text", (json_int_t)9007199254740993);

    TEST_ASSERT_EQUAL(WFSM_SEMANTIC,
                      wfsm_engine_start_json(engine, "review", "one", input, 1000, error));
    json_decref(input);
}

/* An instance without an engine, in memory only. */
static wfsm_instance *started(const json_t *input, int32_t expected)
{
    const wfsm_start_options options = {
        .size = sizeof options, .id = "by hand", .input = "not read", .length = 8};
    wfsm_instance *instance = NULL;
    wfsm_machine *machine = NULL;

    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_machine_load(&machine, document, strlen(document), NULL, NULL, error));
    TEST_ASSERT_EQUAL(
        expected, wfsm_instance_start_json(&instance, machine, &options, input, 1000, error));
    wfsm_machine_unref(machine);
    return instance;
}

static void expect_context(wfsm_instance *instance, const char *expected)
{
    json_t *context = wfsm_instance_json(instance, wfsm_instance_context);
    json_t *same = json_loads(expected, 0, NULL);

    TEST_ASSERT_TRUE_MESSAGE(json_equal(context, same), expected);
    json_decref(context);
    json_decref(same);
}

static void an_instance_takes_values_without_an_engine(void)
{
    json_t *value = json_pack("{s:s}", "text", "a"), *marks = json_pack("{s:[i]}", "marks", 7);
    const wfsm_json_event event = {.size = sizeof event, .name = "text", .data = value};
    const wfsm_json_result result = {
        .size = sizeof result, .invocation = "by hand/3/1", .output = marks};
    wfsm_instance *instance = started(marks, WFSM_OK);
    int32_t outcome = 0;

    expect_context(instance, "{\"text\":\"\",\"marks\":[7]}");
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_instance_patch_json(instance, value, 1001, NULL, error));
    expect_context(instance, "{\"text\":\"a\",\"marks\":[7]}");
    TEST_ASSERT_EQUAL(WFSM_OK,
                      wfsm_instance_send_json(instance, &event, 1002, &outcome, error));
    TEST_ASSERT_EQUAL(WFSM_TAKEN, outcome);
    TEST_ASSERT_EQUAL(WFSM_OK,
                      wfsm_instance_result_json(instance, &result, 1003, &outcome, error));
    TEST_ASSERT_EQUAL(WFSM_ENDED, outcome);
    wfsm_instance_free(instance);
    json_decref(value);
    json_decref(marks);
}

static void without_values_there_is_no_json(void)
{
    const wfsm_json_event event = {.size = sizeof event, .name = "text"};
    const wfsm_json_result result = {.size = sizeof result, .invocation = "by hand/2/1"};
    wfsm_instance *instance = started(NULL, WFSM_OK);
    int32_t outcome = 0;

    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_instance_send_json(instance, &event, 1, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_OK,
                      wfsm_instance_result_json(instance, &result, 2, &outcome, error));
    TEST_ASSERT_EQUAL(WFSM_ENDED, outcome);
    expect_context(instance, "{\"text\":null,\"marks\":null}");
    wfsm_instance_free(instance);
}

/* The instance, and the outcome, are as they were. */
static void an_instance_refuses_what_cannot_be_written(void)
{
    json_t *bad = json_pack("{s:o}", "text", json_string_nocheck("\xff"));
    const wfsm_json_event event = {.size = sizeof event, .name = "text", .data = bad};
    const wfsm_json_result result = {
        .size = sizeof result, .invocation = "by hand/1/1", .output = bad};
    wfsm_instance *instance;
    int32_t outcome = 99;

    TEST_ASSERT_NULL(started(bad, WFSM_INVALID));
    TEST_ASSERT_EQUAL_STRING("expected a json_t that jansson can write as UTF-8 text",
                             wfsm_error_message(error));
    instance = started(NULL, WFSM_OK);
    TEST_ASSERT_EQUAL(WFSM_INVALID,
                      wfsm_instance_send_json(instance, &event, 1001, &outcome, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID,
                      wfsm_instance_result_json(instance, &result, 1002, &outcome, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID,
                      wfsm_instance_patch_json(instance, bad, 1003, &outcome, error));
    TEST_ASSERT_EQUAL(99, outcome);
    TEST_ASSERT_EQUAL_UINT64(1, wfsm_instance_revision(instance));
    wfsm_instance_free(instance);
    json_decref(bad);
}

static void a_struct_without_a_size_is_invalid(void)
{
    const wfsm_json_event event = {.name = "text"};
    const wfsm_json_result result = {.invocation = "by hand/1/1"};
    wfsm_instance *instance = started(NULL, WFSM_OK);

    TEST_ASSERT_EQUAL(WFSM_INVALID,
                      wfsm_instance_start_json(&instance, NULL, NULL, NULL, 0, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_instance_send_json(instance, &event, 0, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_instance_send_json(instance, NULL, 0, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID,
                      wfsm_engine_send_json(engine, "one", &event, 0, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID,
                      wfsm_instance_result_json(instance, &result, 0, NULL, error));
    TEST_ASSERT_EQUAL_STRING("expected a struct with its size set", wfsm_error_message(error));
    wfsm_instance_free(instance);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(an_agent_reads_and_answers_values);
    RUN_TEST(an_answer_may_come_by_id);
    RUN_TEST(null_is_no_json_at_all);
    RUN_TEST(a_value_that_cannot_be_written_is_invalid);
    RUN_TEST(integers_beyond_doubles_are_refused);
    RUN_TEST(an_instance_takes_values_without_an_engine);
    RUN_TEST(without_values_there_is_no_json);
    RUN_TEST(an_instance_refuses_what_cannot_be_written);
    RUN_TEST(a_struct_without_a_size_is_invalid);
    return UNITY_END() != 0;
}
