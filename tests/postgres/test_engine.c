/* Engines on a server. The argument is how many instances are driven while sessions of the server are ended
 * and answers are lost at random. */
#include "postgres/relay.h"
#include "postgres/server.h"
#include "store/store.h"

#include "pg.h"

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

enum { EVENTS = 8 };

static const char document[] =
    "{\"id\": \"job\", \"initial\": \"a\", \"context\": {\"n\": 0}, \"on\": {\"ADD\": {\"actions\": ["
    "{\"type\": \"assign\", \"params\": {\"n\": {\"+\": [{\"var\": \"context.n\"}, 1]}}},"
    "{\"type\": \"emit\", \"params\": {\"event\": \"added\"}}]}}, \"states\": {"
    "\"a\": {\"invoke\": {\"src\": \"worker\", \"onDone\": \"b\"}},"
    "\"b\": {\"invoke\": {\"src\": \"worker\", \"onDone\": \"c\"}},"
    "\"c\": {\"always\": {\"guard\": {\"==\": [{\"var\": \"context.n\"}, 8]}, \"target\": \"end\"}},"
    "\"end\": {\"type\": \"final\"}}}";

static wfsm_store *store, *plain;
static wfsm_engine *engine;
static wfsm_error *error;
static relay *between;
static long instances = 12;
static long delivered, unknown, failed;
/* Calls that succeeded, in memory that children share. Faults come after so many of them, so that the
 * engine gets on however slow the machine is. */
static volatile long *successes;

#define OK(call)                                                                               \
    TEST_ASSERT_EQUAL_STRING_MESSAGE("OK", wfsm_status_name(call), wfsm_error_message(error))

static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int32_t work(void *user, wfsm_call *call)
{
    (void)user;
    return wfsm_call_done(call, "true", 4);
}

static int32_t deliver(void *user, wfsm_call *call)
{
    (void)user, (void)call;
    delivered++;
    return WFSM_OK;
}

static wfsm_store *open_at(const char *address)
{
    const wfsm_postgres_options options = {
        .size = sizeof options, .tenant = "engines", .answer_ms = 5000};
    wfsm_store *opened = NULL;

    OK(wfsm_postgres_open(&opened, address, &options, NULL, error));
    return opened;
}

static void make_engine(const char *session)
{
    const wfsm_engine_options options = {
        .size = sizeof options, .session = session, .lapse_ms = 60000, .look_ms = 1};
    wfsm_machine *machine = NULL;

    OK(wfsm_engine_new(&engine, store, &options, error));
    OK(wfsm_machine_load(&machine, document, sizeof document - 1, NULL, NULL, error));
    OK(wfsm_engine_add_machine(engine, machine, error));
    OK(wfsm_engine_add_agent(engine, "worker", work, NULL, error));
    OK(wfsm_engine_on_effect(engine, deliver, NULL, error));
    wfsm_machine_unref(machine);
}

void setUp(void)
{
    server_wipe();
    between->hold = between->mute = 0;
    error = wfsm_error_new(NULL);
    store = open_at(relay_address());
    plain = open_at(server_address());
    delivered = unknown = failed = 0;
}

void tearDown(void)
{
    between->mute = 0;
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    wfsm_store_free(plain);
    wfsm_error_free(error);
    engine = NULL; /* if the next test cannot begin, nothing is freed twice */
    store = plain = NULL;
    error = NULL;
}

static const char *name_of(long number)
{
    static char name[32];

    snprintf(name, sizeof name, "job-%ld", number);
    return name;
}

/* An engine carries on after a lost answer. A failed start is made again. */
static bool is_passing(int32_t status)
{
    *successes += status == WFSM_OK;
    if (status != WFSM_OK)
        server_revive();
    unknown += status == WFSM_STORE_UNKNOWN;
    failed += status == WFSM_STORE_FAILED || status == WFSM_IO;
    return status == WFSM_STORE_UNKNOWN || status == WFSM_STORE_FAILED || status == WFSM_IO ||
           status == WFSM_CONFLICT;
}

/* A post has an id, so that it may be made again. */
static void post(long instance, int event)
{
    char id[32];
    int32_t status;

    snprintf(id, sizeof id, "e-%d", event);
    do
        status = wfsm_store_post(plain, name_of(instance), "ADD", id, NULL, 0, now(), error);
    while (is_passing(status));
    TEST_ASSERT_TRUE_MESSAGE(status == WFSM_OK || status == WFSM_EXISTS,
                             wfsm_error_message(error));
}

static void post_all(void)
{
    for (int event = 0; event < EVENTS; event++)
        for (long i = 0; i < instances; i++)
            post(i, event);
}

static void start(long number)
{
    int32_t status;

    do {
        status = wfsm_engine_start(engine, "job", name_of(number), NULL, 0, now(), error);
        if (status == WFSM_EXISTS)
            status = wfsm_engine_adopt(engine, name_of(number), now(), error);
    } while (is_passing(status));
    OK(status);
}

static void run_once(void)
{
    int32_t status = wfsm_engine_run(engine, now(), error);

    if (!is_passing(status))
        OK(status);
}

static int32_t count_row(void *user, const wfsm_row *row)
{
    (void)row;
    ++*(long *)user;
    return WFSM_OK;
}

static long running(void)
{
    const wfsm_query query = {.size = sizeof query, .status = WFSM_RUNNING};
    long count = 0;
    int32_t status;

    do {
        count = 0;
        status = wfsm_store_list(plain, &query, count_row, &count, error);
    } while (is_passing(status));
    OK(status);
    return count;
}

static int32_t report(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    (void)user;
    TEST_FAIL_MESSAGE(diagnostic->message);
    return WFSM_OK;
}

static void check_all(void)
{
    for (long i = 0; i < instances; i++) {
        wfsm_audit_counts counts = {.size = sizeof counts};

        OK(wfsm_store_audit(plain, name_of(i), report, NULL, &counts, error));
    }
    TEST_ASSERT_EQUAL_INT64(instances * EVENTS,
                            server_number("SELECT count(*) FROM wfsm.record WHERE event IS NOT"
                                          " NULL"));
    TEST_ASSERT_EQUAL_INT64(0, server_number("SELECT count(*) FROM wfsm.post"));
    TEST_ASSERT_TRUE(delivered >= instances * EVENTS);
}

/* Head, snapshot and records come in one round trip. A machine that is not given is one more, because which
 * document it is follows from the head; an engine has its machines. */
static void a_load_is_one_round_trip(void)
{
    const wf_pg *db = store->self;
    wfsm_machine *machine = NULL;
    wfsm_instance *instance = NULL;
    uint64_t trips;

    make_engine("one");
    OK(wfsm_engine_start(engine, "job", "a", NULL, 0, now(), error));
    for (int i = 0; i < 3; i++)
        OK(wfsm_engine_send(engine, "a", "ADD", NULL, NULL, 0, now(), NULL, error));
    OK(wfsm_machine_load(&machine, document, sizeof document - 1, NULL, NULL, error));
    trips = db->trips;
    OK(wfsm_instance_load(&instance, machine, store, NULL, "a", error));
    TEST_ASSERT_EQUAL_UINT64(trips + 1, db->trips);
    TEST_ASSERT_GREATER_OR_EQUAL_UINT64(4, wfsm_instance_revision(instance));
    wfsm_instance_free(instance);
    OK(wfsm_instance_load(&instance, NULL, store, NULL, "a", error));
    TEST_ASSERT_EQUAL_UINT64(trips + 3, db->trips);
    wfsm_instance_free(instance);
    TEST_ASSERT_EQUAL_STRING("NOT_FOUND", wfsm_status_name(wfsm_instance_load(
                                              &instance, machine, store, NULL, "b", error)));
    TEST_ASSERT_EQUAL_UINT64(trips + 4, db->trips);
    wfsm_machine_unref(machine);
}

/* Nothing waits here: each run makes one round, and each round one round trip. */
static void a_round_is_one_round_trip(void)
{
    const wf_pg *db = store->self;
    uint64_t rounds = 0, trips;

    make_engine("quiet");
    for (long i = 0; i < instances; i++)
        start(i);
    post_all();
    trips = db->trips;
    for (; running() > 0; rounds++)
        run_once();
    printf("%llu rounds, %llu round trips\n", (unsigned long long)rounds,
           (unsigned long long)(db->trips - trips));
    TEST_ASSERT_TRUE(db->trips - trips <= rounds);
    TEST_ASSERT_EQUAL_INT64(0, unknown + failed);
    check_all();
}

/* In a child. */
static void await_successes(long wanted)
{
    const struct timespec moment = {0, 200000};

    while (*successes < wanted)
        nanosleep(&moment, NULL);
}

/* In a child: ends sessions of the server, and loses answers, until it is killed. */
static pid_t start_faults(void)
{
    pid_t child = fork();
    unsigned seed = 7;

    if (child != 0)
        return child;
    server_forget();
    for (long next = 1;; next = *successes + 1 + rand_r(&seed) % 10) {
        await_successes(next);
        if (rand_r(&seed) % 2 == 0)
            between->mute = between->count;
        else
            server_run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                       " WHERE backend_type = 'client backend' AND application_name <> 'admin'"
                       " ORDER BY random() LIMIT 1");
    }
}

static void nothing_is_lost_while_sessions_end(void)
{
    pid_t child;

    make_engine("troubled");
    child = start_faults();
    for (long i = 0; i < instances; i++)
        start(i);
    post_all();
    while (running() > 0)
        run_once();
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    between->mute = 0;
    for (int i = 0; i < 3; i++) /* the last effects are acknowledged */
        run_once();
    printf("%d connections, %ld lost answers, %ld failed calls, %ld effects delivered\n",
           between->count, unknown, failed, delivered);
    check_all();
}

/* In a child: kill -9 of the whole server, a few times. */
static pid_t start_kills(int times)
{
    pid_t child = fork();
    unsigned seed = 11;

    if (child != 0)
        return child;
    server_forget();
    while (times-- > 0) {
        server_await_restart();
        await_successes(*successes + 1 + rand_r(&seed) % 30);
        server_kill_from_child();
        server_forget();
    }
    server_await_restart();
    _exit(0);
}

static void nothing_is_lost_while_the_server_is_killed(void)
{
    int status = -1;
    pid_t child;

    make_engine("killed");
    child = start_kills(instances < 100 ? 3 : 30);
    for (long i = 0; i < instances; i++)
        start(i);
    post_all();
    while (running() > 0 || waitpid(child, &status, WNOHANG) == 0)
        run_once();
    TEST_ASSERT_EQUAL_INT(0, status);
    for (int i = 0; i < 10; i++)
        run_once();
    printf("%ld lost answers, %ld failed calls, %ld effects delivered\n", unknown, failed,
           delivered);
    check_all();
}

int main(int count, char **arguments)
{
    if (!server_start())
        return 77;
    if (count > 1)
        instances = strtol(arguments[1], NULL, 10);
    successes = mmap(NULL, sizeof *successes, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (successes == MAP_FAILED)
        return 1;
    between = relay_start();
    wfsm_store_free(server_open(server_address(), "engines"));
    UNITY_BEGIN();
    RUN_TEST(a_round_is_one_round_trip);
    RUN_TEST(a_load_is_one_round_trip);
    RUN_TEST(nothing_is_lost_while_sessions_end);
    RUN_TEST(nothing_is_lost_while_the_server_is_killed);
    return UNITY_END() != 0;
}
