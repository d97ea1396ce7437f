/* Structs of the testkit. */
#include <stdbool.h>
#include <wfsm/testkit.h>
#include "sizes.h"

static int32_t open_memory(void *user, int32_t which, wfsm_store **made, wfsm_error *error)
{
    (void)user, (void)which;
    return wfsm_memory_open(made, NULL, error);
}

static int32_t no_result(void *user, const wfsm_testkit_result *result)
{
    (void)user;
    TEST_ASSERT_EQUAL(sizeof *result, result->size);
    return WFSM_OK;
}

static const wfsm_testkit_store_options one_case = {.size = sizeof one_case,
                                                    .open = open_memory,
                                                    .only =
                                                        "a_batch_of_refusals_changes_nothing"};

static int32_t take_store_options(const void *given)
{
    return wfsm_testkit_store(given, no_result, NULL, NULL, NULL);
}

static int32_t give_counts(void *to)
{
    return wfsm_testkit_store(&one_case, NULL, NULL, to, NULL);
}

static int32_t take_plan(const void *given)
{
    wfsm_store *made = NULL;
    wfsm_testkit_plan *plan = (void *)(uintptr_t)given;
    int32_t status = wfsm_testkit_wrap(&made, store, plan, NULL);
    if (status == WFSM_OK)
        wfsm_store_free(made);
    return status;
}

static const wfsm_testkit_input line = {
    .size = sizeof line, .kind = WFSM_TESTKIT_EVENT, .name = "E"};
static const wfsm_testkit_input *lines[] = {&line};

/* A store in memory loses everything with its handle, which the testkit has to report. */
static int32_t open_new(void *user, wfsm_store **made, wfsm_error *error)
{
    (void)user;
    return wfsm_memory_open(made, NULL, error);
}

static bool violated;

static int32_t see_violation(void *user, const wfsm_testkit_violation *violation)
{
    (void)user;
    TEST_ASSERT_EQUAL(sizeof *violation, violation->size);
    violated = true;
    return WFSM_OK;
}

static wfsm_testkit_crash_options play(void)
{
    return (wfsm_testkit_crash_options){.size = sizeof(wfsm_testkit_crash_options),
                                        .machine = machine,
                                        .inputs = lines,
                                        .count = 1,
                                        .open = open_new,
                                        .violated = see_violation};
}

static int32_t take_crash_options(const void *given)
{
    return wfsm_testkit_crash(given, NULL, NULL);
}

static int32_t give_crash_counts(void *to)
{
    wfsm_testkit_crash_options options = play();
    return wfsm_testkit_crash(&options, to, NULL);
}

static int32_t take_input(const void *given)
{
    lines[0] = given;
    wfsm_testkit_crash_options options = play();
    int32_t status = wfsm_testkit_crash(&options, NULL, NULL);
    lines[0] = &line;
    return status;
}

static int32_t no_note(void *user, uint64_t revision, uint64_t effect)
{
    (void)user, (void)revision, (void)effect;
    return WFSM_OK;
}

static int32_t take_witness(const void *given)
{
    wfsm_testkit_crash_options options = play();
    return wfsm_testkit_resume(&options, (void *)(uintptr_t)given, NULL, NULL);
}

static void structs_of_the_testkit(void)
{
    wfsm_testkit_crash_options options = play();
    takes("wfsm_testkit_store_options", take_store_options, &one_case, sizeof one_case,
          sizeof one_case);
    gives("wfsm_testkit_counts", give_counts, sizeof(wfsm_testkit_counts), NO_MORE);
    TAKES(wfsm_testkit_plan, take_plan, ALL(wfsm_testkit_plan), .fault = 0);
    takes("wfsm_testkit_crash_options", take_crash_options, &options, sizeof options,
          sizeof options);
    gives("wfsm_testkit_crash_counts", give_crash_counts, sizeof(wfsm_testkit_crash_counts),
          NO_MORE);
    TEST_ASSERT_TRUE(violated);
    takes("wfsm_testkit_input", take_input, &line, sizeof line, sizeof line);
    TAKES(wfsm_testkit_witness, take_witness, ALL(wfsm_testkit_witness), .note = no_note);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(structs_of_the_testkit);
    return UNITY_END() != 0;
}
