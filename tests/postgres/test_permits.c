/* Engines in several processes share a limit on a server. What is at work is counted in memory that they
 * share, under a lock: it is never more than the limit, also when one of them is killed with -9. The argument is
 * how many instances each process has. */
#include "postgres/server.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <unity.h>
#include <wfsm/wfsm.h>

enum { PROCESSES = 4, LIMIT = 3, LAPSE = 1500, MOST_AGE = 3 };

static const char document[] =
    "{\"id\": \"job\", \"initial\": \"a\", \"states\": {"
    "\"a\": {\"invoke\": {\"src\": \"worker\", \"onDone\": \"b\"}},"
    "\"b\": {\"invoke\": {\"src\": \"worker\", \"onDone\": \"end\"}},"
    "\"end\": {\"type\": \"final\"}}}";

/* What all processes count. */
typedef struct counts {
    pthread_mutex_t lock; /* stays usable if its owner is killed */
    int working[PROCESSES];
    int starts[PROCESSES];
    int most; /* at work at once */
} counts;

static counts *shared;
static long instances = 6;
static int self; /* the number of this process */
static bool dies; /* by kill -9, in the middle of its work */
static wfsm_error *error;

#define OK(call)                                                                               \
    TEST_ASSERT_EQUAL_STRING_MESSAGE("OK", wfsm_status_name(call), wfsm_error_message(error))

static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void take_lock(void)
{
    if (pthread_mutex_lock(&shared->lock) == EOWNERDEAD)
        pthread_mutex_consistent(&shared->lock);
}

static void count(int change)
{
    int sum = 0;

    take_lock();
    shared->working[self] += change;
    shared->starts[self] += change > 0;
    for (int i = 0; i < PROCESSES; i++)
        sum += shared->working[i];
    shared->most = sum > shared->most ? sum : shared->most;
    pthread_mutex_unlock(&shared->lock);
}

static int32_t start_work(void *user, wfsm_call *call)
{
    (void)user, (void)call;
    count(1);
    return WFSM_OK;
}

/* Each invocation is polled a few times before it ends. */
static int32_t poll_work(void *user, wfsm_call *call)
{
    int *age = user;

    if (dies && shared->starts[self] >= 4)
        kill(getpid(), SIGKILL); /* while this work is not done */
    if (++*age % MOST_AGE != 0)
        return WFSM_OK;
    count(-1);
    return wfsm_call_done(call, "1", 1);
}

static int32_t cancel_work(void *user, wfsm_call *call)
{
    (void)user, (void)call;
    count(-1);
    return WFSM_OK;
}

void setUp(void)
{
    server_wipe();
    memset(shared->working, 0, sizeof shared->working);
    memset(shared->starts, 0, sizeof shared->starts);
    shared->most = 0;
}

void tearDown(void)
{
}

static wfsm_store *open_store(void)
{
    const wfsm_postgres_options options = {
        .size = sizeof options, .tenant = "permits", .create = 1};
    wfsm_store *store = NULL;

    OK(wfsm_postgres_open(&store, server_address(), &options, NULL, error));
    return store;
}

static wfsm_engine *make_engine(wfsm_store *store, int *age)
{
    const wfsm_agent agent = {.size = sizeof agent,
                              .start = start_work,
                              .poll = poll_work,
                              .cancel = cancel_work,
                              .user = age};
    char session[32];
    wfsm_engine_options options = {.size = sizeof options,
                                   .session = session,
                                   .lapse_ms = LAPSE,
                                   .look_ms = 20,
                                   .look_most_ms = LAPSE / 3};
    wfsm_machine *machine = NULL;
    wfsm_engine *engine = NULL;

    snprintf(session, sizeof session, "p%d-%ld", self, (long)getpid());
    OK(wfsm_engine_new(&engine, store, &options, error));
    OK(wfsm_machine_load(&machine, document, sizeof document - 1, NULL, NULL, error));
    OK(wfsm_engine_add_machine(engine, machine, error));
    wfsm_machine_unref(machine);
    OK(wfsm_engine_add_agent_full(engine, "worker", &agent, error));
    OK(wfsm_engine_limit_shared(engine, WFSM_POOL_AGENT, "worker", LIMIT, error));
    return engine;
}

/* Until all instances of the store have ended: it takes over those of the process that was killed. */
static void run_process(void)
{
    int age = 0;
    char id[32];
    wfsm_store *store;
    wfsm_engine *engine;

    server_forget();
    error = wfsm_error_new(NULL);
    store = open_store();
    engine = make_engine(store, &age);
    for (long i = 0; i < instances; i++) {
        snprintf(id, sizeof id, "i-%d-%ld", self, i);
        OK(wfsm_engine_start(engine, "job", id, NULL, 0, now(), error));
    }
    for (int64_t next = 0;;) {
        int32_t status = wfsm_engine_run(engine, now(), error);

        if (status != WFSM_OK)
            fprintf(stderr, "process %d: %s\n", self, wfsm_error_message(error));
        if (wfsm_engine_idle(engine) && now() >= next) {
            size_t found = 0;

            wfsm_engine_adopt_all(engine, now(), &found, error);
            if (found == 0 &&
                server_number("SELECT count(*) FROM wfsm.head WHERE status = 1") == 0)
                break;
            next = now() + 100;
        }
        poll(NULL, 0, 2);
    }
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    _exit(0);
}

static pid_t start_process(int number, bool is_to_die)
{
    pid_t child = fork();

    if (child != 0)
        return child;
    self = number;
    dies = is_to_die;
    run_process();
    _exit(1);
}

static void report_and_check(int killed)
{
    int starts = 0;

    for (int i = 0; i < PROCESSES; i++) {
        printf("process %d: %d starts\n", i, shared->starts[i]);
        starts += shared->starts[i];
        if (i != killed)
            TEST_ASSERT_EQUAL_INT(0, shared->working[i]);
    }
    printf("at most %d at work at once\n", shared->most);
    TEST_ASSERT_TRUE(shared->most >= 1 && shared->most <= LIMIT);
    TEST_ASSERT_TRUE(starts >= 2 * PROCESSES * instances);
    TEST_ASSERT_EQUAL_INT64(PROCESSES * instances,
                            server_number("SELECT count(*) FROM wfsm.head WHERE status = 2"));
    TEST_ASSERT_EQUAL_INT64(0,
                            server_number("SELECT coalesce(sum(count), 0) FROM wfsm.permit AS p"
                                          " JOIN wfsm.session AS s ON s.name = p.session"));
}

static void await_end(pid_t child)
{
    int status = 1;

    TEST_ASSERT_EQUAL(child, waitpid(child, &status, 0));
    TEST_ASSERT_EQUAL_INT(0, status);
}

static void processes_share_a_limit(void)
{
    pid_t children[PROCESSES];

    for (int i = 0; i < PROCESSES; i++)
        children[i] = start_process(i, false);
    for (int i = 0; i < PROCESSES; i++)
        await_end(children[i]);
    report_and_check(-1);
}

/* It is killed while it works. The others wait for its lease, and then use its permits. */
static void a_process_that_is_killed_leaves_its_permits(void)
{
    pid_t children[PROCESSES];
    int status = 0;

    for (int i = 0; i < PROCESSES; i++)
        children[i] = start_process(i, i == 0);
    waitpid(children[0], &status, 0);
    TEST_ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    take_lock();
    shared->working[0] = 0; /* its work has ended with it */
    pthread_mutex_unlock(&shared->lock);
    for (int i = 1; i < PROCESSES; i++)
        await_end(children[i]);
    report_and_check(0);
}

static void make_counts(void)
{
    pthread_mutexattr_t kind;

    shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&shared->lock, &kind);
    pthread_mutexattr_destroy(&kind);
}

int main(int count_of, char **arguments)
{
    if (!server_start())
        return 77;
    if (count_of > 1)
        instances = strtol(arguments[1], NULL, 10);
    make_counts();
    error = wfsm_error_new(NULL);
    wfsm_store_free(open_store());
    UNITY_BEGIN();
    RUN_TEST(processes_share_a_limit);
    RUN_TEST(a_process_that_is_killed_leaves_its_permits);
    return UNITY_END() != 0;
}
