/* A host is killed; the next one finds what its children did. */
#include "agents/run_record.h"
#include "children_support.h"

void setUp(void)
{
    begin_children();
}

void tearDown(void)
{
    end_children();
}

static void test_identity(void)
{
    char identity[WFA_IDENTITY_SIZE], changed[WFA_IDENTITY_SIZE + 1];
    static const char *const none[] = {
        "", "x", "12", "-1:2:3", "1:2:3", "0:1:2", "99999999999:1:2"};
    size_t index;

    TEST_ASSERT_EQUAL(0, wfa_process_identity(getpid(), identity));
    TEST_ASSERT_EQUAL(1, wfa_process_alive(identity));
    TEST_ASSERT_EQUAL(getpid(), wfa_identity_pid(identity));
    (void)snprintf(changed, sizeof changed, "%s0", identity); /* another boot */
    TEST_ASSERT_EQUAL(0, wfa_process_alive(changed));
    TEST_ASSERT_EQUAL(-1, wfa_process_identity(0x3FFFFFFF, identity));
    for (index = 0; index < sizeof none / sizeof none[0]; index++)
        TEST_ASSERT_EQUAL_MESSAGE(-1, wfa_process_alive(none[index]), none[index]);
}

static void test_zombie_is_not_alive(void)
{
    char identity[WFA_IDENTITY_SIZE];
    siginfo_t info;
    pid_t pid = fork();

    if (pid == 0)
        _exit(0);
    TEST_ASSERT_EQUAL(0, waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT));
    TEST_ASSERT_EQUAL(-1, wfa_process_identity(pid, identity));
    TEST_ASSERT_EQUAL(pid, waitpid(pid, NULL, 0));
}

/* Another host: starts the child, and is killed while it works. */
static void let_a_host_die(const wfa_child_spec *spec)
{
    pid_t host = fork();
    int result = 0;

    if (host == 0) {
        wfa_children *its = wfa_children_new();
        wfa_error error = {.status = WFSM_OK};
        wfa_child *child = NULL;
        if (!its || wfa_child_start(its, spec, &child, &error) != 0)
            (void)fprintf(stderr, "no child: %s\n", error.message);
        else if (wfa_child_state_of(child) == WFA_CHILD_RUNNING)
            (void)kill(getpid(), SIGKILL);
        else
            (void)fprintf(stderr, "not at work: %s\n", wfa_child_message(child));
        _exit(1);
    }
    TEST_ASSERT_EQUAL(host, waitpid(host, &result, 0));
    TEST_ASSERT_TRUE_MESSAGE(WIFSIGNALED(result), "the host did not start its child");
}

static wfa_child *adopt(const wfa_child_spec *spec)
{
    wfa_child *child = NULL;
    wfa_error error = {.status = WFSM_OK};

    if (wfa_child_adopt(children, spec, &child, &error) != 0)
        TEST_FAIL_MESSAGE(error.message);
    return child;
}

/* The child that a host which died has left. */
static wfa_child *adopt_left(const wfa_child_spec *spec)
{
    wfa_child *child = adopt(spec);

    TEST_ASSERT_NOT_NULL_MESSAGE(child, "there is no record of the child");
    return child;
}

static void test_next_host_finds_it_at_work(void)
{
    wfa_child_spec spec =
        script("a", "cat; until [ -e go ]; do sleep 0.02; done; echo ' late'");
    wfa_child *child;

    spec.input = "asked";
    spec.input_length = 5;
    spec.token = "1700000000000";
    spec.folder = workspace;
    let_a_host_die(&spec);
    child = adopt_left(&spec);
    TEST_ASSERT_EQUAL(WFA_CHILD_RUNNING, wfa_child_state_of(child));
    TEST_ASSERT_EQUAL(1, wfa_children_running(children));
    (void)write_text("go", "");
    wait_for(child);
    TEST_ASSERT_EQUAL(WFA_END_UNSEEN, wfa_child_reason(child));
    assert_output(child, "asked late\n");
}

static void test_next_host_finds_it_gone(void)
{
    wfa_child_spec spec = script("a", "echo $$ > pid; echo answer");
    wfa_child *child;

    spec.folder = workspace;
    let_a_host_die(&spec);
    assert_goes_away(told_pid("pid"));
    child = adopt_left(&spec);
    TEST_ASSERT_EQUAL(WFA_END_UNSEEN, wfa_child_reason(child));
    assert_output(child, "answer\n");
}

static void test_next_host_stops_it(void)
{
    wfa_child_spec spec = script("a", "echo $$ > pid; trap '' TERM; sleep 60");
    wfa_child *child;
    pid_t pid;

    spec.folder = workspace;
    let_a_host_die(&spec);
    pid = told_pid("pid");
    child = adopt_left(&spec);
    wfa_child_cancel(child);
    wait_for(child);
    TEST_ASSERT_EQUAL(WFA_END_CANCELED, wfa_child_reason(child));
    assert_goes_away(pid);
}

static void test_time_limit_counts_from_the_real_start(void)
{
    wfa_child_spec spec = script("a", "sleep 60");
    const char *path = in_workspace("a.run");
    wfa_run_record record;
    wfa_error error;
    wfa_child *child;
    int found;

    spec.timeout_ms = 3600000;
    let_a_host_die(&spec);
    TEST_ASSERT_EQUAL(0, wfa_run_record_read(path, &record, &found, &error));
    TEST_ASSERT_EQUAL(1, found);
    record.started -= 3600000; /* an hour ago */
    TEST_ASSERT_EQUAL(0, wfa_run_record_write(path, &record, &error));
    child = adopt_left(&spec);
    wait_for(child);
    TEST_ASSERT_EQUAL(WFA_END_TIMEOUT, wfa_child_reason(child));
    TEST_ASSERT_TRUE(wfa_child_duration(child) >= 3600000);
}

static void test_next_host_knows_an_end_that_was_seen(void)
{
    wfa_child_spec spec = script("a", "echo half; exit 7");
    wfa_child *child = run(&spec);

    wfa_child_forget(child);
    child = adopt(&spec);
    TEST_ASSERT_EQUAL(WFA_END_EXITED, wfa_child_reason(child));
    TEST_ASSERT_EQUAL(7, wfa_child_code(child));
    assert_output(child, "half\n");
}

static void test_nobody_was_started(void)
{
    wfa_child_spec spec = script("a", "true");

    TEST_ASSERT_NULL(adopt(&spec));
}

static void test_another_run_of_the_same_name(void)
{
    wfa_child_spec spec = script("a", "true");

    spec.token = "1";
    (void)run(&spec);
    spec.token = "2";
    TEST_ASSERT_NULL(adopt(&spec));
    spec.token = "1";
    TEST_ASSERT_NOT_NULL(adopt(&spec));
}

static void test_second_start_beside_a_living_one_is_refused(void)
{
    wfa_child_spec spec = script("a", "sleep 60");
    wfa_child *second;

    (void)start(&spec);
    second = start(&spec);
    TEST_ASSERT_EQUAL(WFA_END_SPAWN_FAILED, wfa_child_reason(second));
    TEST_ASSERT_NOT_NULL(strstr(wfa_child_message(second), "is still at work"));
}

static void test_records_that_are_not_believed(void)
{
    static const char *const records[] = {
        "",
        "hello",
        "process 1:1:1\ntoken -\nstarted 1\nrunning 0\n",
        "process -1:1:1\ntoken -\nstarted 1\nrunning 0\n",
        "process 99:1:1\ntoken -\nstarted 1\nflying 0\n",
        "process 99:1:1\ntoken -\nstarted x\nrunning 0\n",
    };
    size_t index;

    for (index = 0; index < sizeof records / sizeof records[0]; index++) {
        wfa_child_spec spec = script("a", "true");
        wfa_child *child;
        wfa_error error = {.status = WFSM_OK};
        (void)write_text("a.run", records[index]);
        (void)write_text("a.out", "");
        (void)write_text("a.log", "");
        TEST_ASSERT_EQUAL(-1, wfa_child_adopt(children, &spec, &child, &error));
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, "a.run: "), records[index]);
    }
}

static void test_record_of_another_process_kills_nobody(void)
{
    char identity[WFA_IDENTITY_SIZE], text[200];
    wfa_child_spec spec = script("a", "true");
    wfa_child *child;

    /* Our own number with another start time: used again since. */
    TEST_ASSERT_EQUAL(0, wfa_process_identity(getpid(), identity));
    (void)snprintf(text, sizeof text, "process %ld:1:boot\ntoken -\nstarted 1\nrunning 0\n",
                   (long)getpid());
    (void)write_text("a.run", text);
    (void)write_text("a.out", "");
    (void)write_text("a.log", "");
    child = adopt(&spec);
    TEST_ASSERT_EQUAL(WFA_END_UNSEEN, wfa_child_reason(child));
    wfa_child_cancel(child);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_identity);
    RUN_TEST(test_zombie_is_not_alive);
    RUN_TEST(test_next_host_finds_it_at_work);
    RUN_TEST(test_next_host_finds_it_gone);
    RUN_TEST(test_next_host_stops_it);
    RUN_TEST(test_time_limit_counts_from_the_real_start);
    RUN_TEST(test_next_host_knows_an_end_that_was_seen);
    RUN_TEST(test_nobody_was_started);
    RUN_TEST(test_another_run_of_the_same_name);
    RUN_TEST(test_second_start_beside_a_living_one_is_refused);
    RUN_TEST(test_records_that_are_not_believed);
    RUN_TEST(test_record_of_another_process_kills_nobody);
    return UNITY_END() != 0;
}
