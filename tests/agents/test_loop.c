/* The loop: what ends it, and what it tells about it. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unity.h>
#include <wfsm/loop.h>
#include <wfsm/wfsm.h>

static const char document[] =
    "{\"id\":\"m\",\"initial\":\"work\",\"states\":{"
    "\"work\":{\"invoke\":{\"src\":\"worker\",\"onDone\":\"rest\"}},"
    "\"rest\":{\"after\":{\"30\":\"done\"}},\"done\":{\"type\":\"final\"}}}";

enum { LAPSE = 600 };

static wfsm_store *store;
static wfsm_loop *loop;
static wfsm_error *error;
static volatile sig_atomic_t own_signals;
static int number, lost_count;
static ssize_t was_read;

void setUp(void)
{
    loop = NULL;
    number = lost_count = own_signals = 0;
    was_read = -1;
    error = wfsm_error_new(NULL);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_memory_open(&store, NULL, error));
}

void tearDown(void)
{
    wfsm_loop_free(loop);
    wfsm_store_free(store);
    wfsm_error_free(error);
}

static void catch_own(int caught)
{
    (void)caught;
    own_signals++;
}

/* Sends itself a signal if there is one to be sent, and then answers. */
static int32_t work(void *user, wfsm_call *call)
{
    (void)user;
    if (number)
        TEST_ASSERT_EQUAL(0, raise(number));
    return wfsm_call_done(call, "null", 4);
}

/* The state in /proc is behind the program's name, which has no blank. */
static int is_asleep(pid_t process)
{
    char path[64], state = 0;
    FILE *file;

    (void)snprintf(path, sizeof path, "/proc/%ld/stat", (long)process);
    file = fopen(path, "r");
    if (file && fscanf(file, "%*d %*s %c", &state) != 1)
        state = 0;
    if (file)
        (void)fclose(file);
    return state == 'S';
}

/* Reads what a program writes, and the signal comes meanwhile. */
static int32_t read_program(void *user, wfsm_call *call)
{
    int ends[2];
    char byte = 0;
    pid_t child;

    (void)user;
    TEST_ASSERT_EQUAL(0, pipe(ends));
    child = fork();
    if (child == 0) {
        while (!is_asleep(getppid()))
            continue;
        (void)kill(getppid(), number);
        _exit(write(ends[1], "x", 1) != 1);
    }
    was_read = read(ends[0], &byte, 1);
    (void)close(ends[0]);
    (void)close(ends[1]);
    TEST_ASSERT_EQUAL(child, waitpid(child, NULL, 0));
    return wfsm_call_done(call, "null", 4);
}

static int32_t never(void *user, wfsm_call *call)
{
    (void)user;
    (void)call;
    return WFSM_OK;
}

static int32_t count_lost(void *user, wfsm_call *call)
{
    (void)user;
    (void)call;
    lost_count++;
    return WFSM_OK;
}

static void make(wfsm_callback agent, int32_t serve)
{
    const wfsm_engine_options named = {.size = sizeof named, .lapse_ms = LAPSE};
    const wfsm_loop_options options = {.size = sizeof options,
                                       .engine = &named,
                                       .serve = serve,
                                       .poll_ms = 10,
                                       .lost = count_lost};
    wfsm_machine *machine = NULL;

    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_loop_new(&loop, store, &options, error));
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_machine_load(&machine, document, sizeof document - 1, NULL, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_add_machine(wfsm_loop_engine(loop), machine, error));
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_engine_add_agent(wfsm_loop_engine(loop), "worker", agent, NULL, error));
    wfsm_machine_unref(machine);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_loop_take(loop, "m", "one", NULL, 0, error));
}

static int64_t rounds[3];
static size_t started;

/* Each takes longer than a round may. */
static int32_t start_slowly(void *user, wfsm_call *call)
{
    int64_t until = wfsm_agents_clock(NULL) + LAPSE / 10;

    (void)user;
    if (started < 3)
        rounds[started++] = wfsm_call_now(call);
    while (wfsm_agents_clock(NULL) < until)
        continue;
    return wfsm_call_done(call, "1", 1);
}

static void slow_agents_are_started_in_several_rounds(void)
{
    started = 0;
    make(start_slowly, 0);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_loop_take(loop, "m", "two", NULL, 0, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_loop_take(loop, "m", "three", NULL, 0, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_loop_run(loop, error));
    TEST_ASSERT_EQUAL_size_t(3, started);
    TEST_ASSERT_GREATER_THAN_INT64(rounds[0], rounds[1]);
    TEST_ASSERT_GREATER_THAN_INT64(rounds[1], rounds[2]);
}

static int32_t status_of_one(void)
{
    return wfsm_instance_status(wfsm_engine_instance(wfsm_loop_engine(loop), "one"));
}

static void it_runs_until_nothing_is_left_and_waits_for_deadlines(void)
{
    make(work, 0);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_loop_run(loop, error));
    TEST_ASSERT_EQUAL(WFSM_DONE, status_of_one());
    TEST_ASSERT_EQUAL(0, wfsm_loop_signal(loop));
}

static void a_signal_ends_it_and_the_next_run_continues(void)
{
    static const int signals[] = {SIGINT, SIGTERM};
    struct sigaction own = {.sa_handler = catch_own}, now;

    TEST_ASSERT_EQUAL(0, sigaction(SIGINT, &own, NULL));
    TEST_ASSERT_EQUAL(0, sigaction(SIGTERM, &own, NULL));
    for (size_t i = 0; i < 2; i++) {
        number = signals[i];
        make(work, 1);
        TEST_ASSERT_EQUAL(WFSM_OK, wfsm_loop_run(loop, error));
        TEST_ASSERT_EQUAL(signals[i], wfsm_loop_signal(loop));
        TEST_ASSERT_EQUAL(WFSM_RUNNING, status_of_one());
        TEST_ASSERT_EQUAL(0, sigaction(signals[i], NULL, &now));
        TEST_ASSERT_TRUE(now.sa_handler == catch_own);
        number = 0;
        wfsm_loop_free(loop);
        wfsm_store_free(store);
        TEST_ASSERT_EQUAL(WFSM_OK, wfsm_memory_open(&store, NULL, error));
        loop = NULL;
    }
    TEST_ASSERT_EQUAL(0, own_signals);
    make(work, 0);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_loop_run(loop, error));
    TEST_ASSERT_EQUAL(0, wfsm_loop_signal(loop));
    TEST_ASSERT_EQUAL(WFSM_DONE, status_of_one());
}

static void a_signal_does_not_cut_off_what_a_callback_reads(void)
{
    number = SIGTERM;
    make(read_program, 1);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_loop_run(loop, error));
    TEST_ASSERT_EQUAL(SIGTERM, wfsm_loop_signal(loop));
    TEST_ASSERT_EQUAL(1, was_read);
}

static void a_lost_instance_is_an_error(void)
{
    const wfsm_engine_options options = {.size = sizeof options, .session = "other"};
    wfsm_engine *other = NULL;
    int64_t later = wfsm_agents_now() + 10 * LAPSE;

    make(never, 0);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_new(&other, store, &options, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_engine_adopt(other, "one", later, error));
    TEST_ASSERT_EQUAL(WFSM_DENIED, wfsm_loop_run(loop, error));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "one: another engine has taken"));
    TEST_ASSERT_EQUAL(1, lost_count);
    /* it is reported once, and what lives on belongs to the other one */
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_loop_run(loop, error));
    TEST_ASSERT_EQUAL(WFSM_DENIED, wfsm_loop_take(loop, "m", "one", NULL, 0, error));
    wfsm_engine_free(other);
}

static void an_error_of_the_engine_ends_it(void)
{
    make(work, 1);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_store_batch(store, error));
    TEST_ASSERT_EQUAL(WFSM_BUSY, wfsm_loop_run(loop, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_store_flush(store, NULL, error));
    number = SIGTERM;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_loop_run(loop, error));
}

static void read_one(void *user, int32_t descriptor, int32_t events)
{
    char byte;

    TEST_ASSERT_EQUAL(WFSM_LOOP_READ, events);
    TEST_ASSERT_EQUAL(1, read(descriptor, &byte, 1));
    ++*(int *)user;
    TEST_ASSERT_EQUAL(WFSM_BUSY, wfsm_loop_run(loop, error));
    if (byte == '.')
        wfsm_loop_stop(loop);
}

static void a_descriptor_is_watched(void)
{
    int ends[2], calls = 0;

    TEST_ASSERT_EQUAL(0, pipe(ends));
    make(work, 1);
    TEST_ASSERT_EQUAL(WFSM_OK,
                      wfsm_loop_watch(loop, ends[0], WFSM_LOOP_READ, read_one, &calls, error));
    TEST_ASSERT_EQUAL(3, write(ends[1], "ab.", 3));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_loop_run(loop, error));
    TEST_ASSERT_EQUAL(3, calls);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_loop_watch(loop, ends[0], 0, NULL, NULL, error));
    TEST_ASSERT_EQUAL(1, write(ends[1], ".", 1));
    wfsm_loop_stop(loop); /* counts for the next run */
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_loop_run(loop, error));
    TEST_ASSERT_EQUAL(3, calls);
    TEST_ASSERT_EQUAL(WFSM_INVALID,
                      wfsm_loop_watch(loop, -1, WFSM_LOOP_READ, read_one, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_loop_watch(loop, 0, 4, read_one, NULL, error));
    (void)close(ends[0]);
    (void)close(ends[1]);
}

typedef struct three {
    int ends[4][2]; /* the last one takes the place of two */
    int calls;
} three;

static void replace_two(void *user, int32_t descriptor, int32_t events)
{
    three *self = user;

    TEST_ASSERT_EQUAL(WFSM_LOOP_READ, events);
    if (descriptor == self->ends[3][0])
        wfsm_loop_stop(loop);
    else
        self->calls++;
    for (int i = 0; i < 3; i++)
        TEST_ASSERT_EQUAL(WFSM_OK,
                          wfsm_loop_watch(loop, self->ends[i][0], 0, NULL, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_loop_watch(loop, self->ends[3][0], WFSM_LOOP_READ,
                                               replace_two, self, error));
}

/* A sanitizer sees whether the loop reads what was behind them. */
static void what_is_watched_changes_meanwhile(void)
{
    three self = {.calls = 0};

    make(work, 1);
    for (int i = 0; i < 4; i++) {
        TEST_ASSERT_EQUAL(0, pipe(self.ends[i]));
        TEST_ASSERT_EQUAL(1, write(self.ends[i][1], "a", 1));
    }
    for (int i = 0; i < 3; i++)
        TEST_ASSERT_EQUAL(WFSM_OK, wfsm_loop_watch(loop, self.ends[i][0], WFSM_LOOP_READ,
                                                   replace_two, &self, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_loop_run(loop, error));
    TEST_ASSERT_EQUAL(1, self.calls);
    for (int i = 0; i < 4; i++) {
        (void)close(self.ends[i][0]);
        (void)close(self.ends[i][1]);
    }
}

static void what_is_wrong_is_refused(void)
{
    const wfsm_loop_options wrong = {.size = sizeof wrong, .poll_ms = -1};

    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_loop_new(&loop, NULL, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_loop_new(&loop, store, &wrong, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_loop_new(&loop, store, NULL, error));
    TEST_ASSERT_EQUAL(WFSM_IO, wfsm_loop_load(loop, "nowhere.json", error));
    TEST_ASSERT_EQUAL(WFSM_NOT_FOUND, wfsm_loop_take(loop, "m", "one", NULL, 0, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_loop_take(NULL, "m", "one", NULL, 0, error));
    TEST_ASSERT_EQUAL(WFSM_INVALID, wfsm_loop_run(NULL, error));
    TEST_ASSERT_NULL(wfsm_loop_engine(NULL));
    wfsm_loop_stop(NULL);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(it_runs_until_nothing_is_left_and_waits_for_deadlines);
    RUN_TEST(a_signal_ends_it_and_the_next_run_continues);
    RUN_TEST(a_signal_does_not_cut_off_what_a_callback_reads);
    RUN_TEST(slow_agents_are_started_in_several_rounds);
    RUN_TEST(a_lost_instance_is_an_error);
    RUN_TEST(an_error_of_the_engine_ends_it);
    RUN_TEST(a_descriptor_is_watched);
    RUN_TEST(what_is_watched_changes_meanwhile);
    RUN_TEST(what_is_wrong_is_refused);
    return UNITY_END() != 0;
}
