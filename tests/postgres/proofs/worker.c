/*
 * An engine that is killed. It starts instances of the machine `job`, posts events to them, and runs their agents.
 *
 * usage: worker ADDRESS MACHINE[,MACHINE] FOLDER NAME SESSION [KEY=NUMBER …]
 *
 * FOLDER/NAME.log has what was acknowledged to it (recorder.h), and these lines:
 *   begun NUMBER                    it begins with the instance NAME-NUMBER
 *   planned NUMBER                  this instance was started, and its events were posted
 *   posted INSTANCE EVENT           a post was acknowledged
 *   start ID ATTEMPT AGENT SESSION  an agent was started
 *   probe ID ATTEMPT AGENT ANSWER   an agent was asked by a new owner
 *   effect ID                       an effect was delivered
 *   begin ID ATTEMPT SESSION TIME   an agent is at work from now on (work.h), and with the word
 *   end                             it is not any more. Times are microseconds of CLOCK_MONOTONIC
 *   moved COUNT                     so many instances are given up, because others share the work
 *   took COUNT CHILDREN OWNER       so many were taken over from a session that is gone, or from nobody (-)
 *   silent SESSION FROM UNTIL       so long the engine made no round, so its lease may have lapsed
 *   lost INSTANCE WHY               the engine has lost an instance
 *   trouble CALL STATUS MESSAGE     a call failed, and will be made again
 *   wrong MESSAGE                   what never happens
 * A worker that is started again under its NAME continues. When the file FOLDER/drain is there, no new
 * instances are started. It ends with 3 when its session was lost. The keys are lapse, answer, connect (milliseconds), shift (of its clock, milliseconds), early
 * (recorder.h), most (how many instances), work (how long agents work, milliseconds), stubborn (how much
 * longer they continue when their engine has left, milliseconds; a fault on purpose) and slots.
 */
#include "recorder.h"
#include "work.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wfsm/postgres.h>
#include <wfsm/wfsm.h>

enum { EVENTS = 4, PATH = 400, SHARE_MS = 150, LOST_SESSION = 3 };

static const char *address, *folder, *name, *session;
static long lapse = 1500, answer = 2000, connecting = 1000, shift, early, most = 1000000000,
            slots = 8;
static wfsm_store *store, *plain;
static wfsm_engine *engine;
static wfsm_error *error;
static volatile sig_atomic_t is_ending;
static bool has_lost_session;

/* The plan: the instance that is begun next or now, and which of its steps comes next. 0: it is started;
 * then its events are posted. */
static long number;
static int step;
static bool is_begun; /* by an earlier process of this name */

static void end(int signal)
{
    (void)signal;
    is_ending = 1;
}

static int64_t real_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int64_t now(void)
{
    return real_now() + shift;
}

static _Noreturn void fail(const char *what)
{
    note("wrong %s: %s", what, wfsm_error_message(error));
    exit(1);
}

/* What a server that is killed, cut off or full can answer. All else is wrong. */
static bool is_passing(const char *call, int32_t status)
{
    switch (status) {
    case WFSM_OK:
        return true;
    case WFSM_DENIED:
    case WFSM_STORE_UNKNOWN:
    case WFSM_STORE_FAILED:
    case WFSM_CONFLICT:
    case WFSM_IO:
        note("trouble %s %s %.300s", call, wfsm_status_name(status), wfsm_error_message(error));
        return false;
    default:
        note("wrong %s %s %.300s", call, wfsm_status_name(status), wfsm_error_message(error));
        return false;
    }
}

/* ---- agents ---- */

/* Work leaves a file, so that a probe finds out whether it was begun. */
static const char *path_of(const wfsm_call *call)
{
    static char path[PATH];
    int length = snprintf(path, sizeof path, "%s/work/", folder);

    snprintf(path + length, sizeof path - (size_t)length, "%s", wfsm_call_id(call));
    for (char *at = path + length; *at; at++)
        if (*at == '/')
            *at = '_';
    return path;
}

static void leave_file(const wfsm_call *call)
{
    int made = open(path_of(call), O_WRONLY | O_CREAT, 0644);

    if (made < 0)
        abort();
    close(made);
}

/* Half of the work is done at once; the other half when it is polled. */
static int32_t start(void *user, wfsm_call *call)
{
    const char *id = wfsm_call_id(call);

    (void)user;
    leave_file(call);
    note("start %s %d %s %s", id, (int)wfsm_call_attempt(call), wfsm_call_name(call), session);
    if (work_begin(id, (int)wfsm_call_attempt(call)))
        return WFSM_OK;
    return strlen(id) % 2 == 0 ? wfsm_call_done(call, "true", 4) : WFSM_OK;
}

static int32_t poll_one(void *user, wfsm_call *call)
{
    (void)user;
    if (!work_is_over(wfsm_call_id(call), (int)wfsm_call_attempt(call)))
        return WFSM_OK;
    return wfsm_call_done(call, "true", 4);
}

static int32_t cancel(void *user, wfsm_call *call)
{
    (void)user;
    work_cancel(wfsm_call_id(call), (int)wfsm_call_attempt(call));
    return WFSM_OK;
}

/* What was begun by "found" is done. Of the others nobody knows anything. */
static int32_t probe(void *user, wfsm_call *call)
{
    const char *agent = wfsm_call_name(call);
    bool found = strcmp(agent, "found") == 0;
    bool done = found && access(path_of(call), F_OK) == 0;

    (void)user;
    note("probe %s %d %s %s", wfsm_call_id(call), (int)wfsm_call_attempt(call), agent,
         done    ? "done"
         : found ? "gone"
                 : "unsure");
    if (done)
        return wfsm_call_done(call, "true", 4);
    return found ? wfsm_call_gone(call) : wfsm_call_unsure(call);
}

static int32_t deliver(void *user, wfsm_call *call)
{
    (void)user;
    note("effect %s", wfsm_call_id(call));
    return WFSM_OK;
}

static int32_t lost(void *user, wfsm_call *call)
{
    (void)user;
    note("lost %s %d", wfsm_call_instance(call), (int)wfsm_call_lost(call));
    if (wfsm_call_lost(call) == WFSM_LOST_SESSION)
        has_lost_session = true;
    return WFSM_OK;
}

/* ---- the engine ---- */

/* It tries until the server is there. */
static wfsm_store *open_store(void)
{
    const wfsm_postgres_options options = {.size = sizeof options,
                                           .connect_ms = (int32_t)connecting,
                                           .answer_ms = (int32_t)answer};
    const struct timespec moment = {0, 20000000};
    wfsm_store *opened = NULL;

    while (!is_ending &&
           !is_passing("open", wfsm_postgres_open(&opened, address, &options, NULL, error)))
        nanosleep(&moment, NULL);
    if (!opened)
        exit(0);
    return opened;
}

static void make_engine(void)
{
    const wfsm_engine_options options = {.size = sizeof options,
                                         .session = session,
                                         .lapse_ms = lapse,
                                         .look_ms = 50,
                                         .slots = (uint32_t)slots};
    const struct timespec moment = {0, 20000000};

    while (!is_ending &&
           !is_passing("engine", wfsm_engine_new(&engine, store, &options, error)))
        nanosleep(&moment, NULL);
    if (!engine)
        exit(0);
}

static void add_machine(const char *path)
{
    static char text[4096];
    wfsm_machine *machine = NULL;
    FILE *in = fopen(path, "r");
    size_t length = in ? fread(text, 1, sizeof text, in) : 0;

    if (in)
        fclose(in);
    if (wfsm_machine_load(&machine, text, length, NULL, NULL, error) != WFSM_OK ||
        wfsm_engine_add_machine(engine, machine, error) != WFSM_OK)
        fail(path);
    wfsm_machine_unref(machine);
}

static void add_machines(char *paths)
{
    for (char *path = strtok(paths, ","); path; path = strtok(NULL, ","))
        add_machine(path);
}

static void add_agents(void)
{
    static const char *const names[] = {"again", "once", "found"};
    const wfsm_agent agent = {.size = sizeof agent,
                              .start = start,
                              .poll = poll_one,
                              .cancel = cancel,
                              .probe = probe};

    for (size_t i = 0; i < 3; i++)
        if (wfsm_engine_add_agent_full(engine, names[i], &agent, error) != WFSM_OK)
            fail(names[i]);
    if (wfsm_engine_on_effect(engine, deliver, NULL, error) != WFSM_OK ||
        wfsm_engine_on_lost(engine, lost, NULL, error) != WFSM_OK)
        fail("callbacks");
}

/* ---- the plan ---- */

static const char *instance_of(long which)
{
    static char id[100];

    snprintf(id, sizeof id, "%s-%ld", name, which);
    return id;
}

/* Where an earlier process of this name was. A step that it may have made is made again. */
static void read_plan(const char *path)
{
    FILE *in = fopen(path, "r");
    char line[1300];
    long found;

    for (; in && fgets(line, sizeof line, in);)
        if (sscanf(line, "planned %ld", &found) == 1) {
            number = found + 1;
            is_begun = false;
        } else if (sscanf(line, "begun %ld", &found) == 1)
            is_begun = true;
    if (in)
        fclose(in);
}

static bool is_draining(void)
{
    char path[PATH];

    snprintf(path, sizeof path, "%s/drain", folder);
    return access(path, F_OK) == 0;
}

/* If it is there, an answer was lost, and then this engine may own it without having it. DENIED: another engine has
 * taken it over. */
static bool start_one(void)
{
    const char *id = instance_of(number);
    int32_t status = wfsm_engine_start(engine, "job", id, NULL, 0, now(), error);

    if (status != WFSM_EXISTS)
        return is_passing("start", status);
    status = wfsm_engine_adopt(engine, id, now(), error);
    return status == WFSM_DENIED || is_passing("adopt", status);
}

static bool post_one(int event)
{
    char id[16];
    int32_t status;

    snprintf(id, sizeof id, "e%d", event);
    status = wfsm_store_post(plain, instance_of(number), "ADD", id, NULL, 0, real_now(), error);
    if (status == WFSM_NOT_FOUND) { /* the start of an earlier process was not stored */
        note("wrong post to %s: NOT_FOUND", instance_of(number));
        return false;
    }
    if (status != WFSM_EXISTS && !is_passing("post", status))
        return false;
    note("posted %s %s", instance_of(number), id);
    return true;
}

/* One call. True: there is more to do at once. */
static bool follow_plan(void)
{
    if (step == 0 && !is_begun) {
        if (number >= most || is_draining())
            return false;
        note("begun %ld", number);
        is_begun = true;
    }
    if (!(step == 0 ? start_one() : post_one(step)))
        return false;
    if (step++ < EVENTS)
        return true;
    note("planned %ld", number++);
    step = 0;
    is_begun = false;
    return true;
}

/* ---- the loop ---- */

/* A child's id has a slash. */
static void hear(void *user, const char *owner, const char *const *ids, size_t count)
{
    size_t children = 0;

    (void)user;
    for (size_t i = 0; i < count; i++)
        children += strchr(ids[i], '/') != NULL;
    note("took %zu %zu %s", count, children, *owner ? owner : "-");
}

/* A lease is renewed when a third of it is over. */
static void note_silence(void)
{
    static int64_t last;
    int64_t time = work_time();

    if (last > 0 && time - last > lapse * 1000 / 2)
        note("silent %s %lld %lld", session, (long long)last, (long long)time);
    last = time;
}

/* Takes over what nobody alive has, and gives up what has become the share of others. */
static void take_share(void)
{
    static int64_t next;
    wfsm_share found = {.size = sizeof found, .told = hear};

    if (real_now() < next)
        return;
    is_passing("share", wfsm_engine_share(engine, now(), &found, error));
    if (!found.more)
        next = real_now() + SHARE_MS;
    if (found.given_up > 0)
        note("moved %zu", found.given_up);
}

static void run(void)
{
    while (!is_ending && !has_lost_session) {
        const struct timespec moment = {0, 2000000};
        bool more = follow_plan();
        bool fine;

        take_share();
        fine = is_passing("run", wfsm_engine_run(engine, now(), error));
        if (fine)
            note_silence();
        if (!fine || (!more && wfsm_engine_deadline(engine) > now()))
            nanosleep(&moment, NULL);
    }
}

static void read_option(const char *text)
{
    static const struct {
        const char *key;
        long *value;
    } keys[] = {{"lapse=", &lapse},        {"answer=", &answer},
                {"connect=", &connecting}, {"shift=", &shift},
                {"early=", &early},        {"most=", &most},
                {"work=", &work_ms},       {"stubborn=", &work_longer_ms},
                {"slots=", &slots}};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strncmp(text, keys[i].key, strlen(keys[i].key)) == 0)
            *keys[i].value = strtol(text + strlen(keys[i].key), NULL, 10);
}

int main(int count, char **arguments)
{
    char path[PATH];

    if (count < 6)
        return 2;
    follow_parent();
    signal(SIGTERM, end);
    address = arguments[1];
    folder = arguments[3];
    name = arguments[4];
    session = arguments[5];
    for (int i = 6; i < count; i++)
        read_option(arguments[i]);
    snprintf(path, sizeof path, "%s/%s.log", folder, name);
    read_plan(path);
    note_to(path);
    work_session = session;
    error = wfsm_error_new(NULL);
    plain = open_store();
    store = recorder_open(open_store(), early);
    make_engine();
    add_machines(arguments[2]);
    add_agents();
    run();
    note_silence();
    work_cancel_all();
    wfsm_engine_free(engine);
    work_finish();
    wfsm_store_free(store);
    wfsm_store_free(plain);
    wfsm_error_free(error);
    return has_lost_session ? LOST_SESSION : 0;
}
