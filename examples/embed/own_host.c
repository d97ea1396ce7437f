/* A host with a store and agents of its own: own_host ESSAY.json FOLDER. You may kill it at any
 * moment. When it is started again, it continues where it was. */
#include "own_store.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#include <wfsm/wfsm.h>

static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* The name of this run's session, which no other run has. wfsm_session_name() makes better ones. */
static const char *session(void)
{
    static char name[64];
    unsigned long long random;

    if (getentropy(&random, sizeof random))
        random = 0; /* process and time are left */
    snprintf(name, sizeof name, "%ld-%lld-%016llx", (long)getpid(), (long long)now(), random);
    return name;
}

/* The writer takes a while. `user` is when it is done, in ms, or 0 while it has no work. */

static int32_t writer_start(void *user, wfsm_call *call)
{
    int64_t *done = user;

    printf("writing: %s\n", wfsm_call_input(call, NULL));
    fflush(stdout);
    *done = wfsm_call_now(call) + 200;
    return WFSM_OK; /* no answer: it is at work */
}

static int32_t writer_poll(void *user, wfsm_call *call)
{
    int64_t *done = user;

    if (wfsm_call_now(call) < *done)
        return WFSM_OK;
    *done = 0;
    return wfsm_call_done(call, "{\"text\":\"On state machines.\"}", 29);
}

static int32_t writer_cancel(void *user, wfsm_call *call)
{
    (void)call;
    *(int64_t *)user = 0;
    return WFSM_OK;
}

/* Asked after a crash. The draft was in the memory of the process that was killed. */
static int32_t writer_probe(void *user, wfsm_call *call)
{
    (void)user;
    return wfsm_call_gone(call);
}

/* An agent that answers at once needs only one callback. */
static int32_t reader_start(void *user, wfsm_call *call)
{
    (void)user;
    printf("reading: %s\n", wfsm_call_input(call, NULL));
    return wfsm_call_done(call, "{\"verdict\":\"good\"}", 18);
}

/* Another engine has the essay now: this process was stopped for longer than its lease. */
static int32_t lost(void *user, wfsm_call *call)
{
    fprintf(stderr, "%s: another engine has taken it over\n", wfsm_call_instance(call));
    *(int *)user = 1;
    return WFSM_OK;
}

/* Takes the essay over, or starts it. After a kill this waits until the lease of the killed process
 * has lapsed: 10 seconds at most. */
static int32_t take(wfsm_engine *engine, wfsm_error *error)
{
    static const char input[] = "{\"topic\":\"state machines\"}";
    int32_t status;

    while ((status = wfsm_engine_adopt(engine, "essay-1", now(), error)) == WFSM_DENIED)
        nanosleep(&(struct timespec){0, 100 * 1000 * 1000}, NULL);
    if (status == WFSM_NOT_FOUND)
        status =
            wfsm_engine_start(engine, "essay", "essay-1", input, strlen(input), now(), error);
    return status;
}

int main(int argc, char **argv)
{
    static char text[100000];
    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    size_t length = file ? fread(text, 1, sizeof text, file) : 0;
    int64_t done = 0;
    const wfsm_agent writer = {.size = sizeof writer,
                               .user = &done,
                               .start = writer_start,
                               .poll = writer_poll,
                               .cancel = writer_cancel,
                               .probe = writer_probe};
    wfsm_engine_options options = {.size = sizeof options, .session = session(), .now = now()};
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_machine *machine = NULL;
    wfsm_store *store = NULL;
    wfsm_engine *engine = NULL;
    int32_t status;
    int is_lost = 0;

    if (!(status = wfsm_machine_load(&machine, text, length, NULL, NULL, error)) &&
        !(status = own_store_open(&store, argv[2], NULL, error)) &&
        !(status = wfsm_engine_new(&engine, store, &options, error)) &&
        !(status = wfsm_engine_add_machine(engine, machine, error)) &&
        !(status = wfsm_engine_add_agent_full(engine, "writer", &writer, error)) &&
        !(status = wfsm_engine_add_agent(engine, "reader", reader_start, NULL, error)) &&
        !(status = wfsm_engine_on_lost(engine, lost, &is_lost, error)))
        status = take(engine, error);
    while (!status && !(status = wfsm_engine_run(engine, now(), error)) && !is_lost &&
           !wfsm_engine_idle(engine))
        nanosleep(&(struct timespec){0, 10 * 1000 * 1000}, NULL);
    if (status)
        fprintf(stderr, "own_host: %s\n", wfsm_error_message(error));
    else if (!is_lost)
        puts(wfsm_instance_context(wfsm_engine_instance(engine, "essay-1"), NULL));
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    return status || is_lost ? 1 : 0;
}
