/*
 * The cases of tests/json/cases, in the manner of the public JSON parsing test suites: what every
 * reader accepts, what every reader rejects, and what RFC 8259 leaves to the reader ("either"),
 * with what wfsm does there and why. A case is text, or bytes in hexadecimal.
 */
#include "json_cases.h"

void setUp(void)
{
    support_begin();
}

void tearDown(void)
{
    support_end();
}

static size_t either;

/* The word of a case for what wfsm must do. */
static const char *expected(const json_case *one)
{
    if (strcmp(one->expect, "either") != 0)
        return one->expect;
    TEST_ASSERT_NOT_NULL_MESSAGE(one->wfsm, one->name);
    either++;
    return one->wfsm;
}

/* What was read is written, and that reads and writes as the same. */
static void check_written(const json_case *one, const wf_value *value)
{
    wf_value again;
    size_t length;
    char *first;

    first = wf_arena_text(&arena, json(value), strlen(json(value)));
    length = strlen(first);
    TEST_ASSERT_EQUAL_MESSAGE(WFSM_OK, wf_json_parse(&arena, first, length, &again, error),
                              one->name);
    TEST_ASSERT_TRUE_MESSAGE(wf_value_equal(value, &again), one->name);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(first, json(&again), one->name);
}

static void check_case(const json_case *one, void *user)
{
    const char *expect = expected(one);
    wf_value value;
    int32_t status = wf_json_parse(&arena, one->bytes, one->length, &value, error);

    (void)user;
    TEST_ASSERT_EQUAL_STRING_MESSAGE(expect, status ? "reject" : "accept", one->name);
    if (!status)
        check_written(one, &value);
    else
        TEST_ASSERT_TRUE_MESSAGE(*wfsm_error_message(error), one->name);
}

static void every_case_does_what_it_says(void)
{
    size_t count = json_cases_each(check_case, NULL);

    printf("%zu cases, %zu of them left to the reader\n", count, either);
    TEST_ASSERT_GREATER_THAN(500, count);
    TEST_ASSERT_GREATER_THAN(30, either);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(every_case_does_what_it_says);
    return UNITY_END() != 0;
}
