/* The library call: its arguments, its results, and running out of memory anywhere. Its
 * diagnostics are tested in tests/cases/verify. */
#include <stdio.h>
#include <string.h>
#include <unity.h>
#include <wfsm/verify.h>
#include "failing_allocator.h"

static const char approval[] =
    "{\"id\":\"m\",\"initial\":\"building\",\"context\":{\"n\":0,\"note\":\"\"},\"states\":{"
    "\"building\":{\"invoke\":{\"src\":\"builder\",\"output\":{\"type\":\"object\","
    "\"required\":[\"ok\"],\"properties\":{\"ok\":{\"type\":\"boolean\"}}},"
    "\"onDone\":[{\"guard\":{\"var\":\"event.data.ok\"},\"target\":\"asking\"}],"
    "\"onError\":\"deploying\"},\"after\":{\"100\":\"asking\"}},"
    "\"asking\":{\"entry\":{\"type\":\"assign\",\"params\":{\"n\":{\"+\":[{\"var\":"
    "\"context.n\"},1]}}},\"tags\":[\"awaiting_input\"],\"on\":{\"APPROVE\":\"deploying\","
    "\"AGAIN\":{\"guard\":{\"<\":[{\"var\":\"context.n\"},2]},\"target\":\"building\"}}},"
    "\"deploying\":{\"invoke\":{\"src\":\"deployer\",\"onDone\":\"end\",\"onError\":\"end\"}},"
    "\"end\":{\"type\":\"final\"}},\"properties\":{"
    "\"approved\":{\"precedes\":{\"of\":{\"in_state\":\"deploying\"},\"needs\":{\"===\":[{"
    "\"var\":\"event.type\"},\"APPROVE\"]}}},"
    "\"ends\":{\"description\":\"Some day.\",\"reachable\":{\"in_state\":\"end\"}}}}";

static wfsm_machine *machine;
static wfsm_error *error;

void setUp(void)
{
    error = wfsm_error_new(NULL);
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_machine_load(&machine, approval, strlen(approval), NULL, NULL, error));
}

void tearDown(void)
{
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
}

static void test_diagnostics_and_properties_are_reported(void)
{
    wfsm_verification *found = NULL;
    wfsm_verify_diagnostic diagnostic = {.size = sizeof diagnostic};
    wfsm_verify_property property = {.size = sizeof property};
    wfsm_verify_counts counts = {.size = sizeof counts};
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verify(&found, machine, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_VIOLATED, wfsm_verification_verdict(found));
    TEST_ASSERT_EQUAL_STRING("", wfsm_verification_bound(found));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verification_get(found, 0, &diagnostic));
    TEST_ASSERT_EQUAL_STRING("property", diagnostic.rule);
    TEST_ASSERT_EQUAL_STRING("approved", diagnostic.property);
    TEST_ASSERT_EQUAL_STRING("/properties/approved", diagnostic.pointer);
    TEST_ASSERT_EQUAL(1, diagnostic.line);
    TEST_ASSERT_EQUAL(1, diagnostic.steps);
    TEST_ASSERT_EQUAL(1, diagnostic.replayed);
    TEST_ASSERT_NOT_NULL(strstr(diagnostic.trace, "building fails: network"));
    TEST_ASSERT_EQUAL_STRING(
        "{\"start\":null}\n{\"failed\":\"sim/1/1\",\"class\":\"network\"}\n",
        diagnostic.script);
    TEST_ASSERT_EQUAL(WFSM_NOT_FOUND, wfsm_verification_get(
                                          found, wfsm_verification_count(found), &diagnostic));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verification_property(found, 1, &property));
    TEST_ASSERT_EQUAL_STRING("ends", property.name);
    TEST_ASSERT_EQUAL_STRING("reachable", property.kind);
    TEST_ASSERT_EQUAL_STRING("Some day.", property.description);
    TEST_ASSERT_EQUAL(WFSM_HOLDS, property.verdict);
    TEST_ASSERT_EQUAL(WFSM_NOT_FOUND, wfsm_verification_property(found, 2, &property));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verification_counts(found, &counts));
    TEST_ASSERT_GREATER_THAN(5, counts.states);
    TEST_ASSERT_GREATER_THAN(counts.states, counts.moves);
    TEST_ASSERT_EQUAL(0, counts.waiting);
    TEST_ASSERT_NOT_NULL(strstr(wfsm_verification_note(found, 0), "depends on note"));
    wfsm_verification_free(found);
}

static wfsm_verify_diagnostic first_of(const char *text, wfsm_verification **found)
{
    wfsm_verify_diagnostic diagnostic = {.size = sizeof diagnostic};
    wfsm_machine *other = NULL;
    TEST_ASSERT_EQUAL(WFSM_OK,
                      wfsm_machine_load(&other, text, strlen(text), NULL, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verify(found, other, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verification_get(*found, 0, &diagnostic));
    TEST_ASSERT_EQUAL_STRING("never-taken", diagnostic.rule);
    wfsm_machine_unref(other);
    return diagnostic;
}

static void test_a_transition_has_its_own_place(void)
{
    static const char listed[] =
        "{\"id\": \"m\", \"initial\": \"a\", \"context\": {\"n\": 0}, \"states\": {"
        "\"a\": {\"on\": {\"go\": [\n"
        "{\"guard\": {\"==\": [{\"var\": \"context.n\"}, 0]}, \"target\": \"b\"},\n"
        "{\"guard\": {\"==\": [{\"var\": \"context.n\"}, 1]}, \"target\": \"b\"}]}},"
        "\"b\": {\"type\": \"final\"}}}";
    static const char alone[] =
        "{\"id\": \"m\", \"initial\": \"a\", \"context\": {\"n\": 0}, \"states\": {"
        "\"a\": {\"on\": {\"end\": \"b\", \"go\": {\n"
        "\"guard\": {\"==\": [{\"var\": \"context.n\"}, 1]}, \"target\": \"b\"}}},"
        "\"b\": {\"type\": \"final\"}}}";
    wfsm_verification *found = NULL;
    wfsm_verify_diagnostic diagnostic = first_of(listed, &found);
    TEST_ASSERT_EQUAL_STRING("/states/a/on/go/1", diagnostic.pointer);
    TEST_ASSERT_EQUAL(3, diagnostic.line);
    wfsm_verification_free(found);
    diagnostic = first_of(alone, &found);
    TEST_ASSERT_EQUAL_STRING("/states/a/on/go", diagnostic.pointer);
    wfsm_verification_free(found);
}

static void test_bad_arguments_are_refused(void)
{
    static const char *const inputs[] = {"[", "{}", "[]", "[1]"};
    static const int32_t statuses[] = {WFSM_SYNTAX, WFSM_SEMANTIC, WFSM_SEMANTIC,
                                       WFSM_SEMANTIC};
    wfsm_verification *found = NULL;
    wfsm_verify_options options = {.size = sizeof options};
    wfsm_verify_counts small = {.size = sizeof small.size};
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_verify(NULL, machine, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_verify(&found, NULL, NULL, error));
    options.size = 0;
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_verify(&found, machine, &options, error));
    options.size = sizeof options;
    for (size_t i = 0; i < 4; i++) {
        options.inputs = inputs[i];
        options.inputs_length = strlen(inputs[i]);
        TEST_ASSERT_EQUAL(statuses[i], wfsm_verify(&found, machine, &options, error));
    }
    TEST_ASSERT_NULL(found);
    options = (wfsm_verify_options){.size = offsetof(wfsm_verify_options, bound)};
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verify(&found, machine, &options, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verification_counts(found, &small));
    TEST_ASSERT_EQUAL(sizeof small.size, small.size);
    wfsm_verification_free(found);
    wfsm_verification_free(NULL);
    TEST_ASSERT_EQUAL_STRING("undecided", wfsm_verdict_name(WFSM_UNDECIDED));
    TEST_ASSERT_EQUAL_STRING("?", wfsm_verdict_name(0));
}

typedef struct told {
    uint64_t moves, times;
} told;

static int32_t stop(void *user, const wfsm_verify_counts *counts)
{
    told *self = user;
    self->moves = counts->moves;
    self->times++;
    return 1;
}

/* Two states in each of some regions. */
static wfsm_machine *large_machine(int regions)
{
    static char text[4096];
    wfsm_machine *made = NULL;
    size_t at = (size_t)sprintf(text, "{\"id\":\"m\",\"type\":\"parallel\",\"states\":{");
    for (int i = 0; i < regions; i++)
        at += (size_t)sprintf(text + at,
                              "%s\"r%d\":{\"initial\":\"a\",\"states\":{\"a\":{\"on\":{\"e%d\":"
                              "\"b\"}},\"b\":{\"on\":{\"e%d\":\"a\"}}}}",
                              i ? "," : "", i, i, i);
    strcpy(text + at, "}}");
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_machine_load(&made, text, strlen(text), NULL, NULL, error));
    return made;
}

/* The shortest round, from a to b and back, leaves the timer alone: it fires. The way through d sets it
 * again. */
static const char rounds[] =
    "{\"id\":\"m\",\"initial\":\"p\",\"states\":{\"p\":{\"initial\":\"a\","
    "\"after\":{\"1000\":\"end\"},\"states\":{\"a\":{\"on\":{\"go\":\"b\"}},"
    "\"b\":{\"on\":{\"back\":\"a\",\"on\":\"d\"}},"
    "\"d\":{\"on\":{\"again\":{\"target\":\"#p\",\"reenter\":true}}}}},"
    "\"end\":{\"type\":\"final\"}},\"properties\":{\"ends\":{\"leadsTo\":{\"to\":"
    "{\"in_state\":\"end\"}}}}}";

static int32_t verdict_under(int32_t fairness, wfsm_machine *of, char *script, size_t size)
{
    const wfsm_verify_options options = {.size = sizeof options, .fairness = fairness};
    wfsm_verify_diagnostic diagnostic = {.size = sizeof diagnostic};
    wfsm_verification *found = NULL;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verify(&found, of, &options, error));
    int32_t verdict = wfsm_verification_verdict(found);
    script[0] = '\0';
    if (wfsm_verification_get(found, 0, &diagnostic) == WFSM_OK)
        snprintf(script, size, "%s", diagnostic.script);
    wfsm_verification_free(found);
    return verdict;
}

static void test_fairness_can_be_chosen(void)
{
    const wfsm_verify_options bad = {.size = sizeof bad, .fairness = 3};
    wfsm_verification *found = NULL;
    wfsm_machine *of = NULL;
    char script[1000];
    TEST_ASSERT_EQUAL(WFSM_OK,
                      wfsm_machine_load(&of, rounds, strlen(rounds), NULL, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_VIOLATED,
                      verdict_under(WFSM_FAIRNESS_WEAK, of, script, sizeof script));
    TEST_ASSERT_NOT_NULL(strstr(script, "again"));
    TEST_ASSERT_EQUAL(WFSM_HOLDS,
                      verdict_under(WFSM_FAIRNESS_STRONG, of, script, sizeof script));
    TEST_ASSERT_EQUAL(WFSM_VIOLATED,
                      verdict_under(WFSM_FAIRNESS_NONE, of, script, sizeof script));
    TEST_ASSERT_EQUAL_STRING("{\"start\":null}\n", script);
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_verify(&found, of, &bad, error));
    TEST_ASSERT_NULL(found);
    wfsm_machine_unref(of);
}

static void test_progress_ends_the_search_once(void)
{
    wfsm_verification *found = NULL;
    told told_ = {0};
    wfsm_verify_options options = {.size = sizeof options, .progress = stop, .user = &told_};
    wfsm_machine *large = large_machine(12);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verify(&found, large, &options, error));
    TEST_ASSERT_EQUAL(1, told_.times);
    TEST_ASSERT_EQUAL_STRING("the search was stopped", wfsm_verification_bound(found));
    TEST_ASSERT_EQUAL(WFSM_UNDECIDED, wfsm_verification_verdict(found));
    wfsm_verification_free(found);
    wfsm_machine_unref(large);
}

/* Also in the middle of the moves of a state: here each of six events has 1,000 classes of data. */
static void test_progress_ends_the_moves_of_a_state(void)
{
    static const char guard[] =
        "{\"and\":[{\"in\":[{\"var\":\"event.data.a\"},[1,2,3,4,5,6,7,8]]},"
        "{\"in\":[{\"var\":\"event.data.b\"},[1,2,3,4,5,6,7,8]]},"
        "{\"in\":[{\"var\":\"event.data.c\"},[1,2,3,4,5,6,7,8]]}]}";
    char text[2048];
    wfsm_verification *found = NULL;
    wfsm_machine *wide = NULL;
    wfsm_verify_counts counts = {.size = sizeof counts};
    told told_ = {0};
    wfsm_verify_options options = {.size = sizeof options, .progress = stop, .user = &told_};
    int length = snprintf(
        text, sizeof text,
        "{\"id\":\"w\",\"initial\":\"s\",\"states\":{\"s\":{\"on\":{\"a\":{\"guard\":%s},"
        "\"b\":{\"guard\":%s},\"c\":{\"guard\":%s},\"d\":{\"guard\":%s},\"e\":{\"guard\":%s},"
        "\"f\":{\"guard\":%s}}}}}",
        guard, guard, guard, guard, guard, guard);
    TEST_ASSERT_EQUAL(WFSM_OK,
                      wfsm_machine_load(&wide, text, (size_t)length, NULL, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verify(&found, wide, &options, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verification_counts(found, &counts));
    TEST_ASSERT_EQUAL(1, told_.times);
    TEST_ASSERT_EQUAL(5000, counts.moves);
    TEST_ASSERT_EQUAL_STRING("the search was stopped", wfsm_verification_bound(found));
    TEST_ASSERT_EQUAL(WFSM_UNDECIDED, wfsm_verification_verdict(found));
    wfsm_verification_free(found);
    wfsm_machine_unref(wide);
}

/* Also in the middle of a single step: here it asks the solver 300 times whether the number is another one. */
static void test_progress_ends_a_step(void)
{
    static const char text[] =
        "{\"id\":\"long\",\"initial\":\"s\",\"context\":{\"i\":0,\"n\":0},\"states\":{"
        "\"s\":{\"on\":{\"go\":{\"target\":\"t\",\"actions\":{\"type\":\"assign\","
        "\"params\":{\"n\":{\"var\":\"event.data.n\"}}}}}},"
        "\"t\":{\"always\":[{\"guard\":{\"and\":[{\"<\":[{\"var\":\"context.i\"},300]},"
        "{\"!==\":[{\"var\":\"context.n\"},{\"-\":[{\"var\":\"context.i\"},1000]}]}]},"
        "\"actions\":{\"type\":\"assign\","
        "\"params\":{\"i\":{\"+\":[{\"var\":\"context.i\"},1]}}}},\"u\"]},"
        "\"u\":{\"type\":\"final\"}}}";
    wfsm_verification *found = NULL;
    wfsm_machine *slow = NULL;
    wfsm_verify_counts counts = {.size = sizeof counts};
    told told_ = {0};
    wfsm_verify_options options = {.size = sizeof options, .progress = stop, .user = &told_};
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_machine_load(&slow, text, strlen(text), NULL, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verify(&found, slow, &options, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verification_counts(found, &counts));
    TEST_ASSERT_LESS_THAN_UINT64(10, counts.moves);
    TEST_ASSERT_EQUAL_STRING("the search was stopped", wfsm_verification_bound(found));
    wfsm_verification_free(found);
    wfsm_machine_unref(slow);
}

/* Of `go` there are 729 classes of data, or more: `wide` reads three members. */
static int32_t verdict_of_reader(const char *transition, const char *next, const char *never,
                                 uint64_t *moves)
{
    static const char shape[] =
        "{\"id\":\"r\",\"initial\":\"s\",\"context\":{\"x\":0},\"states\":{"
        "\"s\":{\"on\":{\"go\":%s,\"on\":\"wide\"}},"
        "\"next\":{%s\"on\":{\"back\":\"s\"}},\"bad\":{\"type\":\"final\"},"
        "\"wide\":{\"on\":{\"go\":{\"guard\":{\"and\":["
        "{\"in\":[{\"var\":\"event.data.a\"},[1,2,3,4,5,6,7,8]]},"
        "{\"in\":[{\"var\":\"event.data.b\"},[1,2,3,4,5,6,7,8]]},"
        "{\"in\":[{\"var\":\"event.data.c\"},[1,2,3,4,5,6,7,8]]}]},\"target\":\"s\"}}}},"
        "\"properties\":{\"p\":{\"never\":%s}}}";
    char text[2048];
    wfsm_verification *found = NULL;
    wfsm_machine *reader = NULL;
    wfsm_verify_counts counts = {.size = sizeof counts};
    int length = snprintf(text, sizeof text, shape, transition, next, never);
    TEST_ASSERT_EQUAL(WFSM_OK,
                      wfsm_machine_load(&reader, text, (size_t)length, NULL, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verify(&found, reader, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verification_counts(found, &counts));
    wfsm_verify_property property = {.size = sizeof property};
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verification_property(found, 0, &property));
    *moves = counts.moves;
    wfsm_verification_free(found);
    wfsm_machine_unref(reader);
    return property.verdict;
}

/* In `s` nothing reads the members, so one class is enough; `wide` tries all of them. Whatever reads one
 * in any other place makes a difference. */
static void test_data_is_told_apart_where_it_is_read(void)
{
    static const char bad[] = "{\"in_state\":\"bad\"}";
#define INNER ",\"in\":{\"guard\":{\"===\":[{\"var\":\"event.data.v\"},8]},\"target\":\"bad\"}"
#define EIGHT "{\"===\":[{\"var\":\"event.data.b\"},8]}"
    static const char *const readers[][3] = {
        {"{\"guard\":" EIGHT ",\"target\":\"bad\"}", "", bad},
        {"[{\"guard\":{\"===\":[{\"var\":\"event.data.a\"},3]},\"target\":\"next\"},"
         "{\"guard\":" EIGHT ",\"target\":\"bad\"}]",
         "", bad},
        {"\"next\"", "\"always\":{\"guard\":" EIGHT ",\"target\":\"bad\"},", bad},
        {"\"next\"",
         "\"entry\":{\"type\":\"assign\",\"params\":{\"x\":{\"var\":\"event.data.b\"}}},"
         "\"always\":{\"guard\":{\"===\":[{\"var\":\"context.x\"},8]},\"target\":\"bad\"},",
         bad},
        {"{\"actions\":{\"type\":\"raise\",\"params\":{\"event\":\"in\",\"data\":"
         "{\"v\":{\"var\":\"event.data.b\"}}}}}" INNER,
         "", bad},
        {"{\"actions\":{\"type\":\"raise\",\"params\":{\"event\":\"in\",\"data\":"
         "{\"v\":{\"get\":[{\"var\":\"event.data\"},\"b\"]}}}}}" INNER,
         "", bad},
        {"{\"guard\":{\"===\":[{\"val\":[\"event\",\"data\",{\"cat\":[\"\",\"b\"]}]},8]},"
         "\"target\":\"bad\"}",
         "", bad},
        {"{\"guard\":{\"missing\":[\"event.data.b\"]},\"target\":\"bad\"}", "", bad},
        {"{\"guard\":{\"!\":{\"missing\":[\"event.data.b\"]}},\"target\":\"bad\"}", "", bad},
        {"\"next\"", "", "{\"and\":[{\"in_state\":\"next\"}," EIGHT "]}"},
    };
    uint64_t moves, plain;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        TEST_ASSERT_EQUAL_MESSAGE(
            WFSM_VIOLATED,
            verdict_of_reader(readers[i][0], readers[i][1], readers[i][2], &moves),
            readers[i][0]);
    TEST_ASSERT_EQUAL(WFSM_HOLDS, verdict_of_reader("\"next\"", "", bad, &plain));
    TEST_ASSERT_LESS_THAN_UINT64(1500, plain);
}

/* Who is told at its end cannot stop it any more. */
static void test_progress_is_told_of_the_end(void)
{
    wfsm_verification *found = NULL;
    told told_ = {0};
    wfsm_verify_options options = {.size = sizeof options, .progress = stop, .user = &told_};
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verify(&found, machine, &options, error));
    TEST_ASSERT_EQUAL(1, told_.times);
    TEST_ASSERT_GREATER_THAN(0, told_.moves);
    TEST_ASSERT_EQUAL_STRING("", wfsm_verification_bound(found));
    wfsm_verification_free(found);
}

/* A million states of such a machine, with ten moves each, take less than 100 MB. */
static void test_states_are_small(void)
{
    wfsm_verification *found = NULL;
    wfsm_verify_counts counts = {.size = sizeof counts};
    wfsm_machine *large = large_machine(14);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verify(&found, large, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verification_counts(found, &counts));
    TEST_ASSERT_EQUAL(1 << 14, counts.states);
    TEST_ASSERT_EQUAL(14 << 14, counts.edges);
    TEST_ASSERT_LESS_OR_EQUAL(90, counts.memory / counts.states);
    uint64_t besides = counts.memory - counts.key_bytes - 3 * counts.edges;
    TEST_ASSERT_LESS_OR_EQUAL(50, besides / counts.states);
    wfsm_verification_free(found);
    wfsm_machine_unref(large);
}

static void test_bounds_are_named(void)
{
    wfsm_verification *found = NULL;
    wfsm_verify_options options = {.size = sizeof options, .max_states = 3};
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verify(&found, machine, &options, error));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_verification_bound(found), "states"));
    wfsm_verification_free(found);
    options = (wfsm_verify_options){.size = sizeof options, .max_memory = 1};
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verify(&found, machine, &options, error));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_verification_bound(found), "memory"));
    wfsm_verification_free(found);
}

/* Nothing is lost, and nothing is left behind, whichever allocation fails. */
static void test_memory_may_run_out_anywhere(void)
{
    failing memory;
    wfsm_machine *own = NULL;
    wfsm_verification *found = NULL;
    int32_t status = WFSM_NO_MEMORY;
    failing_init(&memory, -1);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_machine_load(&own, approval, strlen(approval), NULL,
                                                 &memory.allocator, error));
    long held = memory.alive, fails = 0;
    for (long left = 0; status == WFSM_NO_MEMORY; left++) {
        memory.left = left;
        status = wfsm_verify(&found, own, NULL, error);
        memory.left = -1;
        fails += status == WFSM_NO_MEMORY;
        if (status == WFSM_NO_MEMORY)
            TEST_ASSERT_EQUAL(held, memory.alive);
    }
    TEST_ASSERT_EQUAL(WFSM_OK, status);
    TEST_ASSERT_GREATER_THAN(100, fails);
    wfsm_verification_free(found);
    TEST_ASSERT_EQUAL(held, memory.alive);
    wfsm_machine_unref(own);
    TEST_ASSERT_EQUAL(0, memory.alive);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_diagnostics_and_properties_are_reported);
    RUN_TEST(test_a_transition_has_its_own_place);
    RUN_TEST(test_bad_arguments_are_refused);
    RUN_TEST(test_bounds_are_named);
    RUN_TEST(test_fairness_can_be_chosen);
    RUN_TEST(test_progress_ends_the_search_once);
    RUN_TEST(test_progress_ends_the_moves_of_a_state);
    RUN_TEST(test_progress_ends_a_step);
    RUN_TEST(test_data_is_told_apart_where_it_is_read);
    RUN_TEST(test_progress_is_told_of_the_end);
    RUN_TEST(test_states_are_small);
    RUN_TEST(test_memory_may_run_out_anywhere);
    return UNITY_END() != 0;
}
