/*
 * W7, takeover: what an engine does while a second one waits for its instances, on a disk whose
 * syncs take a given time. bench_takeover FOLDER restart COUNT MICROSECONDS: so many instances, each
 * with an agent at work, whose process was killed. bench_takeover FOLDER backlog COUNT MICROSECONDS:
 * so many posts, for 100 instances. Both count what was done twice or taken over.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wfsm/sqlite.h>
#include <wfsm/wfsm.h>
#include "bench.h"
#include "floor.h"

static const char document[] =
    "{\"id\":\"flow\",\"initial\":\"work\",\"on\":{\"ping\":{}},\"states\":{\"work\":{\"invoke\":"
    "{\"src\":\"worker\",\"onUnknown\":\"retry\",\"onDone\":\"done\"}},"
    "\"done\":{\"type\":\"final\"}}}";

enum { INBOXES = 100, LAPSE = 10000, PATIENCE = 120000 };

/* What the two processes count together. */
typedef struct counts {
    _Atomic uint32_t started, consumed, lost, adopted;
    _Atomic uint8_t starts[]; /* of each instance */
} counts;

static counts *shared;
static uint32_t work;
static char path[4200];
static wfsm_error *error;

static void check(int32_t status)
{
    if (status != WFSM_OK)
        bench_fail("wfsm", wfsm_error_message(error));
}

/* The agent: it never answers. */
static int32_t begin_work(void *user, wfsm_call *call)
{
    (void)user;
    shared->starts[atoi(wfsm_call_instance(call) + strlen("flow-"))]++;
    shared->started++;
    return WFSM_OK;
}

static int32_t count_lost(void *user, wfsm_call *call)
{
    (void)user;
    (void)call;
    shared->lost++;
    return WFSM_OK;
}

static int32_t count_ping(void *user, wfsm_call *call)
{
    (void)user;
    size_t length;
    const char *record = wfsm_call_record(call, &length);
    if (record && strstr(record, "\"ping\""))
        shared->consumed++;
    return WFSM_OK;
}

static wfsm_store *open_store(int32_t synchronous)
{
    wfsm_sqlite_options options = {.size = sizeof options, .synchronous = synchronous};
    wfsm_store *store = NULL;
    check(wfsm_sqlite_open(&store, path, &options, NULL, error));
    return store;
}

static wfsm_engine *make_engine(wfsm_store *store, const char *session, int64_t now)
{
    const wfsm_engine_options options = {.size = sizeof options,
                                         .slots = work,
                                         .session = session,
                                         .lapse_ms = LAPSE,
                                         .now = now};
    wfsm_engine *engine = NULL;
    wfsm_machine *machine = NULL;
    check(wfsm_engine_new(&engine, store, &options, error));
    check(wfsm_machine_load(&machine, document, sizeof document - 1, NULL, NULL, error));
    check(wfsm_engine_add_machine(engine, machine, error));
    wfsm_machine_unref(machine);
    check(wfsm_engine_add_agent(engine, "worker", begin_work, NULL, error));
    check(wfsm_engine_on_lost(engine, count_lost, NULL, error));
    check(wfsm_engine_observe(engine, count_ping, NULL, error));
    return engine;
}

/* As a process that is killed while its agents work. */
static void leave_work(uint32_t instances)
{
    char id[32];
    wfsm_engine *engine = make_engine(open_store(WFSM_SQLITE_NORMAL), "killed", 1);
    for (uint32_t i = 0; i < instances; i++) {
        snprintf(id, sizeof id, "flow-%u", i);
        check(wfsm_engine_start(engine, "flow", id, NULL, 0, 1, error));
    }
    while (wfsm_engine_working(engine) < instances)
        check(wfsm_engine_run(engine, 1, error));
    _exit(0);
}

static void in_child(void (*body)(uint32_t), uint32_t count)
{
    int state = 0;
    pid_t child = fork();
    if (child == 0)
        body(count);
    if (child < 0 || waitpid(child, &state, 0) != child || state != 0)
        bench_fail("takeover", "the process ended in another way");
}

static void sleep_ms(long milliseconds)
{
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

/* The second engine: from its second second on it takes over what it may. */
static pid_t begin_waiting(void)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    error = wfsm_error_new(NULL);
    sleep_ms(1000);
    wfsm_engine *engine =
        make_engine(open_store(WFSM_SQLITE_FULL), "second", bench_milliseconds());
    for (;; sleep_ms(100)) {
        size_t count = 0;
        if (wfsm_engine_adopt_all(engine, bench_milliseconds(), &count, error) == WFSM_OK)
            shared->adopted += (uint32_t)count;
        (void)wfsm_engine_run(engine, bench_milliseconds(), error);
    }
}

static void end_waiting(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

/* The first engine, until it or the second has done all of it; the time in seconds. */
static double take_work(const _Atomic uint32_t *done, uint32_t wanted)
{
    pid_t second = begin_waiting();
    wfsm_store *store = open_store(WFSM_SQLITE_FULL);
    int64_t begin = bench_clock(), until = bench_milliseconds() + PATIENCE;
    wfsm_engine *engine = make_engine(store, "first", bench_milliseconds());
    int32_t status = wfsm_engine_adopt_all(engine, bench_milliseconds(), NULL, error);
    while (*done < wanted && bench_milliseconds() < until) {
        status = wfsm_engine_run(engine, bench_milliseconds(), error);
        if (status != WFSM_OK || wfsm_engine_deadline(engine) > bench_milliseconds())
            sleep_ms(1);
    }
    double seconds = (double)(bench_clock() - begin) / 1e9;
    end_waiting(second);
    sync_delay(0);
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    return seconds;
}

static void measure_restart(uint32_t count, long delay)
{
    uint32_t twice = 0;
    in_child(leave_work, count);
    memset(shared, 0, sizeof *shared + count);
    sync_delay(delay);
    double seconds = take_work(&shared->started, count);
    for (uint32_t i = 0; i < count; i++)
        twice += shared->starts[i] > 1;
    bench_print("engine", "restart", seconds, "s", NULL);
    bench_print("engine", "restart: started twice", twice, "", NULL);
    bench_print("engine", "restart: not started", (double)count - shared->started + twice, "",
                NULL);
    bench_print("engine", "restart: taken by the second", shared->adopted, "", NULL);
}

static void post_all(uint32_t count)
{
    wfsm_store *store = open_store(WFSM_SQLITE_NORMAL);
    for (uint32_t i = 0; i < count; i++) {
        char id[32], event[32];
        snprintf(id, sizeof id, "flow-%u", i % INBOXES);
        snprintf(event, sizeof event, "ping-%u", i);
        check(wfsm_store_post(store, id, "ping", event, NULL, 0, 1, error));
    }
    wfsm_store_free(store);
}

static void measure_backlog(uint32_t count, long delay)
{
    in_child(leave_work, INBOXES);
    post_all(count);
    memset(shared, 0, sizeof *shared + INBOXES);
    sync_delay(delay);
    double seconds = take_work(&shared->consumed, count);
    bench_print("engine", "backlog", shared->consumed / seconds, "/s", NULL);
    bench_print("engine", "backlog: not taken", (double)count - shared->consumed, "", NULL);
    bench_print("engine", "backlog: taken by the second", shared->adopted, "", NULL);
    bench_print("engine", "backlog: lost by the first", shared->lost, "", NULL);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        bench_fail("usage", "bench_takeover FOLDER restart|backlog COUNT MICROSECONDS");
    uint32_t count = (uint32_t)strtoul(argv[3], NULL, 10);
    bool restarts = strcmp(argv[2], "restart") == 0;
    work = restarts ? count : INBOXES;
    shared = mmap(NULL, sizeof *shared + work, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        bench_fail("memory", "too little");
    error = wfsm_error_new(NULL);
    snprintf(path, sizeof path, "%s/takeover.db", argv[1]);
    (restarts ? measure_restart : measure_backlog)(count, strtol(argv[4], NULL, 10));
    drop_file(path);
    wfsm_error_free(error);
    return 0;
}
