/* The builder makes the same machine as the document. */
#include <string.h>
#include <unity.h>
#include "documents.h"

static wfsm_builder *builder;
static wfsm_error *error;

void setUp(void)
{
    error = wfsm_error_new(NULL);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_builder_new(&builder, "m", NULL, error));
}

void tearDown(void)
{
    wfsm_builder_free(builder);
    wfsm_error_free(error);
}

static int32_t set(const char *path, const char *key, const char *json)
{
    return wfsm_builder_set(builder, path, key, json, strlen(json), error);
}

static int32_t on(const char *path, const char *event, const char *json)
{
    return wfsm_builder_on(builder, path, event, json, strlen(json), error);
}

static int32_t state(const char *path, const char *type)
{
    return wfsm_builder_state(builder, path, type, error);
}

static void ok(int32_t status)
{
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, status, wfsm_error_message(error));
}

static void test_same_as_the_document(void)
{
    wfsm_machine *built = NULL;
    wfsm_machine *loaded = load_quoted(
        "{'id':'m','context':{'n':1},'initial':'work','on':{'stop':['end']},'states':{"
        "'work':{'initial':'a','states':{'a':{'on':{'go':[{'target':'b','guard':'g'},"
        "'#z'],'x.*':['b']}},'b':{'id':'z'},'h':{'type':'history','history':'deep'}}},"
        "'p':{'type':'parallel','states':{'r':{}}},"
        "'end':{'type':'final','tags':['terminal']}}}");

    ok(state("work", NULL));
    ok(state("p", "parallel"));
    ok(state("end", "final"));
    ok(set("", "context", "{\"n\":2}"));
    ok(set("", "initial", "\"work\""));
    ok(set("", "context", "{\"n\":1}"));
    ok(on("", "stop", "\"end\""));
    ok(state("work.a", NULL));
    ok(state("p.r", NULL));
    ok(set("work", "initial", "\"a\""));
    ok(on("work.a", "go", "{\"target\":\"b\",\"guard\":\"g\"}"));
    ok(on("work.a", "x.*", "\"b\""));
    ok(on("work.a", "go", "\"#z\""));
    ok(state("work.b", NULL));
    ok(set("work.b", "id", "\"z\""));
    ok(state("work.h", "history"));
    ok(set("work.h", "history", "\"deep\""));
    ok(set("end", "tags", "[\"terminal\"]"));
    ok(wfsm_builder_machine(builder, &built, error));
    TEST_ASSERT_EQUAL_STRING(wfsm_machine_document(loaded, NULL),
                             wfsm_machine_document(built, NULL));
    TEST_ASSERT_EQUAL_STRING(wfsm_machine_fingerprint(loaded), wfsm_machine_fingerprint(built));
    wfsm_machine_unref(built);
    wfsm_machine_unref(loaded);
}

static void test_stays_usable(void)
{
    wfsm_machine *first = NULL, *second = NULL;

    TEST_ASSERT_EQUAL_INT32(WFSM_SEMANTIC, wfsm_builder_machine(builder, &first, error));
    TEST_ASSERT_NULL(first);
    ok(state("a", NULL));
    ok(wfsm_builder_machine(builder, &first, error));
    ok(state("b", NULL));
    ok(wfsm_builder_machine(builder, &second, error));
    TEST_ASSERT_EQUAL_size_t(2, wfsm_machine_state_count(first));
    TEST_ASSERT_EQUAL_size_t(3, wfsm_machine_state_count(second));
    wfsm_machine_unref(first);
    wfsm_machine_unref(second);
}

static void test_refusals(void)
{
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, state("a.b", NULL));
    ok(state("a", NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_EXISTS, state("a", NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, state("", NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, state("a.", NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, state(".a", NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, state("b", "compound"));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, state("\xff", NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, set("b", "entry", "[]"));
    TEST_ASSERT_EQUAL_INT32(WFSM_SYNTAX, set("a", "entry", "[}"));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, set("a", "states", "{}"));
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, on("b", "e", "\"a\""));
    ok(on("a", "e", "\"a\""));
    TEST_ASSERT_EQUAL_INT32(WFSM_EXISTS, set("a", "on", "{}"));
    ok(set("", "on", "{}"));
    TEST_ASSERT_EQUAL_INT32(WFSM_EXISTS, on("", "e", "\"a\""));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_builder_machine(builder, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_builder_new(NULL, "m", NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_builder_state(NULL, "a", NULL, error));
    wfsm_builder_free(NULL);
}

/* The text is the builder's own, so that an error has a pointer, but no line. */
static void test_errors_have_a_pointer(void)
{
    wfsm_machine *machine = NULL;

    ok(state("a", NULL));
    ok(on("a", "e", "\"nowhere\""));
    TEST_ASSERT_EQUAL_INT32(WFSM_SEMANTIC, wfsm_builder_machine(builder, &machine, error));
    TEST_ASSERT_EQUAL_STRING("/states/a/on/e/0", wfsm_error_pointer(error));
    TEST_ASSERT_EQUAL_INT32(0, wfsm_error_line(error));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_same_as_the_document);
    RUN_TEST(test_stays_usable);
    RUN_TEST(test_refusals);
    RUN_TEST(test_errors_have_a_pointer);
    return UNITY_END() != 0;
}
