/* The crash tests: the library passes them, and a wrong store does not. */
#include "testkit/plays.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unity.h>

static play_store store;
static wfsm_machine *machine;

void setUp(void)
{
    store = (play_store){.kept = NULL};
    machine = play_machine();
}

void tearDown(void)
{
    wfsm_machine_unref(machine);
}

static wfsm_testkit_crash_counts play(const wfsm_testkit_crash_options *options)
{
    wfsm_testkit_crash_counts counts = {.size = sizeof counts};
    wfsm_error *error = wfsm_error_new(NULL);
    int32_t status = wfsm_testkit_crash(options, &counts, error);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, status, wfsm_error_message(error));
    wfsm_error_free(error);
    return counts;
}

static void print(const wfsm_testkit_crash_counts *counts)
{
    printf("%" PRIu64 " calls, %" PRIu64 " runs: fail %" PRIu64 ", drop %" PRIu64
           ", lose %" PRIu64 ", delay %" PRIu64 ", cut-before %" PRIu64 ", cut-after %" PRIu64
           "; %" PRIu64 " restarts, %" PRIu64 " invariants, violations: %" PRIu64 "\n",
           counts->calls, counts->runs, counts->fail, counts->drop, counts->lose, counts->delay,
           counts->cut_before, counts->cut_after, counts->restarts, counts->invariants,
           counts->violations);
}

static void every_fault_at_every_call_is_survived(void)
{
    wfsm_testkit_crash_options options = play_options(&store, machine);
    options.pairs = 100;
    options.seed = 7;
    wfsm_testkit_crash_counts counts = play(&options);
    print(&counts);
    TEST_ASSERT_EQUAL_STRING("", store.message);
    TEST_ASSERT_EQUAL_UINT64(0, counts.violations);
    TEST_ASSERT_GREATER_THAN_UINT64(30, counts.calls);
    TEST_ASSERT_GREATER_OR_EQUAL_UINT64(counts.calls, counts.fail);
    TEST_ASSERT_GREATER_OR_EQUAL_UINT64(counts.calls, counts.cut_after);
    TEST_ASSERT_GREATER_THAN_UINT64(80, counts.delay);
}

static wfsm_testkit_plan wrong;

static int32_t wrap_early(wfsm_store **opened, wfsm_store *inner, wfsm_error *error)
{
    static wfsm_store *below;
    wfsm_store_free(below);
    below = inner;
    wrong = (wfsm_testkit_plan){.size = sizeof wrong, .early = 1};
    return inner ? wfsm_testkit_wrap(opened, inner, &wrong, error) : WFSM_OK;
}

static void cut_early(void)
{
    wrong.dead = 1;
}

/* A store that is wrong on purpose: it acknowledges before it commits. */
static void a_commit_that_was_only_promised_is_missed(void)
{
    store.wrap = wrap_early;
    store.cut = cut_early;
    wfsm_testkit_crash_options options = play_options(&store, machine);
    wfsm_testkit_crash_counts counts = play(&options);
    wrap_early(NULL, NULL, NULL);
    print(&counts);
    TEST_ASSERT_GREATER_THAN_UINT64(5, counts.violations);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(store.message, "was acknowledged"), store.message);
}

typedef struct notes {
    uint64_t left, acknowledged, delivered, count;
} notes;

/* Stands for the kill of the process at a given call. */
static int32_t note(void *user, uint64_t revision, uint64_t effect)
{
    notes *self = user;
    if (self->left-- == 0)
        return WFSM_HOST;
    self->count++;
    if (revision > self->acknowledged)
        self->acknowledged = revision;
    if (effect > self->delivered)
        self->delivered = effect;
    return WFSM_OK;
}

/* Stops after each note, and starts again with what was noted. */
static void a_play_that_is_stopped_anywhere_goes_on(void)
{
    wfsm_testkit_crash_options options = play_options(&store, machine);
    wfsm_testkit_crash_counts counts = {.size = sizeof counts};
    notes self = {0};
    int32_t status = WFSM_HOST;
    int starts = 0;
    while (status == WFSM_HOST && starts++ < 1000) {
        wfsm_testkit_witness witness = {.size = sizeof witness,
                                        .acknowledged = self.acknowledged,
                                        .delivered = self.delivered,
                                        .user = &self,
                                        .note = note};
        self.left = (uint64_t)starts % 3;
        status = wfsm_testkit_resume(&options, &witness, &counts, NULL);
        TEST_ASSERT_EQUAL_UINT64(0, counts.violations);
    }
    options.wipe(&store);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, status);
    TEST_ASSERT_EQUAL_UINT64(1, counts.runs);
    TEST_ASSERT_EQUAL_UINT64(11, self.delivered);
    TEST_ASSERT_GREATER_THAN_INT(10, starts);
}

static void a_witness_that_knows_more_than_the_store_is_heard(void)
{
    wfsm_testkit_crash_options options = play_options(&store, machine);
    wfsm_testkit_crash_counts counts = {.size = sizeof counts};
    notes self = {.left = 1000};
    wfsm_testkit_witness witness = {.size = sizeof witness, .user = &self, .note = note};
    witness.acknowledged = 3;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_testkit_resume(&options, &witness, &counts, NULL));
    TEST_ASSERT_EQUAL_UINT64(1, counts.violations);
    TEST_ASSERT_EQUAL_UINT64(0, counts.runs);
    options.wipe(&store);
}

static void what_is_not_complete_is_refused(void)
{
    const wfsm_testkit_crash_options good = play_options(&store, machine);
    wfsm_testkit_crash_options bad[4] = {good, good, good, good};
    wfsm_testkit_crash_counts small = {.size = 3};
    notes self = {0};
    wfsm_testkit_witness witness = {.size = 3, .user = &self, .note = note};
    bad[0].size = 8;
    bad[1].machine = NULL;
    bad[2].open = NULL;
    bad[3].inputs = NULL;
    for (int i = 0; i < 4; i++)
        TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_testkit_crash(&bad[i], NULL, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_testkit_crash(NULL, NULL, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_testkit_crash(&good, &small, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_testkit_resume(&good, NULL, NULL, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_testkit_resume(&good, &witness, NULL, NULL));
    witness = (wfsm_testkit_witness){.size = sizeof witness};
    TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_testkit_resume(&good, &witness, NULL, NULL));
}

static void lines_that_are_not_complete_are_refused(void)
{
    static const wfsm_testkit_input lines[] = {
        {.size = 3, .kind = WFSM_TESTKIT_EVENT, .name = "a"},
        {.size = sizeof *lines, .kind = WFSM_TESTKIT_EVENT},
        {.size = sizeof *lines, .kind = -1, .name = "a"},
        {.size = sizeof *lines, .kind = WFSM_TESTKIT_FORGET + 1, .name = "a"},
        {.size = sizeof *lines, .kind = WFSM_TESTKIT_FORGET},
        {.size = sizeof *lines, .kind = WFSM_TESTKIT_RESTORE},
        {.size = sizeof *lines, .kind = WFSM_TESTKIT_RESTORE, .name = "c", .revision = 1},
        {.size = sizeof *lines, .kind = WFSM_TESTKIT_ADVANCE, .ms = -1},
        {.size = sizeof *lines, .kind = WFSM_TESTKIT_ADVANCE, .ms = INT64_MAX},
        {.size = sizeof *lines, .kind = WFSM_TESTKIT_PATCH, .name = "a"},
        {.size = sizeof *lines, .kind = WFSM_TESTKIT_FAILURE, .name = "a"},
        {.size = sizeof *lines, .kind = WFSM_TESTKIT_FAILURE, .failure_class = "exit"},
    };
    wfsm_testkit_crash_options options = play_options(&store, machine);
    wfsm_error *error = wfsm_error_new(NULL);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const wfsm_testkit_input *list[] = {&lines[i]};
        options.inputs = list;
        options.count = 1;
        TEST_ASSERT_EQUAL_INT32(WFSM_INVALID, wfsm_testkit_crash(&options, NULL, error));
        TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "a line of the script"));
    }
    wfsm_error_free(error);
}

static int32_t opens;

/* Works until it has been opened so often. */
static int32_t open_sometimes(void *user, wfsm_store **opened, wfsm_error *error)
{
    const wfsm_testkit_crash_options good = play_options(user, machine);
    return opens-- > 0 ? good.open(user, opened, error)
                       : wfsm_error_set(error, WFSM_IO, "the disk is gone");
}

static void a_store_that_cannot_be_opened_ends_it(void)
{
    wfsm_testkit_crash_options options = play_options(&store, machine);
    wfsm_testkit_crash_counts counts = {.size = sizeof counts};
    wfsm_error *error = wfsm_error_new(NULL);
    options.open = open_sometimes;
    for (int32_t times = 0; times < 12; times++) {
        opens = times;
        TEST_ASSERT_EQUAL_INT32(WFSM_IO, wfsm_testkit_crash(&options, &counts, error));
        TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "the disk is gone"));
        options.wipe(&store);
    }
    wfsm_error_free(error);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_commit_that_was_only_promised_is_missed);
    RUN_TEST(a_play_that_is_stopped_anywhere_goes_on);
    RUN_TEST(a_witness_that_knows_more_than_the_store_is_heard);
    RUN_TEST(what_is_not_complete_is_refused);
    RUN_TEST(lines_that_are_not_complete_are_refused);
    RUN_TEST(a_store_that_cannot_be_opened_ends_it);
    RUN_TEST(every_fault_at_every_call_is_survived);
    return UNITY_END() != 0;
}
