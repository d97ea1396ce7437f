#include "crash/round_host.h"

#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
#include <wfsm/sqlite.h>
#include <wfsm/testkit.h>
#include <wfsm/wfsm.h>

#include "sqlite/other.h"
#include "store/store.h"

enum { ROUNDS_MOST = 500, PACE = 50 };

/* Counts `add` all the while. Works with agent a, whose first attempt fails, then has a child that
 * works with agent b, and ends when it is told. */
static const char machine_text[] =
    "{\"wfsm\":1,\"id\":\"m\",\"initial\":\"wait\",\"context\":{\"n\":0},"
    "\"on\":{\"add\":{\"actions\":[{\"type\":\"assign\",\"params\":{\"n\":{\"+\":["
    "{\"var\":\"context.n\"},1]}}},{\"type\":\"emit\",\"params\":{\"event\":\"added\"}}]}},"
    "\"states\":{\"wait\":{\"after\":{\"100\":\"work\"}},"
    "\"work\":{\"invoke\":{\"src\":\"a\",\"retry\":[{\"errors\":[\"network\"],"
    "\"maxAttempts\":5,\"intervalMs\":100}],\"onDone\":\"slow\"},"
    "\"on\":{\"leave\":\"paused\"}},"
    "\"paused\":{\"on\":{\"again\":\"work\"}},"
    "\"slow\":{\"invoke\":{\"src\":\"machine:kid\",\"onDone\":\"ready\"},"
    "\"on\":{\"leave\":\"paused\"}},"
    "\"ready\":{\"entry\":{\"type\":\"emit\",\"params\":{\"event\":\"hello\"}},"
    "\"on\":{\"finish\":\"end\"}},"
    "\"end\":{\"type\":\"final\",\"entry\":{\"type\":\"emit\",\"params\":{\"event\":\"bye\"}}}}}";
static const char kid_text[] =
    "{\"wfsm\":1,\"id\":\"kid\",\"initial\":\"ask\",\"states\":{"
    "\"ask\":{\"invoke\":{\"src\":\"b\",\"onDone\":\"told\"}},"
    "\"told\":{\"type\":\"final\",\"entry\":{\"type\":\"emit\",\"params\":{"
    "\"event\":\"told\"}}}}}";

static outside *world;
static const workload *work;
static wfsm_error *error;
static wfsm_store *file, *wrapped, *store;
static wfsm_testkit_plan plan = {.size = sizeof plan};
static wfsm_engine *engine;
static struct {
    int point, at, count;
} death;
static _Thread_local bool exchanging; /* this thread runs an exchange */
static bool finishing;
static int rounds; /* of this process */
static int queued[INPUTS]; /* the round that was out */

const char *point_name(int point)
{
    static const char *const names[] = {
        "none",      "prepare", "prepared", "exchange", "statement", "write",    "written",
        "exchanged", "queued",  "joined",   "called",   "acted",     "finished", "sent"};

    return names[point];
}

uint64_t digest_of(const char *text)
{
    uint64_t sum = 14695981039346656037u;

    for (; *text; text++)
        sum = (sum ^ (unsigned char)*text) * 1099511628211u;
    return sum;
}

static void reach(int point)
{
    if (point == death.point && ++death.count == death.at)
        kill(getpid(), SIGKILL);
}

static void wrong(const char *what, const char *more)
{
    if (!world->wrong[0])
        snprintf(world->wrong, sizeof world->wrong, "%s: %.120s", what, more);
}

static void must(int32_t status, const char *what)
{
    if (status == WFSM_OK)
        return;
    wrong(what, wfsm_error_message(error));
    _exit(2);
}

/* ---- what is outside ---- */

static started *find(wfsm_call *call)
{
    for (int i = 0; i < world->start_count; i++)
        if (strcmp(world->starts[i].id, wfsm_call_id(call)) == 0 &&
            world->starts[i].attempt == wfsm_call_attempt(call))
            return &world->starts[i];
    return NULL;
}

static bool is_slow(wfsm_call *call)
{
    return wfsm_call_name(call)[0] == 'b' && !work->answers_at_once;
}

static int32_t answer(wfsm_call *call, started *self)
{
    self->over = true;
    if (wfsm_call_name(call)[0] == 'a' && wfsm_call_attempt(call) == 1)
        return wfsm_call_failed(call, "network", "no route");
    return wfsm_call_done(call, "7", 1);
}

static void called(void)
{
    if (finishing)
        reach(POINT_CALLED);
}

static void acted(void)
{
    if (finishing)
        reach(POINT_ACTED);
}

static int32_t on_start(void *user, wfsm_call *call)
{
    started *made = &world->starts[world->start_count];
    int32_t status = WFSM_OK;

    (void)user;
    called();
    if (find(call))
        wrong("started twice", wfsm_call_id(call));
    if (world->start_count == NOTES)
        _exit(3);
    snprintf(made->id, KEY, "%s", wfsm_call_id(call));
    made->attempt = wfsm_call_attempt(call);
    made->over = false;
    world->start_count++;
    if (!is_slow(call))
        status = answer(call, made);
    acted();
    return status;
}

static int32_t on_poll(void *user, wfsm_call *call)
{
    started *found = find(call);

    (void)user;
    if (!found)
        wrong("polled, but not started", wfsm_call_id(call));
    return found ? answer(call, found) : WFSM_OK;
}

static int32_t on_cancel(void *user, wfsm_call *call)
{
    started *found = find(call);

    (void)user;
    called();
    if (found)
        found->over = true;
    acted();
    return WFSM_OK;
}

static int32_t on_probe(void *user, wfsm_call *call)
{
    started *found = find(call);
    int32_t status = WFSM_OK;

    (void)user;
    called();
    if (!found)
        status = wfsm_call_gone(call);
    else if (!is_slow(call))
        status = answer(call, found);
    acted();
    return status;
}

static int32_t on_effect(void *user, wfsm_call *call)
{
    (void)user;
    called();
    if (world->effect_count == NOTES)
        _exit(3);
    snprintf(world->effects[world->effect_count], KEY, "%s", wfsm_call_id(call));
    world->effect_count++;
    acted();
    return WFSM_OK;
}

/* Who observes that an event was taken knows that it is stored. */
static void acknowledge(const char *record)
{
    const char *at = strstr(record, "\"id\":\"n");
    int number;

    if (at && sscanf(at, "\"id\":\"n%d\"", &number) == 1 && number < INPUTS)
        world->acknowledged[number] = true;
}

static int32_t on_commit(void *user, wfsm_call *call)
{
    const char *record = wfsm_call_record(call, NULL);
    observed *made = &world->records[world->record_count];

    (void)user;
    called();
    if (world->record_count == 2 * NOTES)
        _exit(3);
    snprintf(made->instance, KEY, "%s", wfsm_call_instance(call));
    made->digest = digest_of(record);
    sscanf(strstr(record, "\"revision\":"), "\"revision\":%ju", &made->revision);
    world->record_count++;
    acknowledge(record);
    acted();
    return WFSM_OK;
}

/* ---- the store ---- */

static sqlite3_syscall_ptr real_write;

static ssize_t write_at(int to, const void *bytes, size_t count, off_t offset)
{
    ssize_t (*real)(int, const void *, size_t, off_t) =
        (ssize_t(*)(int, const void *, size_t, off_t))real_write;
    ssize_t written;

    if (exchanging)
        reach(POINT_WRITE);
    written = real(to, bytes, count, offset);
    if (exchanging)
        reach(POINT_WRITTEN);
    return written;
}

static int on_statement(unsigned kind, void *user, void *statement, void *text)
{
    (void)kind;
    (void)user;
    (void)statement;
    (void)text;
    if (exchanging)
        reach(POINT_STATEMENT);
    return 0;
}

static void hook_writes(void)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    const char *name =
        sizeof(off_t) == 8 && vfs->xGetSystemCall(vfs, "pwrite64") ? "pwrite64" : "pwrite";

    real_write = vfs->xGetSystemCall(vfs, name);
    vfs->xSetSystemCall(vfs, name, (sqlite3_syscall_ptr)write_at);
}

/* The early store writes right before its next call. These calls of an exchange come after its
 * commits, and must not count as that. */
static int32_t read_inbox(void *self, const char *instance, uint64_t limit, wfsm_row_sink sink,
                          void *user, wfsm_error *why)
{
    (void)self;
    return file->vtable.inbox(file->self, instance, limit, sink, user, why);
}

static int32_t disown(void *self, const char *instance, const char *owner, wfsm_error *why)
{
    (void)self;
    return file->vtable.disown(file->self, instance, owner, why);
}

static void open_early(void)
{
    wfsm_store_vtable vtable;

    plan.early = 1;
    must(wfsm_testkit_wrap(&wrapped, file, &plan, error), "wrap");
    vtable = wrapped->vtable;
    vtable.inbox = read_inbox;
    vtable.changes = NULL;
    vtable.disown = disown;
    vtable.close = NULL;
    must(wfsm_store_new(&store, &vtable, wrapped->self, NULL, error), "store");
}

static void open_store(const char *path)
{
    hook_writes();
    must(wfsm_sqlite_open(&file, path, NULL, NULL, error), "open");
    sqlite3_trace_v2(inner_connection(file), SQLITE_TRACE_STMT, on_statement, NULL);
    if (work->early)
        open_early();
    else
        store = file;
}

/* ---- the engine ---- */

static void add_machine(const char *text)
{
    wfsm_machine *machine = NULL;

    must(wfsm_machine_load(&machine, text, strlen(text), NULL, NULL, error), "machine");
    must(wfsm_engine_add_machine(engine, machine, error), "machine");
    wfsm_machine_unref(machine);
}

/* The process before this one is dead, and this one knows it. */
static void open_engine(void)
{
    char name[40];
    wfsm_engine_options options = {.size = sizeof options, .session = name};
    wfsm_agent agent = {sizeof agent, NULL, on_start, on_poll, on_cancel, on_probe};

    snprintf(name, sizeof name, "process-%d", world->processes);
    must(wfsm_store_remove_owner(store, name, error), "gone");
    snprintf(name, sizeof name, "process-%d", ++world->processes);
    must(wfsm_engine_new(&engine, store, &options, error), "engine");
    add_machine(machine_text);
    add_machine(kid_text);
    must(wfsm_engine_add_agent_full(engine, "a", &agent, error), "a");
    must(wfsm_engine_add_agent_full(engine, "b", &agent, error), "b");
    must(wfsm_engine_on_effect(engine, on_effect, NULL, error), "effects");
    must(wfsm_engine_observe(engine, on_commit, NULL, error), "observer");
}

static const char *id_of(int number)
{
    static char id[20];

    snprintf(id, sizeof id, "i%d", number);
    return id;
}

static void start_all(void)
{
    must(wfsm_engine_adopt_all(engine, world->now, NULL, error), "adopt");
    for (int i = 0; i < work->instances; i++) {
        int32_t status = wfsm_engine_start(engine, "m", id_of(i), NULL, 0, world->now, error);

        if (status != WFSM_EXISTS)
            must(status, "start");
    }
}

/* ---- the host ---- */

static void send(int to, const char *event, const char *id)
{
    int32_t outcome = 0, status;

    status =
        wfsm_engine_send(engine, id_of(to), event, id, NULL, 0, world->now, &outcome, error);
    if (status != WFSM_NOT_FOUND && status != WFSM_EXISTS) /* it has ended */
        must(status, "send");
}

/* A third of the events are posted, a third is sent, and a third while a round is out. */
static void bring(int how)
{
    int most = work->inputs;

    for (int i = how; i < most; i += 3) {
        int to = i % work->instances;
        char id[20];

        if (world->acknowledged[i] || queued[i] || (how < 2 && i / 6 > world->now / PACE))
            continue;
        snprintf(id, sizeof id, "n%d", i);
        if (how == 0) {
            int32_t status =
                wfsm_store_post(store, id_of(to), "add", id, NULL, 0, world->now, error);

            if (status != WFSM_EXISTS)
                must(status, "post");
        } else {
            send(to, "add", id);
        }
        reach(how == 2 ? POINT_QUEUED : POINT_SENT);
        if (how < 2)
            world->acknowledged[i] = true;
        else
            queued[i] = rounds;
    }
}

static void *exchange(void *round)
{
    exchanging = true;
    reach(POINT_EXCHANGE);
    wfsm_round_exchange(round);
    reach(POINT_EXCHANGED);
    return NULL;
}

/* The round after the one that was out has stored it, or has found that it is stored already. */
static void acknowledge_queued(void)
{
    for (int i = 0; i < work->inputs; i++)
        if (queued[i] > 0 && queued[i] < rounds)
            world->acknowledged[i] = true;
}

static void one_round(void)
{
    wfsm_round *round = NULL;
    pthread_t thread;

    rounds++;
    reach(POINT_PREPARE);
    must(wfsm_engine_prepare(engine, world->now, &round, error), "prepare");
    reach(POINT_PREPARED);
    if (pthread_create(&thread, NULL, exchange, round) != 0)
        _exit(4);
    bring(2);
    pthread_join(thread, NULL);
    reach(POINT_JOINED);
    finishing = true;
    must(wfsm_engine_finish(engine, round, world->now, error), "finish");
    finishing = false;
    acknowledge_queued();
    reach(POINT_FINISHED);
}

static bool all_acknowledged(void)
{
    for (int i = 0; i < work->inputs; i++)
        if (!world->acknowledged[i])
            return false;
    return true;
}

/* What each instance waits for. Answers how many have not ended. */
static int push_all(void)
{
    int left = 0;

    for (int i = 0; i < work->instances; i++) {
        wfsm_instance *one = wfsm_engine_instance(engine, id_of(i));
        const char *state;

        if (!one || wfsm_instance_status(one) == WFSM_DONE)
            continue;
        left++;
        state = wfsm_instance_configuration(one, NULL);
        if (strcmp(state, "[\"paused\"]") == 0)
            send(i, "again", NULL);
        else if (strcmp(state, "[\"ready\"]") == 0 && all_acknowledged())
            send(i, "finish", NULL);
        else if (work->leaves && (world->now / PACE + i) % 7 == 0 && world->now < 20 * PACE)
            send(i, "leave", NULL);
    }
    return left;
}

void round_host(outside *shared, const workload *given, const char *path, int point, int at)
{
    world = shared;
    work = given;
    death.point = point;
    death.at = at;
    error = wfsm_error_new(NULL);
    open_store(path);
    open_engine();
    start_all();
    for (int i = 0; i < ROUNDS_MOST; i++) {
        bring(0);
        bring(1);
        one_round();
        if (push_all() == 0 && wfsm_engine_idle(engine))
            break;
        world->now += PACE;
    }
    world->ended = wfsm_engine_idle(engine) && all_acknowledged();
    wfsm_engine_free(engine);
    if (store != file)
        wfsm_store_free(store);
    wfsm_store_free(wrapped);
    wfsm_store_free(file);
    wfsm_error_free(error);
    _exit(0);
}
