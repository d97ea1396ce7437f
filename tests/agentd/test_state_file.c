/* STATE.yaml: written from the store; edits by hand are detected (003-56 to 58, 103 to 105,
 * 141, 181). */
#include "agentd/state_file.h"
#include "agents/each_fault.h"
#include "agentd/durable.h"
#include "hosts/workspace.h"
#include "shared/files.h"

static host_error error;
static char path[256];

static const state truth = {.change_id = "add-login",
                            .phase = PHASE_CHALLENGED,
                            .verdict = VERDICT_APPROVED,
                            .iteration = 1,
                            .revision = 12,
                            .created = 1768987800000,
                            .updated = 1768988472345};

void setUp(void)
{
    workspace_make_fast();
    strcpy(path, in_workspace("STATE.yaml"));
}

void tearDown(void)
{
    workspace_remove();
}

static void put(const char *text)
{
    write_file(path, text);
}

/* Not a variable of take(): gcc then takes what is found in it for a part of that variable. */
static char *taken;

static char *take(void)
{
    size_t length;

    TEST_ASSERT_EQUAL(0, host_file_read(path, 100000, &taken, &length, NULL));
    return taken;
}

/* What stands in it can be read by people. */
static void test_what_is_written(void)
{
    static const char expected[] =
        "# Written by agentd from its store, and rewritten when it is edited.\n"
        "change_id: \"add-login\"\n"
        "phase: Challenged\n"
        "verdict: APPROVED\n"
        "iteration: 1\n"
        "revision: 12\n"
        "created_at: 2026-01-21T09:30:00.000Z\n"
        "updated_at: 2026-01-21T09:41:12.345Z\n"
        "digest: \"";
    char *text;

    TEST_ASSERT_EQUAL(0, state_file_write(path, &truth, &error));
    text = take();
    TEST_ASSERT_EQUAL_STRING_LEN(expected, text, sizeof expected - 1);
    TEST_ASSERT_EQUAL_STRING("\"\n", text + sizeof expected - 1 + 64);
    free(text);
}

static void assert_same(const state *read)
{
    TEST_ASSERT_EQUAL_STRING(truth.change_id, read->change_id);
    TEST_ASSERT_EQUAL_INT64(truth.iteration, read->iteration);
    TEST_ASSERT_EQUAL_INT64(truth.revision, read->revision);
    TEST_ASSERT_EQUAL_INT64(truth.created, read->created);
    TEST_ASSERT_EQUAL_INT64(truth.updated, read->updated);
}

/* 003-56, 003-57, 003-58, 003-103, 003-104, 003-105: every phase with every verdict. */
static void test_there_and_back(void)
{
    state written = truth, read;
    int phase_index, verdict_index;

    for (phase_index = 0; phase_index < PHASES; phase_index++)
        for (verdict_index = 0; verdict_index < VERDICTS; verdict_index++) {
            written.phase = (phase)phase_index;
            written.verdict = (verdict)verdict_index;
            TEST_ASSERT_EQUAL(0, state_file_write(path, &written, &error));
            TEST_ASSERT_EQUAL_MESSAGE(0, state_file_read(path, &read, &error), error.message);
            TEST_ASSERT_EQUAL(phase_index, read.phase);
            TEST_ASSERT_EQUAL(verdict_index, read.verdict);
            assert_same(&read);
        }
}

static void test_ids_that_yaml_takes_for_something_else(void)
{
    static const char *const ids[] = {"7", "0x10", "1e3", "true", "null", "no", "2026-01-21"};
    state written = truth, read;
    size_t index;

    for (index = 0; index < sizeof ids / sizeof *ids; index++) {
        strcpy(written.change_id, ids[index]);
        TEST_ASSERT_EQUAL(0, state_file_write(path, &written, &error));
        TEST_ASSERT_EQUAL_MESSAGE(0, state_file_read(path, &read, &error), error.message);
        TEST_ASSERT_EQUAL_STRING(ids[index], read.change_id);
    }
    strcpy(written.change_id, "../x");
    TEST_ASSERT_EQUAL(-1, state_file_write(path, &written, &error));
}

static state_file_is look(const state *at)
{
    state_file_is is;

    memset(&error, 0, sizeof error);
    TEST_ASSERT_EQUAL_MESSAGE(0, state_file_check(path, at, &is, &error), error.message);
    return is;
}

static void test_current_and_behind_and_ahead(void)
{
    state later = truth;

    later.revision = 13;
    later.phase = PHASE_IMPLEMENTING;
    TEST_ASSERT_EQUAL(0, state_file_write(path, &truth, &error));
    TEST_ASSERT_EQUAL(STATE_FILE_CURRENT, look(&truth));
    /* Killed between the commit and the file: nobody edited it. */
    TEST_ASSERT_EQUAL(STATE_FILE_BEHIND, look(&later));
    TEST_ASSERT_EQUAL(0, state_file_write(path, &later, &error));
    TEST_ASSERT_EQUAL(STATE_FILE_AHEAD, look(&truth));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, "revision 13, the store has 12"),
                                 error.message);
}

static void test_lost(void)
{
    TEST_ASSERT_EQUAL(STATE_FILE_LOST, look(&truth));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, "STATE.yaml: was lost"), error.message);
}

/* Each replaces the first text by the second in what agentd wrote. */
static const struct {
    const char *old, *fresh, *said;
} edits[] = {
    {"phase: Challenged", "phase: Complete", "was edited"},
    {"phase: Challenged", "phase: challenged", ":3: phase: expected Proposed"},
    {"phase: Challenged", "phase: [Challenged]", ":3: phase: expected Proposed"},
    {"phase: Challenged", "phase:", ":3: phase: expected Proposed"},
    {"phase: Challenged", "phase: \"Chal\\0lenged\"", ":3: phase: expected"},
    {"verdict: APPROVED", "verdict: ~", "was edited"},
    {"verdict: APPROVED", "verdict: approved", ":4: verdict: expected ~, APPROVED"},
    {"iteration: 1", "iteration: 0", "was edited"},
    {"iteration: 1", "iteration: -1", ":5: iteration: expected a number"},
    {"iteration: 1", "iteration: 1x", ":5: iteration: expected a number"},
    {"iteration: 1", "iteration: 99999999999999999999", ":5: iteration: expected a number"},
    {"revision: 12", "revision: 1", "was edited"},
    {"\"add-login\"", "\"add-logout\"", "was edited"},
    {"\"add-login\"", "\"../../etc\"", ":2: change_id: expected the id"},
    {"2026-01-21T09:30", "2026-02-30T09:30", ":7: created_at: expected a time"},
    {"# Written", "# written", "was edited"},
    {"iteration: 1\n", "", "expected a key: one is missing"},
    {"iteration: 1\n", "iteration: 1\nnote: mine\n", ":6: an unknown key"},
    {"iteration: 1\n", "iteration: 1\niteration: 1\n", ":6: a key occurs twice"},
    {"iteration: 1\n", "iteration: *a\n", ":5: iteration: expected a number"},
    {"iteration: 1\n", "iteration: &a [*a]\n", ":5: iteration: expected a number"},
    {"change_id:", "- change_id:", ":2: expected the keys of STATE.yaml"},
    {"change_id:", "\tchange_id:", "not YAML"},
    {"digest: ", "---\ndigest: ", "expected a key: one is missing"},
    {"# Written", "%YAML 9.9\n---\n# Written", "not YAML"},
    {"phase: Challenged", "phase: \xff\xfe", "not YAML"},
};

static void edit(const char *text, const char *old, const char *fresh)
{
    const char *found = strstr(text, old);
    size_t before = found ? (size_t)(found - text) : 0;
    char edited[2048];

    TEST_ASSERT_NOT_NULL_MESSAGE(found, old);
    (void)snprintf(edited, sizeof edited, "%.*s%s%s", (int)before, text, fresh,
                   text + before + strlen(old));
    put(edited);
}

/* 003-181: a clone is read from it, and knows which files were reviewed. */
static void test_the_tree(void)
{
    state written = truth, read;

    memset(written.tree, 'a', sizeof written.tree - 1);
    TEST_ASSERT_EQUAL(0, state_file_write(path, &written, &error));
    TEST_ASSERT_EQUAL_MESSAGE(0, state_file_read(path, &read, &error), error.message);
    TEST_ASSERT_EQUAL_STRING(written.tree, read.tree);
    TEST_ASSERT_EQUAL(STATE_FILE_CURRENT, look(&written));
    TEST_ASSERT_EQUAL(0, state_file_write(path, &truth, &error));
    TEST_ASSERT_EQUAL(0, state_file_read(path, &read, &error));
    TEST_ASSERT_EQUAL_STRING("", read.tree);
}

static void test_edited_by_hand(void)
{
    char *text;
    size_t index;
    state read;

    TEST_ASSERT_EQUAL(0, state_file_write(path, &truth, &error));
    text = take();
    for (index = 0; index < sizeof edits / sizeof *edits; index++) {
        edit(text, edits[index].old, edits[index].fresh);
        TEST_ASSERT_EQUAL_MESSAGE(STATE_FILE_EDITED, look(&truth), edits[index].fresh);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, edits[index].said), error.message);
        TEST_ASSERT_EQUAL(-1, state_file_read(path, &read, &error));
        TEST_ASSERT_EQUAL(0, state_file_write(path, &truth, &error));
        TEST_ASSERT_EQUAL(STATE_FILE_CURRENT, look(&truth));
    }
    free(text);
}

static void test_cut_off_anywhere(void)
{
    char *text;
    size_t length;

    TEST_ASSERT_EQUAL(0, state_file_write(path, &truth, &error));
    text = take();
    for (length = strlen(text); length-- > 0;) {
        text[length] = '\0';
        put(text);
        TEST_ASSERT_EQUAL(STATE_FILE_EDITED, look(&truth));
        TEST_ASSERT_NOT_EQUAL('\0', error.message[0]);
    }
    free(text);
}

static void test_what_is_no_file_of_ours(void)
{
    state other = truth;
    char *big = malloc(100001);
    state_file_is is;

    strcpy(other.change_id, "other");
    TEST_ASSERT_EQUAL(0, state_file_write(path, &other, &error));
    TEST_ASSERT_EQUAL(STATE_FILE_EDITED, look(&truth));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, "another change, other"), error.message);
    TEST_ASSERT_NOT_NULL(big);
    memset(big, '[', 100000);
    big[100000] = '\0';
    put(big);
    TEST_ASSERT_EQUAL(STATE_FILE_EDITED, look(&truth));
    /* The depth of what a parser follows is bounded. */
    big[60000] = '\0';
    put(big);
    TEST_ASSERT_EQUAL(STATE_FILE_EDITED, look(&truth));
    free(big);
    TEST_ASSERT_EQUAL(0, unlink(path));
    TEST_ASSERT_EQUAL(0, host_folder_make(path, NULL));
    TEST_ASSERT_EQUAL(-1, state_file_check(path, &truth, &is, &error));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, "not a regular file"), error.message);
}

static void put_behind(void)
{
    state before = truth;

    before.revision = 11;
    memset(&error, 0, sizeof error);
    TEST_ASSERT_EQUAL(0, state_file_write(path, &before, NULL));
}

static int write_truth(void)
{
    return state_file_write(path, &truth, &error);
}

static void check_written(int status)
{
    state_file_is is;

    TEST_ASSERT_EQUAL(0, state_file_check(path, &truth, &is, NULL));
    TEST_ASSERT_TRUE(is == STATE_FILE_CURRENT || (status != 0 && is == STATE_FILE_BEHIND));
    TEST_ASSERT_EQUAL(status != 0, error.message[0] != '\0');
}

static void check_after_death(int survived)
{
    state_file_is is;

    TEST_ASSERT_EQUAL(0, state_file_check(path, &truth, &is, NULL));
    TEST_ASSERT_TRUE(is == STATE_FILE_CURRENT || (!survived && is == STATE_FILE_BEHIND));
}

static void test_never_torn(void)
{
    TEST_ASSERT_GREATER_THAN(8,
                             each_fault(FAULT_ERROR, put_behind, write_truth, check_written));
    TEST_ASSERT_GREATER_THAN(5, each_fault(FAULT_FULL, put_behind, write_truth, check_written));
    TEST_ASSERT_GREATER_THAN(8, each_death(put_behind, write_truth, check_after_death));
}

static int look_at_it(void)
{
    state_file_is is;

    if (state_file_check(path, &truth, &is, &error) != 0)
        return -1;
    return is == STATE_FILE_BEHIND ? 0 : -1;
}

static void check_said(int status)
{
    TEST_ASSERT_EQUAL(status != 0, error.message[0] != '\0');
}

static void test_every_call_of_a_look_can_fail(void)
{
    TEST_ASSERT_GREATER_THAN(2, each_fault(FAULT_ERROR, put_behind, look_at_it, check_said));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_what_is_written);
    RUN_TEST(test_there_and_back);
    RUN_TEST(test_ids_that_yaml_takes_for_something_else);
    RUN_TEST(test_current_and_behind_and_ahead);
    RUN_TEST(test_lost);
    RUN_TEST(test_the_tree);
    RUN_TEST(test_edited_by_hand);
    RUN_TEST(test_cut_off_anywhere);
    RUN_TEST(test_what_is_no_file_of_ours);
    RUN_TEST(test_never_torn);
    RUN_TEST(test_every_call_of_a_look_can_fail);
    return UNITY_END() != 0;
}
