/* A host in one handle: an engine, its session, and what runs it. */
#include "loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/invariant.h"
#include "../base/sized.h"
#include "files.h"
#include "loop_signals.h"

enum { POLL_MS = 50, LAPSE_MS = 10000, DOCUMENT_BYTES = 16 * 1024 * 1024 };

/* ---- made and freed ---- */

/* The first loss is the one that is reported. */
static int32_t note_lost(void *user, wfsm_call *call)
{
    wfsm_loop *loop = user;

    if (!loop->why_lost) {
        loop->why_lost = wfsm_call_lost(call);
        (void)snprintf(loop->lost, sizeof loop->lost, "%s", wfsm_call_instance(call));
    }
    return loop->options.lost ? loop->options.lost(loop->options.user, call) : WFSM_OK;
}

static int32_t make_engine(wfsm_loop *loop, wfsm_error *error)
{
    char session[WFSM_OWNER_SIZE];
    wfsm_engine_options named = {.size = sizeof named};
    int32_t status;

    if (loop->options.engine &&
        !wf_struct_check(&named, sizeof named, loop->options.engine, sizeof named.size))
        return wfsm_error_set(error, WFSM_INVALID, "expected engine options of this version");
    if (!named.session)
        named.session = wfsm_session_name(session);
    if (named.now == 0)
        named.now = wfsm_agents_now();
    if (!named.clock)
        named.clock = wfsm_agents_clock;
    loop->lapse_ms = named.lapse_ms > 0 ? named.lapse_ms : LAPSE_MS;
    status = wfsm_engine_new(&loop->engine, loop->store, &named, error);
    return status ? status : wfsm_engine_on_lost(loop->engine, note_lost, loop, error);
}

static int32_t make_progress(wfsm_loop *loop, wfsm_error *error)
{
    wfsm_progress_options begun = {.size = sizeof begun, .now = wfsm_agents_now()};
    int32_t status;

    if (!loop->options.progress)
        return WFSM_OK;
    if (!(status = wfsm_progress_new(&loop->progress, &begun, error)) &&
        !(status =
              wfsm_engine_observe(loop->engine, wfsm_progress_commit, loop->progress, error)))
        status = wfsm_engine_on_diagnostic(loop->engine, wfsm_progress_diagnostic,
                                           loop->progress, error);
    return status;
}

static int32_t register_agents(wfsm_loop *loop, wfsm_error *error)
{
    const wfsm_agents_options host = {.size = sizeof host,
                                      .runs = loop->options.runs,
                                      .store = loop->store,
                                      .tell = loop->progress ? wfsm_progress_note : NULL,
                                      .user = loop->progress};

    if (!loop->options.agents)
        return WFSM_OK;
    return wfsm_agents_register(loop->options.agents, loop->engine, &host, error);
}

static int32_t make_schedules(wfsm_loop *loop, wfsm_error *error)
{
    return loop->options.schedules
               ? wfsm_schedules_new(&loop->schedules, loop->engine, loop->store, error)
               : WFSM_OK;
}

/* The next round takes what it tells of. */
static void wake(void *user, int32_t descriptor, int32_t events)
{
    (void)descriptor, (void)events;
    wfsm_engine_look(user);
}

/* The store wakes the loop when others have posted something, if it can. */
static int32_t watch_store(wfsm_loop *loop, wfsm_error *error)
{
    int32_t descriptor = wfsm_engine_fd(loop->engine);

    return descriptor < 0
               ? WFSM_OK
               : wfsm_loop_watch(loop, descriptor, WFSM_LOOP_READ, wake, loop->engine, error);
}

int32_t wfsm_loop_new(wfsm_loop **loop, wfsm_store *store, const wfsm_loop_options *options,
                      wfsm_error *error)
{
    wfsm_loop_options given = {.size = sizeof given};
    wfsm_loop *made;
    int32_t status;

    if (!loop || !store ||
        (options && !wf_struct_check(&given, sizeof given, options, sizeof given.size)))
        return wfsm_error_set(error, WFSM_INVALID,
                              "expected a store, and options of this version");
    *loop = NULL;
    if (given.poll_ms < 0 || given.poll_ms > INT32_MAX)
        return wfsm_error_set(error, WFSM_INVALID, "poll_ms: expected 0 to 2147483647");
    made = calloc(1, sizeof *made);
    if (!made)
        return wfsm_error_set(error, WFSM_NO_MEMORY, "out of memory");
    made->store = store;
    made->options = given;
    if (given.poll_ms == 0)
        made->options.poll_ms = POLL_MS;
    if ((status = make_engine(made, error)) || (status = make_progress(made, error)) ||
        (status = register_agents(made, error)) || (status = make_schedules(made, error)) ||
        (status = watch_store(made, error))) {
        wfsm_loop_free(made);
        return status;
    }
    made->options.engine = NULL; /* it was borrowed for the call */
    made->options.runs = NULL;
    *loop = made;
    return WFSM_OK;
}

void wfsm_loop_free(wfsm_loop *loop)
{
    if (!loop)
        return;
    wfsm_schedules_free(loop->schedules);
    wfsm_engine_free(loop->engine);
    wfsm_progress_free(loop->progress);
    free(loop->watches);
    free(loop->polled);
    free(loop);
}

wfsm_engine *wfsm_loop_engine(wfsm_loop *loop)
{
    return loop ? loop->engine : NULL;
}

int32_t wfsm_loop_load(wfsm_loop *loop, const char *path, wfsm_error *error)
{
    wfsm_machine *machine = NULL;
    wfa_error why = {.status = WFSM_OK};
    char *text = NULL;
    size_t length = 0;
    int32_t status;

    if (!loop || !path)
        return wfsm_error_set(error, WFSM_INVALID, "expected a loop and a path");
    if (wfa_file_read(path, DOCUMENT_BYTES, &text, &length, &why) != 0)
        return wfa_report(&why, error);
    if (!(status = wfsm_machine_load(&machine, text, length, NULL, NULL, error)))
        status = wfsm_engine_add_machine(loop->engine, machine, error);
    wfsm_machine_unref(machine);
    free(text);
    return status;
}

/* ---- running ---- */

static int32_t begin(wfsm_loop *loop, wfsm_error *error)
{
    if (loop->is_running)
        return wfsm_error_set(error, WFSM_BUSY, "the loop is running");
    if (!loop->options.no_signals && wfa_signals_begin() != 0)
        return wfsm_error_set(error, WFSM_BUSY, "another loop of this process handles signals");
    loop->is_running = 1;
    loop->signal = 0;
    return WFSM_OK;
}

static void end(wfsm_loop *loop)
{
    WF_INVARIANT(loop->is_running);
    if (!loop->options.no_signals)
        wfa_signals_end();
    loop->is_running = 0;
    loop->is_stopped = 0;
}

/* Somebody wants the loop to end. */
static int is_stopped(wfsm_loop *loop)
{
    if (!loop->options.no_signals && !loop->signal)
        loop->signal = wfa_signals_caught();
    return loop->signal || loop->is_stopped;
}

/* A schedule that cannot be served is tried again, and does not end the loop: the machine that it starts may
 * be that of another worker. Each reason is told once. */
static void run_schedules(wfsm_loop *loop)
{
    wfsm_error *why = wfsm_error_new(NULL);

    if (wfsm_schedules_run(loop->schedules, wfsm_agents_now(), why) != WFSM_OK && why &&
        strcmp(loop->told, wfsm_error_message(why)) != 0) {
        (void)snprintf(loop->told, sizeof loop->told, "%s", wfsm_error_message(why));
        if (loop->progress)
            wfsm_progress_note(loop->progress, WFSM_SCHEDULE_MACHINE, loop->told);
    }
    wfsm_error_free(why);
}

/* The schedules of a loop see what the round has done. */
static int32_t run_round(wfsm_loop *loop, wfsm_error *error)
{
    int32_t status = wfsm_engine_run(loop->engine, wfsm_agents_now(), error);

    if (status == WFSM_OK && loop->schedules)
        run_schedules(loop);
    return status;
}

/* Does all that can be done now, a round at a time. */
static int32_t run_rounds(wfsm_loop *loop, wfsm_error *error)
{
    int32_t status;

    do
        status = run_round(loop, error);
    while (!status && !is_stopped(loop) &&
           wfsm_engine_deadline(loop->engine) <= wfsm_agents_now());
    return status;
}

static void wait(wfsm_loop *loop)
{
    int64_t now = wfsm_agents_now(), until = wfsm_engine_deadline(loop->engine);
    int64_t most = loop->options.poll_ms;

    if (until < now + most)
        most = until > now ? until - now : 0;
    wfa_loop_wait(loop, most);
}

static const char *reason(int32_t why)
{
    switch (why) {
    case WFSM_LOST_REMOVED:
        return "the store does not have it any more";
    case WFSM_LOST_SESSION:
        return "another process has this session";
    case WFSM_LOST_SET_BACK:
        return "the store has an older state of it";
    default:
        return "another engine has taken it over";
    }
}

static int32_t report_lost(wfsm_loop *loop, wfsm_error *error)
{
    int32_t why = loop->why_lost;
    wfa_error text;

    if (!why)
        return WFSM_OK;
    loop->why_lost = 0;
    (void)wfa_fail_as(&text, WFSM_DENIED, "%s: %s", loop->lost, reason(why));
    return wfa_report(&text, error);
}

int32_t wfsm_loop_run(wfsm_loop *loop, wfsm_error *error)
{
    int32_t status;

    if (!loop)
        return wfsm_error_set(error, WFSM_INVALID, "expected a loop");
    if ((status = begin(loop, error)))
        return status;
    while (!is_stopped(loop) && !(status = run_rounds(loop, error)) && !is_stopped(loop) &&
           (loop->options.serve || !wfsm_engine_idle(loop->engine)))
        wait(loop);
    end(loop);
    return status ? status : report_lost(loop, error);
}

void wfsm_loop_stop(wfsm_loop *loop)
{
    if (loop)
        loop->is_stopped = 1;
}

int32_t wfsm_loop_signal(const wfsm_loop *loop)
{
    return loop ? loop->signal : 0;
}

/* ---- taking over ---- */

/* Until nobody has it, or the lease of the one who has it must have lapsed. */
static int32_t adopt(wfsm_loop *loop, const char *id, wfsm_error *error)
{
    int64_t until = wfsm_agents_now() + loop->lapse_ms + 1000;
    int32_t status, ran;

    for (;;) {
        if ((status = wfsm_owner_release(loop->store, id, error)))
            return status;
        status = wfsm_engine_adopt(loop->engine, id, wfsm_agents_now(), error);
        if (status != WFSM_DENIED || is_stopped(loop) || wfsm_agents_now() >= until)
            return status;
        if ((ran = run_rounds(loop, error)))
            return ran;
        wait(loop);
    }
}

int32_t wfsm_loop_take(wfsm_loop *loop, const char *machine, const char *id, const char *input,
                       size_t length, wfsm_error *error)
{
    int32_t status;

    if (!loop || !machine || !id)
        return wfsm_error_set(error, WFSM_INVALID, "expected a loop, a machine and an id");
    if ((status = begin(loop, error)))
        return status;
    status = adopt(loop, id, error);
    if (status == WFSM_NOT_FOUND)
        status = wfsm_engine_start(loop->engine, machine, id, input, length, wfsm_agents_now(),
                                   error);
    end(loop);
    return status;
}
