/* Child processes, the nasty ones above all. */
#include "children_support.h"

void setUp(void)
{
    begin_children();
}

void tearDown(void)
{
    end_children();
}

static void test_answers_what_it_was_asked(void)
{
    wfa_child_spec spec = script("a", "cat; echo to the log >&2");
    wfa_child *child;
    char *log;
    size_t length;

    spec.input = "{\"id\":\"1\"}";
    spec.input_length = strlen(spec.input);
    child = run(&spec);
    TEST_ASSERT_EQUAL(WFA_END_EXITED, wfa_child_reason(child));
    TEST_ASSERT_EQUAL(0, wfa_child_code(child));
    assert_output(child, "{\"id\":\"1\"}");
    TEST_ASSERT_EQUAL(0, wfa_file_read(wfa_child_log(child), 100, &log, &length, NULL));
    TEST_ASSERT_EQUAL_STRING("to the log\n", log);
    free(log);
}

static void test_folder_and_environment(void)
{
    static const char *const env[] = {"WFA_TEST=two words", "LANG=C", NULL};
    wfa_child_spec spec = script("a", "pwd -P; echo \"$WFA_TEST $LANG\"");
    char expected[256], *real = realpath(workspace, NULL);
    wfa_child *child;

    spec.folder = workspace;
    spec.env = env;
    child = run(&spec);
    (void)snprintf(expected, sizeof expected, "%s\ntwo words C\n", real);
    free(real);
    assert_output(child, expected);
}

static void test_path_of_the_given_environment_counts(void)
{
    char path[128];
    const char *const env[] = {path, NULL};
    static const char *const argv[] = {"my-own-agent", NULL};
    wfa_child_spec spec = {.argv = argv, .env = env};

    (void)snprintf(path, sizeof path, "PATH=%s:/usr/bin:/bin", workspace);
    TEST_ASSERT_EQUAL(0, chmod(write_text("my-own-agent", "#!/bin/sh\necho found\n"), 0700));
    spec.base = in_workspace("a");
    assert_output(run(&spec), "found\n");
}

static void test_inherits_no_file_and_no_signal_setting(void)
{
    wfa_child_spec spec = script("a", "ls /proc/self/fd | wc -l; "
                                      "grep -E 'Sig(Blk|Ign)' /proc/self/status");
    FILE *file = fopen("/dev/null", "r"); /* not close-on-exec */
    sigset_t some;
    wfa_child *child;

    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    (void)sigprocmask(SIG_BLOCK, &some, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    child = run(&spec);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)sigprocmask(SIG_UNBLOCK, &some, NULL);
    (void)fclose(file);
    /* 0, 1, 2 and the folder that ls reads. */
    assert_output(child, "4\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

static void test_works_when_the_host_has_no_stdin(void)
{
    int saved = dup(0);
    wfa_child_spec spec = script("a", "cat; echo end");
    wfa_child *child;

    spec.input = "in ";
    spec.input_length = 3;
    close(0);
    child = run(&spec);
    assert_output(child, "in end\n"); /* here: 0 may be one of the child's files now */
    wfa_child_forget(child);
    TEST_ASSERT_EQUAL(0, dup2(saved, 0));
    close(saved);
}

static void test_ends(void)
{
    static const struct {
        const char *text;
        wfa_child_end end;
        int code;
        const char *message;
    } cases[] = {
        {"true", WFA_END_EXITED, 0, "exit code 0, see "},
        {"exit 3", WFA_END_EXITED, 3, "exit code 3, see "},
        {"kill -9 $$", WFA_END_SIGNALED, 9, "killed by signal 9 (Killed), see "},
        {"kill -TERM $$", WFA_END_SIGNALED, 15, "killed by signal 15 (Terminated), see "},
        {"exec ./not-there", WFA_END_EXITED, 127, "exit code 127, see "},
    };
    size_t index;

    for (index = 0; index < sizeof cases / sizeof cases[0]; index++) {
        wfa_child_spec spec = script("a", cases[index].text);
        wfa_child *child = run(&spec);
        TEST_ASSERT_EQUAL_MESSAGE(cases[index].end, wfa_child_reason(child), cases[index].text);
        TEST_ASSERT_EQUAL(cases[index].code, wfa_child_code(child));
        TEST_ASSERT_EQUAL_STRING_LEN(cases[index].message, wfa_child_message(child),
                                     strlen(cases[index].message));
        wfa_child_forget(child);
    }
}

static void test_what_cannot_be_started(void)
{
    static const char *const missing[] = {"/no/such/program", NULL};
    static const char *const unknown[] = {"no-such-program-anywhere", NULL};
    static const char *const folder[] = {"/tmp", NULL};
    static const char *const nothing[] = {NULL};
    static const struct {
        const char *const *argv;
        const char *folder;
        const char *message;
    } cases[] = {
        {missing, NULL, "/no/such/program: cannot be run: No such file or directory"},
        {unknown, NULL, "no-such-program-anywhere: cannot be run: No such file or directory"},
        {folder, NULL, "/tmp: cannot be run: Permission denied"},
        {missing, "/no/such/folder",
         "/no/such/folder: cannot work in this folder: No such file or directory"},
        {nothing, NULL, "no program to run"},
    };
    size_t index;

    for (index = 0; index < sizeof cases / sizeof cases[0]; index++) {
        wfa_child_spec spec = {.argv = cases[index].argv,
                               .folder = cases[index].folder,
                               .base = in_workspace("a")};
        wfa_child *child = start(&spec);
        TEST_ASSERT_EQUAL(WFA_END_SPAWN_FAILED, wfa_child_reason(child));
        TEST_ASSERT_EQUAL_STRING(cases[index].message, wfa_child_message(child));
        TEST_ASSERT_EQUAL(1, wfa_children_poll(children, 0));
    }
    TEST_ASSERT_EQUAL(-1, waitpid(-1, NULL, WNOHANG)); /* and nothing is left */
    TEST_ASSERT_EQUAL(ECHILD, errno);
}

static void test_files_that_cannot_be_made(void)
{
    wfa_child_spec spec = script("no/such/folder", "true");
    wfa_child *child = start(&spec);

    TEST_ASSERT_EQUAL(WFA_END_SPAWN_FAILED, wfa_child_reason(child));
    TEST_ASSERT_NOT_NULL(strstr(wfa_child_message(child), "no/such: No such"));
}

static void test_time_limit(void)
{
    wfa_child_spec spec = script("a", "echo begun; sleep 60");
    wfa_child *child;

    spec.timeout_ms = 400;
    child = run(&spec);
    TEST_ASSERT_EQUAL(WFA_END_TIMEOUT, wfa_child_reason(child));
    TEST_ASSERT_TRUE(wfa_child_duration(child) >= 400);
    TEST_ASSERT_TRUE(wfa_child_duration(child) < 4000);
    TEST_ASSERT_NOT_NULL(strstr(wfa_child_message(child), "time limit of 400 ms"));
    assert_output(child, "begun\n");
}

/* Canceled once its trap stands, so that a busy machine changes nothing. */
static wfa_child *cancel_when_ready(const char *text, int64_t grace, int64_t *took)
{
    wfa_child_spec spec = script("a", text);
    wfa_child *child;
    int64_t begin;

    spec.folder = workspace;
    spec.grace_ms = grace;
    child = start(&spec);
    (void)told_pid("ready");
    begin = now_ms();
    wfa_child_cancel(child);
    wait_for(child);
    *took = now_ms() - begin;
    TEST_ASSERT_EQUAL(WFA_END_CANCELED, wfa_child_reason(child));
    return child;
}

static void test_ignores_sigterm(void)
{
    int64_t took;

    (void)cancel_when_ready("trap '' TERM; echo $$ > ready; sleep 60", 150, &took);
    TEST_ASSERT_TRUE(took >= 150);
}

#define LEAVES                                                                                 \
    "setsid sh -c 'echo $$ > left; exec sleep 60' & until [ -s left ]; do sleep 0.02; done; "

/* A zombie that nobody reaps has gone. */
static void assert_gone(pid_t pid)
{
    char identity[WFA_IDENTITY_SIZE];

    while (wfa_process_identity(pid, identity) == 0)
        (void)usleep(10000); /* or the test's time limit */
}

/* Some coding agents give each command a session of its own. */
static void test_what_has_left_its_group_is_stopped_with_it(void)
{
    int64_t took;

    (void)cancel_when_ready(LEAVES "echo $$ > ready; sleep 60", 150, &took);
    assert_gone(told_pid("left"));
}

static void test_what_has_left_the_group_of_one_that_was_killed(void)
{
    wfa_child_spec spec = script("a", LEAVES "kill -9 $$");

    spec.folder = workspace;
    TEST_ASSERT_EQUAL(WFA_END_SIGNALED, wfa_child_reason(run(&spec)));
    assert_gone(told_pid("left"));
}

/* A run is known by its files: another one is not touched. */
static void test_another_run_is_not_stopped(void)
{
    wfa_child_spec spec = script("b", "sleep 60");
    wfa_child *other = start(&spec);
    int64_t took;

    (void)cancel_when_ready(LEAVES "echo $$ > ready; sleep 60", 150, &took);
    TEST_ASSERT_EQUAL(WFA_CHILD_RUNNING, wfa_child_state_of(other));
    wfa_child_cancel(other);
    wait_for(other);
}

static void test_may_clean_up_on_sigterm(void)
{
    int64_t took;
    wfa_child *child = cancel_when_ready("trap 'echo bye; exit 0' TERM; echo $$ > ready; "
                                         "while :; do sleep 0.02; done",
                                         7000, &took);

    TEST_ASSERT_TRUE(took < 6000);
    assert_output(child, "bye\n");
}

static void test_a_hundred_megabytes(void)
{
    wfa_child_spec spec = script("a", "head -c 100000000 /dev/zero; sleep 60");
    wfa_child *child;
    size_t length;

    spec.max_output = 1000;
    child = run(&spec);
    TEST_ASSERT_EQUAL(WFA_END_OUTPUT_LIMIT, wfa_child_reason(child));
    TEST_ASSERT_NOT_NULL(wfa_child_output(child, &length, NULL));
    TEST_ASSERT_EQUAL(1000, length);
    TEST_ASSERT_NOT_NULL(strstr(wfa_child_message(child), "more than 1000 bytes on stdout"));
}

static void test_too_much_and_gone_before_anybody_looks(void)
{
    wfa_child_spec spec = script("a", "head -c 1001 /dev/zero"), just;

    spec.max_output = 1000;
    TEST_ASSERT_EQUAL(WFA_END_OUTPUT_LIMIT, wfa_child_reason(run(&spec)));
    just = script("b", "head -c 1000 /dev/zero");
    just.max_output = 1000;
    TEST_ASSERT_EQUAL(WFA_END_EXITED, wfa_child_reason(run(&just)));
}

static void test_too_much_on_stderr(void)
{
    wfa_child_spec spec = script("a", "head -c 5000 /dev/zero >&2; sleep 60");
    wfa_child *child;

    spec.max_log = 1000;
    child = run(&spec);
    TEST_ASSERT_EQUAL(WFA_END_OUTPUT_LIMIT, wfa_child_reason(child));
    TEST_ASSERT_NOT_NULL(strstr(wfa_child_message(child), "1000 bytes on stderr"));
}

static void test_writes_nothing(void)
{
    wfa_child_spec spec = script("a", "true");

    assert_output(run(&spec), "");
}

static void test_forks_and_leaves(void)
{
    wfa_child_spec spec = script("a", "sh -c 'echo $$ > left; exec sleep 60' & "
                                      "while ! [ -s left ]; do sleep 0.01; done; echo done");
    wfa_child *child;
    pid_t left;

    spec.folder = workspace;
    child = run(&spec);
    TEST_ASSERT_EQUAL(WFA_END_EXITED, wfa_child_reason(child));
    TEST_ASSERT_TRUE(wfa_child_duration(child) < 5000); /* its stdout is still open there */
    assert_output(child, "done\n");
    left = told_pid("left");
    assert_goes_away(left);
}

static void test_closes_stdout_and_runs_on(void)
{
    wfa_child_spec spec = script("a", "echo early; exec >&- 2>&-; sleep 0.2; exit 4");
    wfa_child *child = run(&spec);

    TEST_ASSERT_EQUAL(4, wfa_child_code(child));
    TEST_ASSERT_TRUE(wfa_child_duration(child) >= 200);
    assert_output(child, "early\n");
}

static void test_never_reads_what_it_is_asked(void)
{
    size_t length = 5000000;
    char *input = malloc(length);
    wfa_child_spec spec = script("a", "exec <&-; echo done");

    memset(input, 'x', length);
    spec.input = input;
    spec.input_length = length;
    assert_output(run(&spec), "done\n");
    free(input);
}

static void test_stops_itself(void)
{
    wfa_child_spec spec = script("a", "kill -STOP $$");

    spec.timeout_ms = 100;
    TEST_ASSERT_EQUAL(WFA_END_TIMEOUT, wfa_child_reason(run(&spec)));
}

static void test_cancel(void)
{
    wfa_child_spec spec = script("a", "sleep 60 & sleep 60");
    wfa_child *child = start(&spec);

    wfa_child_cancel(child);
    TEST_ASSERT_EQUAL(WFA_CHILD_STOPPING, wfa_child_state_of(child));
    wait_for(child);
    TEST_ASSERT_EQUAL(WFA_END_CANCELED, wfa_child_reason(child));
    wfa_child_cancel(child); /* nothing more */
    TEST_ASSERT_EQUAL(WFA_END_CANCELED, wfa_child_reason(child));
}

static void test_forgotten_ones_are_freed_at_their_end(void)
{
    wfa_child_spec spec = script("a", "sleep 60");
    wfa_child *child = start(&spec);
    int64_t limit = now_ms() + 60000;

    wfa_child_cancel(child);
    wfa_child_forget(child);
    while (wfa_children_running(children) > 0 && now_ms() < limit)
        (void)wfa_children_poll(children, 100);
    TEST_ASSERT_EQUAL(0, wfa_children_running(children));
}

static void test_fifty_at_once(void)
{
    enum { MANY = 50 };
    wfa_child *all[MANY];
    int index, ended = 0;
    int64_t begin = now_ms();

    for (index = 0; index < MANY; index++) {
        char name[16];
        wfa_child_spec spec;
        (void)snprintf(name, sizeof name, "a%d", index);
        spec = script(name, "sleep 0.3; cat");
        spec.input = name;
        spec.input_length = strlen(name);
        all[index] = start(&spec);
    }
    TEST_ASSERT_EQUAL(MANY, wfa_children_running(children));
    while (ended < MANY && now_ms() < begin + 60000)
        ended += wfa_children_poll(children, 1000);
    TEST_ASSERT_EQUAL(MANY, ended);
    TEST_ASSERT_TRUE(now_ms() - begin < 12000); /* one after the other: 15 s */
    for (index = 0; index < MANY; index++) {
        char name[16];
        (void)snprintf(name, sizeof name, "a%d", index);
        assert_output(all[index], name);
    }
}

static void test_free_leaves_nobody(void)
{
    wfa_child_spec spec = script("a", "trap '' TERM; echo $$ > one; "
                                      "sh -c 'echo $$ > two; exec sleep 60'");
    pid_t one, two;

    spec.folder = workspace;
    (void)start(&spec);
    one = told_pid("one");
    two = told_pid("two");
    wfa_children_free(children);
    children = NULL;
    TEST_ASSERT_FALSE(is_there(one));
    assert_goes_away(two);
    TEST_ASSERT_EQUAL(-1, waitpid(-1, NULL, WNOHANG));
    TEST_ASSERT_EQUAL(ECHILD, errno);
}

static void on_signal(int number)
{
    (void)number;
}

static void test_poll_returns_on_a_signal(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    int64_t begin = now_ms();

    (void)sigaction(SIGALRM, &action, NULL);
    (void)alarm(1);
    TEST_ASSERT_EQUAL(0, wfa_children_poll(children, 60000));
    TEST_ASSERT_TRUE(now_ms() - begin < 50000);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_answers_what_it_was_asked);
    RUN_TEST(test_folder_and_environment);
    RUN_TEST(test_path_of_the_given_environment_counts);
    RUN_TEST(test_inherits_no_file_and_no_signal_setting);
    RUN_TEST(test_works_when_the_host_has_no_stdin);
    RUN_TEST(test_ends);
    RUN_TEST(test_what_cannot_be_started);
    RUN_TEST(test_files_that_cannot_be_made);
    RUN_TEST(test_time_limit);
    RUN_TEST(test_ignores_sigterm);
    RUN_TEST(test_what_has_left_its_group_is_stopped_with_it);
    RUN_TEST(test_what_has_left_the_group_of_one_that_was_killed);
    RUN_TEST(test_another_run_is_not_stopped);
    RUN_TEST(test_may_clean_up_on_sigterm);
    RUN_TEST(test_a_hundred_megabytes);
    RUN_TEST(test_too_much_and_gone_before_anybody_looks);
    RUN_TEST(test_too_much_on_stderr);
    RUN_TEST(test_writes_nothing);
    RUN_TEST(test_forks_and_leaves);
    RUN_TEST(test_closes_stdout_and_runs_on);
    RUN_TEST(test_never_reads_what_it_is_asked);
    RUN_TEST(test_stops_itself);
    RUN_TEST(test_cancel);
    RUN_TEST(test_forgotten_ones_are_freed_at_their_end);
    RUN_TEST(test_fifty_at_once);
    RUN_TEST(test_free_leaves_nobody);
    RUN_TEST(test_poll_returns_on_a_signal);
    return UNITY_END() != 0;
}
