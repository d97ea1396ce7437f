/* Every revision that the journal still has: its state is what it was then, and an instance can be
 * restored and forked there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include <wfsm/audit.h>
#include <wfsm/compact.h>
#include <wfsm/revisions.h>
#include "instance/past.h"
#include "support.h"
#include "ids/ids.h"
#include "../given.h"

enum { MOST = 100 };

static wfsm_error *error;
static wfsm_machine *machine;
static wfsm_store *memory;
#define IDS(text) ids_in(memory, text)
static wfsm_functions *functions;
static wfsm_instance *one, *forked;
static int32_t outcome;
static char *states[MOST]; /* by revision, as a run that stopped there had them */

#define STATUS(status, call)                                                                   \
    TEST_ASSERT_EQUAL_INT32_MESSAGE(status, call, wfsm_error_message(error))
#define OK(call) STATUS(WFSM_OK, call)

static void load_machine(const char *text)
{
    wfsm_machine_unref(machine);
    machine = NULL;
    OK(wfsm_machine_load(&machine, text, strlen(text), NULL, NULL, error));
}

void setUp(void)
{
    error = wfsm_error_new(NULL);
    OK(wfsm_memory_open(&memory, NULL, error));
    OK(wfsm_functions_new(&functions, NULL, error));
    OK(add_functions(functions, error));
}

void tearDown(void)
{
    for (size_t i = 0; i < MOST; i++) {
        free(states[i]);
        states[i] = NULL;
    }
    wfsm_instance_free(one);
    wfsm_instance_free(forked);
    wfsm_store_free(memory);
    wfsm_functions_free(functions);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    one = forked = NULL;
    machine = NULL;
}

static void remember(void)
{
    uint64_t revision = wfsm_instance_revision(one);
    TEST_ASSERT_LESS_THAN_UINT64(MOST, revision);
    free(states[revision]);
    states[revision] = bare_bytes_of(one);
}

static void run(int first, int last)
{
    for (int line = first; line < last; line++) {
        OK(run_line(one, line, &outcome, error));
        remember();
    }
}

static void begin(void)
{
    load_machine(everything);
    OK(wfsm_instance_start(&one, machine, START("one", .store = memory, .functions = functions),
                           0, error));
    remember();
}

static int32_t state_at(uint64_t revision, wf_buffer *out)
{
    wf_buffer_init(out, &memory->allocator);
    return wf_past_text(memory, "one", revision, out, error);
}

static void expect_states(uint64_t first, uint64_t last)
{
    for (uint64_t revision = first; revision <= last; revision++) {
        wf_buffer text;
        OK(state_at(revision, &text));
        TEST_ASSERT_EQUAL_STRING(states[revision], text.data);
        wf_buffer_fini(&text);
    }
}

static void expect_none(int32_t status, uint64_t revision, const char *message)
{
    wf_buffer text;
    STATUS(status, state_at(revision, &text));
    TEST_ASSERT_EQUAL_STRING(message, wfsm_error_message(error));
    wf_buffer_fini(&text);
}

static int32_t tell(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    (void)user;
    TEST_FAIL_MESSAGE(diagnostic->message);
    return WFSM_OK;
}

static void expect_clean(void)
{
    OK(wfsm_store_audit(memory, NULL, tell, NULL, NULL, error));
}

static void expect_loads_the_same(const wfsm_instance *instance)
{
    wfsm_instance *again = NULL;
    OK(wfsm_instance_load(&again, NULL, memory, functions, wf_instance_id(instance), error));
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

static bool had_ended(uint64_t revision)
{
    return strstr(states[revision], "\"status\":\"running\"") == NULL;
}

/* ---- what it was ---- */

static void test_each_revision_is_what_it_was(void)
{
    begin();
    run(0, SCRIPT_LENGTH);
    TEST_ASSERT_GREATER_THAN_UINT64(25, wfsm_instance_revision(one));
    expect_states(1, wfsm_instance_revision(one));
}

static void test_the_range_of_revisions(void)
{
    begin();
    run(0, 3);
    expect_none(WFSM_INVALID, 0, "a revision is a number from 1");
    expect_none(WFSM_NOT_FOUND, 4,
                "the journal of \"one\" does not have revision 4: it has 1 to 3");
    expect_none(
        WFSM_NOT_FOUND, UINT64_MAX,
        "the journal of \"one\" does not have revision 18446744073709551615: it has 1 to 3");
}

static void test_while_it_runs(void)
{
    begin();
    for (int line = 0; line < SCRIPT_LENGTH; line++) {
        run(line, line + 1);
        if (line % 5 == 0)
            expect_states(1, wfsm_instance_revision(one));
    }
}

/* The checkpoints begin after the second line, and the last is deleted by the last line. */
static void test_after_compaction(void)
{
    wfsm_compacted done = {.size = sizeof done};
    const wfsm_compaction half = {.size = sizeof half, .keep = 8};
    begin();
    run(0, SCRIPT_LENGTH);
    uint64_t last = wfsm_instance_revision(one);
    OK(wfsm_instance_patch(one, "{\"n\":1}", 7, 9100, &outcome, error));
    OK(wfsm_store_compact(memory, "one", &half, &done, error));
    TEST_ASSERT_GREATER_THAN_UINT64(1, done.first);
    expect_states(done.first, last);
    wf_buffer text;
    STATUS(WFSM_NOT_FOUND, state_at(done.first - 1, &text));
    expect_in(wfsm_error_message(error), "does not have revision");
    wf_buffer_fini(&text);
}

/* ---- looking at it ---- */

static wfsm_instance *load_at(uint64_t revision)
{
    wfsm_instance_free(forked);
    forked = NULL;
    OK(wfsm_instance_load_at(&forked, memory, "one", revision, error));
    return forked;
}

static void test_a_handle_of_the_past(void)
{
    size_t length;
    wfsm_head head = {.size = sizeof head};
    begin();
    run(0, 9);
    wfsm_instance *past = load_at(3);
    TEST_ASSERT_EQUAL_STRING("one", wfsm_instance_id(past));
    TEST_ASSERT_EQUAL_UINT64(3, wfsm_instance_revision(past));
    TEST_ASSERT_EQUAL_INT64(2, wfsm_instance_now(past));
    TEST_ASSERT_EQUAL_STRING("[\"idle\"]", wfsm_instance_configuration(past, &length));
    TEST_ASSERT_EQUAL_STRING("[]", wfsm_instance_events(past, &length));
    OK(wfsm_instance_head(past, &head));
    TEST_ASSERT_EQUAL_STRING("everything", head.machine);
    TEST_ASSERT_EQUAL_UINT64(3, head.revision);
    TEST_ASSERT_EQUAL_INT32(WFSM_RUNNING, head.status);
    TEST_ASSERT_EQUAL_INT64(5000, head.deadline);
    TEST_ASSERT_EQUAL_INT64(2, head.updated);
}

static void test_a_handle_takes_no_input(void)
{
    wfsm_instance *fork = NULL;
    const char *effect;
    begin();
    run(0, 3);
    wfsm_instance *past = load_at(1);
    char *before = bytes_of(past);
    STATUS(WFSM_DENIED, wfsm_instance_send(past, EVENT("GO"), 5, &outcome, error));
    TEST_ASSERT_EQUAL_STRING("this is a revision of the past, which only answers questions",
                             wfsm_error_message(error));
    STATUS(WFSM_DENIED, wfsm_instance_send_number(
                            past, wfsm_machine_event(wfsm_instance_machine(past), "GO"), 5,
                            &outcome, error));
    STATUS(WFSM_DENIED, wfsm_instance_advance(past, 9999, NULL, &outcome, error));
    STATUS(WFSM_DENIED, wfsm_instance_patch(past, "{}", 2, 5, &outcome, error));
    STATUS(WFSM_DENIED, wfsm_instance_stop(past, 5, &outcome, error));
    STATUS(WFSM_DENIED, wfsm_instance_restore(past, AT(1), 5, &outcome, error));
    STATUS(WFSM_DENIED, wfsm_instance_fork(&fork, past, NULL, "two", 5, error));
    STATUS(WFSM_DENIED, wfsm_instance_checkpoint(past, CHECKPOINT("c"), 5, &outcome, error));
    STATUS(WFSM_DENIED, wfsm_instance_migrate(&past, machine, functions, 5, &outcome, error));
    STATUS(WFSM_DENIED, wfsm_instance_can(past, EVENT("GO"), 5, &outcome, NULL, error));
    STATUS(WFSM_DENIED, wfsm_instance_next_effect(past, &effect, NULL, NULL, error));
    STATUS(WFSM_DENIED, wfsm_instance_ack(past, 1, error));
    char *after = bytes_of(past);
    TEST_ASSERT_EQUAL_STRING(before, after);
    free(before);
    free(after);
}

/* A handle of each revision answers as the instance did then. */
static void test_handles_of_every_revision(void)
{
    begin();
    run(0, SCRIPT_LENGTH);
    uint64_t last = wfsm_instance_revision(one);
    for (uint64_t revision = 1; revision <= last; revision++) {
        char *bytes = bare_bytes_of(load_at(revision));
        TEST_ASSERT_EQUAL_STRING(states[revision], bytes);
        free(bytes);
    }
    STATUS(WFSM_INVALID, wfsm_instance_load_at(&forked, memory, "one", 0, error));
    STATUS(WFSM_INVALID, wfsm_instance_load_at(NULL, memory, "one", 1, error));
    STATUS(WFSM_INVALID, wfsm_instance_load_at(&forked, NULL, "one", 1, error));
    STATUS(WFSM_NOT_FOUND, wfsm_instance_load_at(&forked, memory, "none", 1, error));
    STATUS(WFSM_NOT_FOUND, wfsm_instance_load_at(&forked, memory, "one", last + 1, error));
}

/* ---- differences ---- */

#define RANGE(from, to) GIVEN(wfsm_revision_range, .first = from, .last = to)

static char difference[20000];

static int32_t take_difference(void *user, const wfsm_row *row)
{
    (void)user;
    TEST_ASSERT_LESS_THAN_size_t(sizeof difference, row->length);
    memcpy(difference, row->text, row->length + 1);
    return WFSM_OK;
}

static const char *diff(uint64_t from, uint64_t to)
{
    OK(wfsm_store_diff(memory, "one", RANGE(from, to), take_difference, NULL, error));
    const char *end = strstr(strstr(difference, "\"to\":{"), "}");
    return end + 1;
}

static void test_no_difference(void)
{
    begin();
    run(0, 9);
    TEST_ASSERT_EQUAL_STRING("}", diff(3, 3));
    TEST_ASSERT_EQUAL_STRING("}", diff(3, 4)); /* a checkpoint */
    expect_in(difference, "{\"instance\":\"one\",\"from\":{\"revision\":3,\"now\":2,");
    expect_in(difference, "\"to\":{\"revision\":4,\"now\":2,");
}

static void test_a_difference(void)
{
    begin();
    run(0, 9);
    expect_in(diff(1, 2), "\"context\":[{\"path\":\"/n\",\"from\":0,\"to\":1},"
                          "{\"path\":\"/deep/a/b\",\"from\":1,\"to\":7},"
                          "{\"path\":\"/note\",\"from\":\"\",\"to\":\"noted\"},"
                          "{\"path\":\"/extra\",\"to\":[true]}]");
    expect_in(diff(2, 3), "\"context\":[{\"path\":\"/list/0\",\"to\":1},"
                          "{\"path\":\"/list/1\",\"to\":2},{\"path\":\"/list/2\",\"to\":3},");
    const char *text = diff(1, wfsm_instance_revision(one));
    expect_in(text, "\"configuration\":{\"left\":[\"idle\"],\"entered\":[\"work.left.b\","
                    "\"work.right.run\"]}");
    expect_in(text, "\"timers\":{\"removed\":[{\"number\":1,\"due\":5000,");
    expect_in(text, IDS("\"invocations\":{\"added\":[{\"id\":\"one/7/1\",\"invoke\":\"job\","));
    expect_in(text, "\"budgets\":[{\"path\":\"/rounds/used\",");
    text = diff(8, 9);
    expect_in(text,
              IDS("\"invocations\":{\"changed\":[{\"id\":\"one/7/1\",\"changes\":[{\"path\":"
                  "\"/status\",\"from\":\"pending\",\"to\":\"running\"}"));
}

static void test_a_difference_that_spans_everything(void)
{
    begin();
    run(0, SCRIPT_LENGTH);
    uint64_t last = wfsm_instance_revision(one);
    const char *text = diff(1, last);
    expect_in(text, "\"status\":{\"from\":\"running\",\"to\":\"done\"}");
    expect_in(text, "\"effects\":[{\"number\":1,");
    expect_in(text, "\"output\":{\"from\":null,\"to\":{\"list\":[1,2,3]}}");
    for (uint64_t from = 1; from <= last; from++)
        for (uint64_t to = from; to <= last; to += 5)
            diff(from, to);
}

/* Effects that were acknowledged are told, too. */
static void test_the_effects_between(void)
{
    begin();
    run(0, SCRIPT_LENGTH);
    OK(wfsm_instance_ack(one, 1, error));
    expect_in(diff(1, wfsm_instance_revision(one)), "\"effects\":[{\"number\":1,");
}

static int32_t refuse(void *user, const wfsm_row *row)
{
    (void)user;
    (void)row;
    return WFSM_HOST;
}

static void test_what_is_no_difference(void)
{
    begin();
    run(0, 3);
    STATUS(WFSM_INVALID, wfsm_store_diff(memory, "one", RANGE(2, 1), refuse, NULL, error));
    TEST_ASSERT_EQUAL_STRING("revision 2 is after revision 1", wfsm_error_message(error));
    STATUS(WFSM_INVALID, wfsm_store_diff(memory, "one", RANGE(0, 1), refuse, NULL, error));
    STATUS(WFSM_INVALID, wfsm_store_diff(NULL, "one", RANGE(1, 1), refuse, NULL, error));
    STATUS(WFSM_INVALID, wfsm_store_diff(memory, "", RANGE(1, 1), refuse, NULL, error));
    STATUS(WFSM_INVALID, wfsm_store_diff(memory, "one", RANGE(1, 1), NULL, NULL, error));
    STATUS(WFSM_NOT_FOUND, wfsm_store_diff(memory, "two", RANGE(1, 1), refuse, NULL, error));
    STATUS(WFSM_NOT_FOUND, wfsm_store_diff(memory, "one", RANGE(1, 9), refuse, NULL, error));
    STATUS(WFSM_INVALID, wfsm_store_diff(memory, "one", NULL, refuse, NULL, error));
    STATUS(WFSM_HOST, wfsm_store_diff(memory, "one", RANGE(1, 2), refuse, NULL, error));
}

static void test_odd_keys(void)
{
    begin();
    OK(wfsm_instance_patch(one, "{\"a/b~\":{\"\":1}}", 15, 1, &outcome, error));
    OK(wfsm_instance_patch(one, "{\"a/b~\":{\"\":2}}", 15, 1, &outcome, error));
    expect_in(diff(2, 3), "[{\"path\":\"/a~1b~0/\",\"from\":1,\"to\":2}]");
}

/* ---- bookmarks ---- */

static void expect_bookmark(uint64_t revision, uint64_t first, int64_t now)
{
    expect_states(revision, revision);
    expect_states(first, wfsm_instance_revision(one));
    expect_in(diff(revision, first), "\"timers\":{\"removed\":[");
    expect_clean();
    OK(wfsm_instance_restore(one, FROM("early"), now, &outcome, error));
    remember();
    OK(wfsm_instance_restore(one, AT(revision), now, &outcome, error));
    remember();
    wfsm_instance_free(forked);
    forked = NULL;
    OK(wfsm_instance_fork(&forked, one, FROM("early"), now < 8000 ? "a" : "b", now, error));
    expect_clean();
}

/* Whatever compaction drops, a checkpoint of the instance stays, and so does its revision. */
static void test_a_checkpoint_is_a_bookmark(void)
{
    wfsm_compacted done = {.size = sizeof done};
    begin();
    run(0, 29); /* "early" is made by revision 4 */
    for (int i = 0; i < 30; i++) {
        OK(wfsm_instance_patch(one, "{\"n\":1}", 7, 3000 + i, &outcome, error));
        remember();
    }
    for (int i = 0; i < 2; i++) {
        OK(wfsm_store_compact(memory, "one", NULL, &done, error));
        TEST_ASSERT_GREATER_THAN_UINT64(20, done.first);
        expect_bookmark(4, done.first, 4000 + 5000 * i);
    }
    OK(wfsm_instance_delete_checkpoint(one, "early", 9500, &outcome, error));
    expect_clean();
    expect_none(WFSM_NOT_FOUND, 4,
                "the journal of \"one\" does not have revision 4: it has 60 to 63, and the "
                "revisions of its checkpoints");
}

/* ---- restored and forked ---- */

static void test_a_restore_of_a_revision(void)
{
    size_t length;
    begin();
    run(0, 8);
    OK(wfsm_instance_restore(one, AT(2), 100, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    remember();
    TEST_ASSERT_EQUAL_STRING("[\"idle\"]", wfsm_instance_configuration(one, &length));
    expect_in(wfsm_instance_context(one, &length), "\"n\":1,");
    TEST_ASSERT_EQUAL_INT64(100 + 4999, wfsm_instance_deadline(one)); /* 4999 were left */
    const char *record = wfsm_instance_record(one, &length);
    expect_in(record,
              "\"input\":{\"kind\":\"restore\",\"revision\":2,\"snapshot\":{\"format\":1,");
    expect_loads_the_same(one);
    expect_states(1, wfsm_instance_revision(one));
    expect_clean();
}

static void test_a_fork_of_a_revision(void)
{
    size_t length;
    begin();
    run(0, 8);
    OK(wfsm_instance_fork(&forked, one, AT(2), "two", 100, error));
    TEST_ASSERT_EQUAL_STRING("[\"idle\"]", wfsm_instance_configuration(forked, &length));
    TEST_ASSERT_EQUAL_INT64(100 + 4999, wfsm_instance_deadline(forked));
    expect_in(wfsm_instance_record(forked, &length),
              "\"input\":{\"kind\":\"fork\",\"source\":\"one\",\"revision\":2,\"past\":true,");
    expect_loads_the_same(forked);
    expect_clean();
}

/* Forks everywhere, and runs the rest of the script in the fork. */
static void test_forks_of_every_revision(void)
{
    char id[16];
    begin();
    run(0, SCRIPT_LENGTH);
    uint64_t last = wfsm_instance_revision(one);
    for (uint64_t revision = 1; revision <= last; revision++) {
        snprintf(id, sizeof id, "fork%d", (int)revision);
        wfsm_instance_free(forked);
        forked = NULL;
        int32_t status = wfsm_instance_fork(&forked, one, AT(revision), id, 10000, error);
        if (had_ended(revision)) {
            TEST_ASSERT_EQUAL_INT32(WFSM_DENIED, status);
            expect_in(wfsm_error_message(error), "\"one\" had ended at revision");
            continue;
        }
        OK(status);
        for (int line = (int)revision; line < SCRIPT_LENGTH; line++)
            run_line(forked, line, &outcome, error);
        expect_loads_the_same(forked);
    }
    expect_clean();
}

/* Goes back from everywhere to everywhere, also to what a restore made. */
static void test_restores_of_every_revision(void)
{
    begin();
    for (int line = 0; line < 32; line++) {
        run(line, line + 1);
        uint64_t present = wfsm_instance_revision(one);
        OK(wfsm_instance_restore(one, AT(1 + (uint64_t)line * 7 % present), 10000 + line,
                                 &outcome, error));
        remember();
    }
    expect_loads_the_same(one);
    expect_states(1, wfsm_instance_revision(one));
    expect_clean();
}

static void test_a_restore_of_the_present_revision(void)
{
    begin();
    run(0, 7);
    uint64_t present = wfsm_instance_revision(one);
    OK(wfsm_instance_restore(one, AT(present), 100, &outcome, error));
    TEST_ASSERT_EQUAL_UINT64(present + 1, wfsm_instance_revision(one));
    expect_clean();
}

static void test_a_fork_of_a_fork(void)
{
    wfsm_instance *third = NULL;
    begin();
    run(0, 8);
    OK(wfsm_instance_fork(&forked, one, AT(3), "two", 100, error));
    OK(run_line(forked, 0, &outcome, error));
    OK(wfsm_instance_fork(&third, forked, AT(1), "three", 200, error));
    wfsm_instance_free(third);
    expect_clean();
}

/* The record of a restore has the state, so the revision may be dropped. */
static void test_a_restore_is_replayed_without_its_revision(void)
{
    wfsm_compacted done = {.size = sizeof done};
    begin();
    run(0, SCRIPT_LENGTH - 5);
    OK(wfsm_instance_restore(one, AT(2), 9000, &outcome, error));
    remember();
    OK(wfsm_instance_delete_checkpoint(one, "early", 9001, &outcome, error));
    remember();
    for (int i = 0; i < 3; i++) {
        OK(wfsm_instance_restore(one, AT(wfsm_instance_revision(one) - 1), 9100 + i, &outcome,
                                 error));
        remember();
    }
    OK(wfsm_store_compact(memory, "one", NULL, &done, error));
    TEST_ASSERT_GREATER_THAN_UINT64(2, done.first);
    expect_states(done.first, wfsm_instance_revision(one));
    STATUS(WFSM_NOT_FOUND, wfsm_instance_restore(one, AT(2), 9200, &outcome, error));
    expect_clean();
}

/* ---- migrations ---- */

#define TASK(version, more)                                                                    \
    "{\"wfsm\":1,\"id\":\"task\",\"version\":\"" version "\",\"initial\":\"on\","              \
    "\"context\":{\"n\":1}," more "\"states\":{\"on\":{\"invoke\":{\"src\":\"agent\"},"        \
    "\"entry\":{\"type\":\"emit\",\"params\":{\"event\":\"hi\"}},"                             \
    "\"after\":{\"1000\":\"off\"},\"on\":{\"NEXT\":\"off\"}},\"off\":{\"on\":{\"NEXT\":"       \
    "\"on\"}}}}"

static void migrate(const char *version, int64_t now)
{
    char text[1000];
    snprintf(text, sizeof text, TASK("%s", "\"migrate\":[{\"from\":[\"%s\"]}],"), version,
             version[0] == '2' ? "1" : "2");
    load_machine(text);
    OK(wfsm_instance_migrate(&one, machine, NULL, now, &outcome, error));
    remember();
}

static void begin_task(void)
{
    load_machine(TASK("1", "\"migrate\":[{\"from\":[\"2\"]}],"));
    OK(wfsm_instance_start(&one, machine, START("one", .store = memory), 0, error));
    remember();
}

static void next(int64_t now)
{
    OK(wfsm_instance_send(one, EVENT("NEXT"), now, &outcome, error));
    remember();
}

static void test_revisions_of_other_documents(void)
{
    begin_task();
    migrate("2", 10); /* 2 */
    next(20); /* 3 */
    next(30); /* 4 */
    migrate("1", 40); /* 5: the first document again */
    next(50); /* 6 */
    expect_states(1, 6);
    STATUS(WFSM_DENIED, wfsm_instance_restore(one, AT(3), 60, &outcome, error));
    TEST_ASSERT_EQUAL_STRING("the revision was made before a migration, under another document",
                             wfsm_error_message(error));
    STATUS(WFSM_DENIED, wfsm_instance_fork(&forked, one, AT(4), "two", 60, error));
    OK(wfsm_instance_restore(one, AT(1), 60, &outcome, error));
    remember();
    expect_states(1, 7);
    expect_clean();
}

/* ---- refusals ---- */

static void test_what_is_no_restore_point(void)
{
    wfsm_restore_point none = {.size = sizeof none};
    wfsm_restore_point both = {.size = sizeof both, .checkpoint = "c", .revision = 1};
    wfsm_restore_point unset = {.size = 0, .revision = 1};
    begin();
    STATUS(WFSM_INVALID, wfsm_instance_restore(one, NULL, 1, &outcome, error));
    STATUS(WFSM_INVALID, wfsm_instance_restore(one, &none, 1, &outcome, error));
    STATUS(WFSM_INVALID, wfsm_instance_restore(one, &both, 1, &outcome, error));
    STATUS(WFSM_INVALID, wfsm_instance_restore(one, &unset, 1, &outcome, error));
    STATUS(WFSM_INVALID, wfsm_instance_fork(&forked, one, &none, "two", 1, error));
    STATUS(WFSM_INVALID, wfsm_instance_fork(&forked, one, &both, "two", 1, error));
    STATUS(WFSM_NOT_FOUND, wfsm_instance_restore(one, AT(2), 1, &outcome, error));
    STATUS(WFSM_NOT_FOUND, wfsm_instance_fork(&forked, one, AT(2), "two", 1, error));
    TEST_ASSERT_EQUAL_STRING("the journal of \"one\" does not have revision 2: it has 1 to 1",
                             wfsm_error_message(error));
    TEST_ASSERT_EQUAL_UINT64(1, wfsm_instance_revision(one));
}

/* A running instance cannot go back to its end, and one that has ended goes nowhere, but forks. */
static void test_an_instance_that_has_ended(void)
{
    begin();
    run(0, SCRIPT_LENGTH);
    STATUS(WFSM_DENIED, wfsm_instance_restore(one, AT(1), 9999, &outcome, error));
    STATUS(WFSM_DENIED, wfsm_instance_fork(&forked, one, NULL, "two", 9999, error));
    OK(wfsm_instance_fork(&forked, one, AT(3), "two", 9999, error));
    expect_clean();
}

/* ---- damage ---- */

typedef struct bend {
    int kind;
    uint64_t revision; /* 0: any */
    const char *from, *to; /* of the same length; NULL: the row is left out */
    char text[20000];
} bend;

static int bend_row(void *user, int kind, wfsm_row *row)
{
    bend *self = user;
    if (kind != self->kind || (self->revision != 0 && row->revision != self->revision))
        return 1;
    if (!self->from)
        return 0;
    snprintf(self->text, sizeof self->text, "%.*s", (int)row->length, row->text);
    char *found = strstr(self->text, self->from);
    if (found)
        memcpy(found, self->to, strlen(self->to));
    row->text = self->text;
    return 1;
}

static void test_damage_is_found(void)
{
    static bend bends[] = {
        {ROW_RECORD, 1, "\"now\":0", "\"now\":1", ""},
        {ROW_RECORD, 2, "\"now\":", "\"new\":", ""},
        {ROW_RECORD, 3, "\"outcome\":\"taken\"", "\"outcome\":\"retry\"", ""},
        {ROW_RECORD, 1, NULL, NULL, ""},
        {ROW_RECORD, 3, NULL, NULL, ""},
        {ROW_RECORD, 4, NULL, NULL, ""},
        {ROW_RECORD, 4, "\"prev\":\"", "\"prev\":1", ""},
        {ROW_DOCUMENT, 0, "\"initial\"", "\"inytial\"", ""},
        {ROW_DOCUMENT, 0, NULL, NULL, ""},
    };
    begin();
    run(0, SCRIPT_LENGTH);
    uint64_t before = wfsm_instance_revision(one);
    for (size_t i = 0; i < sizeof bends / sizeof *bends; i++) {
        flaky self = {.inner = memory, .bend = bend_row, .user = &bends[i]};
        wfsm_store *store = NULL;
        wf_buffer text;
        OK(flaky_open(&store, &self, NULL, error));
        wf_buffer_init(&text, &store->allocator);
        int32_t status = wf_past_text(store, "one", 3, &text, error);
        TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_CORRUPT, status,
                                        bends[i].from ? bends[i].from : "");
        expect_in(wfsm_error_message(error), "\"one\"");
        wf_buffer_fini(&text);
        wfsm_store_free(store);
    }
    TEST_ASSERT_EQUAL_UINT64(before, wfsm_instance_revision(one));
}

static int bend_head(void *user, int kind, wfsm_row *row)
{
    wfsm_head *head = user;
    if (kind != ROW_HEAD)
        return 1;
    *head = *row->head;
    head->snapshot_revision = 1;
    row->head = head;
    return 1;
}

static void test_a_head_that_is_older_than_its_snapshot(void)
{
    wfsm_head bent;
    flaky self = {.inner = memory, .bend = bend_head, .user = &bent};
    wfsm_store *store = NULL;
    wf_buffer text;
    begin();
    run(0, SCRIPT_LENGTH);
    OK(flaky_open(&store, &self, NULL, error));
    wf_buffer_init(&text, &store->allocator);
    STATUS(WFSM_CORRUPT, wf_past_text(store, "one", 3, &text, error));
    expect_in(wfsm_error_message(error), "the stored snapshot is newer than the head says");
    wf_buffer_fini(&text);
    wfsm_store_free(store);
}

/* The journal of another store, with the same ids, is read while this one is written. */
static wfsm_store *written;

static int32_t commit_elsewhere(void *self, const wfsm_commit *const *commits, size_t count,
                                int32_t *answers, wfsm_error *why)
{
    (void)self;
    return written->vtable.commit(written->self, commits, count, answers, why);
}

static int32_t take_message(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    snprintf(user, 100, "%d: %s", (int)diagnostic->revision, diagnostic->message);
    return WFSM_OK;
}

/* Such a record is sound by itself: only the audit knows what revision 2 was. */
static void test_a_restored_state_that_never_was(void)
{
    wfsm_store *other = NULL;
    wfsm_instance *twin = NULL, *fooled = NULL;
    char message[100] = "";
    begin();
    run(0, 3);
    OK(wfsm_memory_open(&other, NULL, error));
    OK(wfsm_instance_start(&twin, machine, START("one", .store = other, .functions = functions),
                           0, error));
    for (int i = 0; i < 2; i++)
        OK(wfsm_instance_patch(twin, "{\"n\":9}", 7, 2, &outcome, error));
    OK(wfsm_instance_load(&fooled, machine, memory, functions, "one", error));
    written = memory;
    other->vtable.commit = commit_elsewhere;
    fooled->attached->store = other;
    OK(wfsm_instance_restore(fooled, AT(2), 10, &outcome, error));
    OK(wfsm_store_audit(memory, NULL, take_message, message, NULL, error));
    TEST_ASSERT_EQUAL_STRING("4: the restored state is not that of revision 2", message);
    wfsm_instance_free(fooled);
    wfsm_instance_free(twin);
    wfsm_store_free(other);
}

static int32_t memory_anchor(void *self, const char *instance, wfsm_row_sink sink, void *user,
                             wfsm_error *why)
{
    (void)self;
    return wfsm_store_anchor(memory, instance, sink, user, why);
}

/* A checkpoint that is older than the journal is still checked. */
static void test_a_damaged_bookmark_is_found(void)
{
    static bend bends[] = {
        {ROW_CHECKPOINT, 0, "\"n\":1", "\"n\":2", ""},
        {ROW_CHECKPOINT, 0, "\"instance\":\"one\"", "\"instance\":\"two\"", ""},
        {ROW_CHECKPOINT, 0, "{\"format\"", "[\"format\"", ""},
        {ROW_CHECKPOINT, 0, NULL, NULL, ""},
    };
    begin();
    run(0, 29);
    OK(wfsm_store_compact(memory, "one", NULL, NULL, error));
    for (size_t i = 0; i < sizeof bends / sizeof *bends; i++) {
        flaky self = {.inner = memory, .bend = bend_row, .user = &bends[i]};
        wfsm_store *store = NULL;
        char message[100] = "";
        OK(flaky_open(&store, &self, NULL, error));
        store->vtable.anchor = memory_anchor;
        OK(wfsm_store_audit(store, NULL, take_message, message, NULL, error));
        expect_in(message, "0: the checkpoint \"");
        wfsm_store_free(store);
    }
    expect_clean();
}

/* Compacts the journal between the reading of the head and that of the records. */
static int compact_once(void *user, int kind, wfsm_row *row)
{
    bool *compacted = user;
    (void)row;
    if (kind == ROW_HEAD && !*compacted) {
        *compacted = true;
        OK(wfsm_store_compact(memory, "one", NULL, NULL, error));
    }
    return 1;
}

static void test_a_compaction_meanwhile(void)
{
    bool compacted = false;
    flaky self = {.inner = memory, .bend = compact_once, .user = &compacted};
    wfsm_store *store = NULL;
    wf_buffer text;
    begin();
    run(0, SCRIPT_LENGTH);
    OK(flaky_open(&store, &self, NULL, error));
    wf_buffer_init(&text, &store->allocator);
    STATUS(WFSM_NOT_FOUND, wf_past_text(store, "one", 2, &text, error));
    expect_in(wfsm_error_message(error), "does not have revision 2: it has ");
    wf_buffer_fini(&text);
    wfsm_store_free(store);
}

/* ---- out of memory ---- */

static int run_scarce(wfsm_store *store, wfsm_instance *source)
{
    wfsm_instance *fork = NULL, *past = NULL;
    int failed = 0;
    const int32_t calls[] = {
        wfsm_instance_fork(&fork, source, AT(2), "two", 10, error),
        wfsm_instance_restore(source, AT(1), 11, &outcome, error),
        wfsm_store_audit(store, NULL, NULL, NULL, NULL, error),
        wfsm_instance_load_at(&past, store, "one", 3, error),
        wfsm_store_diff(store, "one", RANGE(1, 4), take_difference, NULL, error),
    };
    wfsm_instance_free(fork);
    wfsm_instance_free(past);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (calls[i] != WFSM_OK)
            TEST_ASSERT_EQUAL_INT32(WFSM_NO_MEMORY, calls[i]);
        failed += calls[i] != WFSM_OK;
    }
    return failed;
}

/* The n-th allocation fails, for every n: nothing has changed, and nothing leaks. */
static void test_out_of_memory_anywhere(void)
{
    static const char text[] = TASK("1", "");
    bool finished = false;
    for (uint64_t n = 1; !finished; n++) {
        scarce self = {.fail_at = 0};
        wfsm_allocator allocator = scarce_allocator(&self);
        wfsm_machine *own = NULL;
        wfsm_store *store = NULL;
        wfsm_instance *source = NULL;
        OK(wfsm_machine_load(&own, text, strlen(text), NULL, &allocator, error));
        OK(wfsm_memory_open(&store, &allocator, error));
        OK(wfsm_instance_start(&source, own, START("one", .store = store), 0, error));
        for (int i = 1; i < 4; i++)
            OK(wfsm_instance_send(source, EVENT("NEXT"), i, &outcome, error));
        self.fail_at = self.calls + n;
        int failed = run_scarce(store, source);
        finished = self.calls < self.fail_at;
        TEST_ASSERT_EQUAL_INT(finished ? 0 : 1, failed);
        self.fail_at = 0;
        OK(wfsm_store_audit(store, NULL, tell, NULL, NULL, error));
        wfsm_instance_free(source);
        wfsm_store_free(store);
        wfsm_machine_unref(own);
        TEST_ASSERT_EQUAL_INT64(0, self.living);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_each_revision_is_what_it_was);
    RUN_TEST(test_the_range_of_revisions);
    RUN_TEST(test_while_it_runs);
    RUN_TEST(test_after_compaction);
    RUN_TEST(test_a_checkpoint_is_a_bookmark);
    RUN_TEST(test_a_handle_of_the_past);
    RUN_TEST(test_a_handle_takes_no_input);
    RUN_TEST(test_handles_of_every_revision);
    RUN_TEST(test_no_difference);
    RUN_TEST(test_a_difference);
    RUN_TEST(test_a_difference_that_spans_everything);
    RUN_TEST(test_the_effects_between);
    RUN_TEST(test_what_is_no_difference);
    RUN_TEST(test_odd_keys);
    RUN_TEST(test_a_restore_of_a_revision);
    RUN_TEST(test_a_fork_of_a_revision);
    RUN_TEST(test_forks_of_every_revision);
    RUN_TEST(test_restores_of_every_revision);
    RUN_TEST(test_a_restore_of_the_present_revision);
    RUN_TEST(test_a_fork_of_a_fork);
    RUN_TEST(test_a_restore_is_replayed_without_its_revision);
    RUN_TEST(test_revisions_of_other_documents);
    RUN_TEST(test_what_is_no_restore_point);
    RUN_TEST(test_an_instance_that_has_ended);
    RUN_TEST(test_damage_is_found);
    RUN_TEST(test_a_head_that_is_older_than_its_snapshot);
    RUN_TEST(test_a_restored_state_that_never_was);
    RUN_TEST(test_a_damaged_bookmark_is_found);
    RUN_TEST(test_a_compaction_meanwhile);
    RUN_TEST(test_out_of_memory_anywhere);
    return UNITY_END() != 0;
}
