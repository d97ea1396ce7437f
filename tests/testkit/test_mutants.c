/* The suite reports every store that is wrong, with a message. */
#include "testkit/mutants.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
}

/* The first case that failed, and why. */
static int32_t keep_first(void *user, const wfsm_testkit_result *result)
{
    char *first = user;
    if (result->verdict == WFSM_TESTKIT_FAILED && !*first)
        snprintf(first, 700, "%s: %s", result->name, result->message);
    return WFSM_OK;
}

static wfsm_testkit_counts run(enum mutant mutant, char first[700])
{
    const wfsm_testkit_store_options options = mutant_options(mutant);
    wfsm_testkit_counts counts = {.size = sizeof counts};
    *first = '\0';
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_testkit_store(&options, keep_first, first, &counts, NULL));
    return counts;
}

static void a_right_store_passes(void)
{
    char first[700];
    wfsm_testkit_counts counts = run(RIGHT, first);
    TEST_ASSERT_EQUAL_STRING("", first);
    TEST_ASSERT_EQUAL_UINT64(0, counts.failed);
    TEST_ASSERT_EQUAL_UINT64(7,
                             counts.skipped); /* this store has neither `share` nor `since` */
}

static void every_wrong_store_is_found_out(void)
{
    char first[700];
    for (int mutant = RIGHT + 1; mutant < MUTANTS; mutant++) {
        wfsm_testkit_counts counts = run((enum mutant)mutant, first);
        printf("%s: %" PRIu64 " cases; %s\n", mutant_names[mutant], counts.failed, first);
        TEST_ASSERT_TRUE_MESSAGE(counts.failed > 0, mutant_names[mutant]);
        TEST_ASSERT_TRUE_MESSAGE(counts.passed > 0, mutant_names[mutant]);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(first, ": "), mutant_names[mutant]);
    }
    printf("%d wrong stores, all reported\n", MUTANTS - 1);
}

static int32_t count_result(void *user, const wfsm_testkit_result *result)
{
    int *left = user;
    (void)result;
    return --*left ? WFSM_OK : WFSM_HOST;
}

static void one_case_can_be_asked_for(void)
{
    wfsm_testkit_store_options options = mutant_options(RIGHT);
    wfsm_testkit_counts counts = {.size = sizeof counts};
    options.only = "an_owner_gives_up";
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_testkit_store(&options, NULL, NULL, &counts, NULL));
    TEST_ASSERT_EQUAL_UINT64(1, counts.passed);
    options.only = "no_such_case";
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND,
                            wfsm_testkit_store(&options, NULL, NULL, &counts, NULL));
}

static void a_sink_ends_the_suite(void)
{
    const wfsm_testkit_store_options options = mutant_options(RIGHT);
    int left = 3;
    TEST_ASSERT_EQUAL_INT32(WFSM_HOST,
                            wfsm_testkit_store(&options, count_result, &left, NULL, NULL));
    TEST_ASSERT_EQUAL_INT(0, left);
}

static int32_t cannot_open(void *user, int32_t which, wfsm_store **store, wfsm_error *error)
{
    (void)user, (void)which, (void)store;
    return wfsm_error_set(error, WFSM_IO, "no disk");
}

static void a_store_that_cannot_be_opened_fails_with_its_words(void)
{
    char first[700] = "";
    const wfsm_testkit_store_options options = {.size = sizeof options, .open = cannot_open};
    wfsm_testkit_counts counts = {.size = sizeof counts};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_testkit_store(&options, keep_first, first, &counts, NULL));
    TEST_ASSERT_EQUAL_UINT64(0, counts.passed);
    TEST_ASSERT_NOT_NULL(strstr(first, "the store cannot be opened: IO, no disk"));
}

static void what_is_not_complete_is_refused(void)
{
    wfsm_testkit_store_options options = {.size = sizeof options};
    wfsm_testkit_counts counts = {.size = 3};
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_testkit_store(NULL, NULL, NULL, NULL, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_testkit_store(&options, NULL, NULL, NULL, NULL));
    options.open = cannot_open;
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID,
                            wfsm_testkit_store(&options, NULL, NULL, &counts, NULL));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_right_store_passes);
    RUN_TEST(every_wrong_store_is_found_out);
    RUN_TEST(one_case_can_be_asked_for);
    RUN_TEST(a_sink_ends_the_suite);
    RUN_TEST(a_store_that_cannot_be_opened_fails_with_its_words);
    RUN_TEST(what_is_not_complete_is_refused);
    return UNITY_END() != 0;
}
