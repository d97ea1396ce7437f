/*
 * Two incidents: the restart of 1,500 instances with agents at work, and an inbox of 12,000 posts.
 * Each took longer than the lease, so that a second engine took instances over and started their
 * agents once more. The clock moves with each sync alone: by 3 ms for the disk, and by 1 ms for the
 * work between two syncs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unity.h>
#include <wfsm/sqlite.h>
#include <wfsm/wfsm.h>

enum { INSTANCES = 1500, POSTS = 12000, SYNC_MS = 4, LAPSE = 10000, LOOK_MS = 100 };

static const char document[] =
    "{\"id\":\"flow\",\"initial\":\"work\",\"on\":{\"ping\":{}},\"states\":{\"work\":{\"invoke\":"
    "{\"src\":\"worker\",\"onUnknown\":\"retry\",\"onDone\":\"done\"}},"
    "\"done\":{\"type\":\"final\"}}}";

static char folder[] = "/tmp/wfsm-incidents-XXXXXX", path[64];
static int64_t now, looked_at;
static size_t started, pinged, lost, taken;
static unsigned char starts[INSTANCES];
static wfsm_engine *second;
static wfsm_error *error;

/* In place of the C library's: nothing here needs the disk, and its time is counted. */
int fsync(int file)
{
    (void)file;
    now += SYNC_MS;
    return 0;
}

int fdatasync(int file)
{
    return fsync(file);
}

void setUp(void)
{
    now = 1;
    looked_at = 0;
    started = pinged = lost = taken = 0;
    second = NULL;
    memset(starts, 0, sizeof starts);
    error = wfsm_error_new(NULL);
}

void tearDown(void)
{
    wfsm_error_free(error);
    (void)remove(path);
}

static void check(int32_t status)
{
    if (status != WFSM_OK)
        TEST_FAIL_MESSAGE(wfsm_error_message(error));
}

/* The second engine takes what it may, ten times a second. */
static void let_second_look(void)
{
    static size_t count;

    if (!second || now < looked_at + LOOK_MS)
        return;
    looked_at = now;
    count = 0;
    if (wfsm_engine_adopt_all(second, now, &count, NULL) == WFSM_OK)
        taken += count;
    (void)wfsm_engine_run(second, now, NULL);
}

/* The agent never answers. */
static int32_t start_work(void *user, wfsm_call *call)
{
    (void)user;
    started++;
    starts[atoi(wfsm_call_instance(call) + strlen("flow-"))]++;
    let_second_look();
    return WFSM_OK;
}

static int32_t count_lost(void *user, wfsm_call *call)
{
    (void)user;
    (void)call;
    lost++;
    return WFSM_OK;
}

static int32_t observe(void *user, wfsm_call *call)
{
    (void)user;
    if (strstr(wfsm_call_record(call, NULL), "\"ping\""))
        pinged++;
    let_second_look();
    return WFSM_OK;
}

static wfsm_store *open_store(void)
{
    wfsm_store *store = NULL;

    check(wfsm_sqlite_open(&store, path, NULL, NULL, error));
    return store;
}

static wfsm_engine *make_engine(wfsm_store *store, const char *session, int watches)
{
    const wfsm_engine_options options = {.size = sizeof options,
                                         .session = session,
                                         .lapse_ms = LAPSE,
                                         .slots = INSTANCES,
                                         .now = now};
    wfsm_machine *machine = NULL;
    wfsm_engine *engine = NULL;

    check(wfsm_engine_new(&engine, store, &options, error));
    check(wfsm_machine_load(&machine, document, sizeof document - 1, NULL, NULL, error));
    check(wfsm_engine_add_machine(engine, machine, error));
    wfsm_machine_unref(machine);
    check(wfsm_engine_add_agent(engine, "worker", start_work, NULL, error));
    if (watches) {
        check(wfsm_engine_observe(engine, observe, NULL, error));
        check(wfsm_engine_on_lost(engine, count_lost, NULL, error));
    }
    return engine;
}

/* A process that is killed while its agents work. */
static void leave_work(int instances)
{
    int state = 0;
    pid_t child = fork();

    if (child == 0) {
        wfsm_engine *engine = make_engine(open_store(), "killed", 0);
        char id[32];
        now = 1;
        for (int i = 0; i < instances; i++) {
            (void)snprintf(id, sizeof id, "flow-%d", i);
            check(wfsm_engine_start(engine, "flow", id, NULL, 0, 1, error));
        }
        for (int i = 0; i < 10; i++)
            check(wfsm_engine_run(engine, 1, error));
        _exit(wfsm_engine_working(engine) == (size_t)instances ? 0 : 1);
    }
    TEST_ASSERT_EQUAL(child, waitpid(child, &state, 0));
    TEST_ASSERT_EQUAL(0, state);
    now = 10 * LAPSE; /* its lease is over */
}

/* A round at a time, with the second engine looking between them. */
static void run_until(wfsm_engine *first, const size_t *count, size_t wanted)
{
    for (int i = 0; *count < wanted && i < 1000; i++) {
        check(wfsm_engine_run(first, now, error));
        let_second_look();
        if (wfsm_engine_deadline(first) > now)
            now++;
    }
}

static void nothing_was_done_twice(size_t instances)
{
    TEST_ASSERT_EQUAL(0, taken);
    TEST_ASSERT_EQUAL(0, lost);
    TEST_ASSERT_EQUAL(instances, started);
    for (size_t i = 0; i < instances; i++)
        TEST_ASSERT_EQUAL(1, starts[i]);
}

static void drop(wfsm_engine *first, wfsm_store *store, wfsm_store *other)
{
    wfsm_engine *engines[] = {first, second};

    second = NULL; /* nobody looks while they are freed */
    wfsm_engine_free(engines[0]);
    wfsm_engine_free(engines[1]);
    wfsm_store_free(store);
    wfsm_store_free(other);
}

static void a_restart_of_1500_instances_does_not_cost_the_lease(void)
{
    leave_work(INSTANCES);
    wfsm_store *store = open_store(), *other = open_store();
    wfsm_engine *first = make_engine(store, "first", 1);
    size_t count = 0;

    check(wfsm_engine_adopt_all(first, now, &count, error));
    TEST_ASSERT_EQUAL(INSTANCES, count);
    second = make_engine(other, "second", 0);
    int64_t begin = now;
    run_until(first, &started, INSTANCES);
    TEST_ASSERT_LESS_THAN(LAPSE / 10, now - begin);
    for (int64_t until = now + LAPSE; now < until; now += LOOK_MS) {
        check(wfsm_engine_run(first, now, error));
        let_second_look();
    }
    nothing_was_done_twice(INSTANCES);
    drop(first, store, other);
}

static void an_inbox_of_12000_posts_does_not_cost_the_lease(void)
{
    char event[32];

    leave_work(1);
    wfsm_store *store = open_store(), *other = open_store();
    for (int i = 0; i < POSTS; i++) {
        (void)snprintf(event, sizeof event, "ping-%d", i);
        check(wfsm_store_post(store, "flow-0", "ping", event, NULL, 0, now, error));
    }
    wfsm_engine *first = make_engine(store, "first", 1);
    check(wfsm_engine_adopt(first, "flow-0", now, error));
    second = make_engine(other, "second", 0);
    run_until(first, &pinged, POSTS);
    TEST_ASSERT_EQUAL(POSTS, pinged);
    nothing_was_done_twice(1);
    drop(first, store, other);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    (void)snprintf(path, sizeof path, "%s/incidents.db", folder);
    UNITY_BEGIN();
    RUN_TEST(a_restart_of_1500_instances_does_not_cost_the_lease);
    RUN_TEST(an_inbox_of_12000_posts_does_not_cost_the_lease);
    int failed = UNITY_END();
    (void)rmdir(folder);
    return failed;
}
