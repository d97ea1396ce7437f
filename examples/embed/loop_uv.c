/* Inside a libuv loop, without a thread: loop-uv MACHINE.json STORE.db. A timer stands for
 * the engine's deadline, the reviewer is a process of the loop; after anything that happens
 * the engine runs and the timer is set again. */
#include <stdio.h>
#include <string.h>
#include <uv.h>
#include <wfsm/sqlite.h>
#include <wfsm/wfsm.h>

typedef struct host {
    uv_loop_t loop;
    uv_timer_t timer;
    uv_process_t process;
    uv_pipe_t pipe;
    wfsm_engine *engine;
    wfsm_error *error;
    int32_t status;
    int is_lost; /* another engine has the task now */
    char invocation[1024], answer[1024];
    size_t length;
    int64_t exit_status;
    int ends; /* of the process and of its pipe: the answer is whole after both */
} host;

static int64_t now(void)
{
    uv_timeval64_t time;

    uv_gettimeofday(&time);
    return time.tv_sec * 1000 + time.tv_usec / 1000;
}

/* The name of this run's session, which no other run has. wfsm_session_name() makes better ones. */
static const char *session(void)
{
    static char name[64];
    unsigned long long random;

    if (uv_random(NULL, NULL, &random, sizeof random, 0, NULL))
        random = uv_hrtime(); /* process and time are left */
    snprintf(name, sizeof name, "%ld-%lld-%016llx", (long)uv_os_getpid(), (long long)now(),
             random);
    return name;
}

static void run(host *h);

static void on_timer(uv_timer_t *timer)
{
    run(timer->data);
}

static void run(host *h)
{
    if (!h->status)
        h->status = wfsm_engine_run(h->engine, now(), h->error);
    if (h->status || h->is_lost || wfsm_engine_idle(h->engine)) {
        uv_close((uv_handle_t *)&h->timer, NULL);
        return;
    }
    int64_t left = wfsm_engine_deadline(h->engine) - now();
    uv_timer_start(&h->timer, on_timer, left < 0 ? 0 : (uint64_t)left, 0);
}

static void end(host *h)
{
    int32_t outcome;

    if (++h->ends < 2)
        return;
    if (!h->status && h->exit_status == 0)
        h->status = wfsm_engine_result(h->engine, h->invocation, h->answer, h->length, now(),
                                       &outcome, h->error);
    else if (!h->status)
        h->status = wfsm_engine_failure(h->engine, h->invocation, "exit", "the reviewer failed",
                                        now(), &outcome, h->error);
    run(h);
}

static void on_exit_of_process(uv_process_t *process, int64_t exit_status, int signal)
{
    host *h = process->data;

    h->exit_status = signal ? signal : exit_status;
    uv_close((uv_handle_t *)process, NULL);
    end(h);
}

static void give_room(uv_handle_t *pipe, size_t suggested, uv_buf_t *buffer)
{
    host *h = pipe->data;

    (void)suggested;
    *buffer = uv_buf_init(h->answer + h->length, (unsigned)(sizeof h->answer - h->length));
}

static void on_read(uv_stream_t *pipe, ssize_t got, const uv_buf_t *buffer)
{
    host *h = pipe->data;

    (void)buffer;
    if (got > 0)
        h->length += (size_t)got;
    if (got >= 0)
        return;
    uv_close((uv_handle_t *)pipe, NULL);
    end(h);
}

static int spawn_reviewer(host *h)
{
    char sh[] = "sh", c[] = "-c", work[] = "sleep 0.2; printf '{\"decision\":\"approve\"}'";
    char *arguments[] = {sh, c, work, NULL};
    uv_stdio_container_t streams[2] = {
        {.flags = UV_IGNORE},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&h->pipe}};
    uv_process_options_t options = {.file = "/bin/sh",
                                    .args = arguments,
                                    .stdio = streams,
                                    .stdio_count = 2,
                                    .exit_cb = on_exit_of_process};

    uv_pipe_init(&h->loop, &h->pipe, 0);
    h->pipe.data = h->process.data = h;
    h->ends = 0;
    h->length = 0;
    int failed = uv_spawn(&h->loop, &h->process, &options);
    return failed ? failed : uv_read_start((uv_stream_t *)&h->pipe, give_room, on_read);
}

/* Says nothing yet: the answer is given by id. */
static int32_t start(void *user, wfsm_call *call)
{
    host *h = user;
    int failed;

    snprintf(h->invocation, sizeof h->invocation, "%s", wfsm_call_id(call));
    failed = spawn_reviewer(h);
    if (failed)
        return wfsm_call_failed(call, "other", uv_strerror(failed));
    printf("reviewing %s\n", wfsm_call_input(call, NULL));
    return WFSM_OK;
}

/* Another engine has the task now: this process was stopped for longer than its lease. */
static int32_t lost(void *user, wfsm_call *call)
{
    fprintf(stderr, "%s: another engine has taken it over\n", wfsm_call_instance(call));
    ((host *)user)->is_lost = 1;
    return WFSM_OK;
}

/* What is probably a mistake: nobody has had an agent of this name for a minute. */
static int32_t complain(void *user, wfsm_call *call)
{
    (void)user;
    fprintf(stderr, "%s: %s\n", wfsm_call_instance(call), wfsm_call_input(call, NULL));
    return WFSM_OK;
}

/* Takes the task over, or starts it. After a kill this waits until the lease of the killed process
 * has lapsed: 10 seconds at most. */
static int32_t take(wfsm_engine *engine, wfsm_error *error)
{
    static const char input[] = "{\"change\":\"fix the overflow\"}";
    int32_t status;

    while ((status = wfsm_engine_adopt(engine, "task-1", now(), error)) == WFSM_DENIED)
        uv_sleep(100);
    if (status == WFSM_NOT_FOUND)
        status =
            wfsm_engine_start(engine, "review", "task-1", input, strlen(input), now(), error);
    return status;
}

int main(int argc, char **argv)
{
    static char text[100000];
    static host h;
    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    size_t length = file ? fread(text, 1, sizeof text, file) : 0;
    wfsm_engine_options options = {.size = sizeof options, .session = session(), .now = now()};
    wfsm_machine *machine = NULL;
    wfsm_store *store = NULL;

    if (file)
        fclose(file);
    h.error = wfsm_error_new(NULL);
    uv_loop_init(&h.loop);
    uv_timer_init(&h.loop, &h.timer);
    h.timer.data = &h;
    if (!(h.status = wfsm_machine_load(&machine, text, length, NULL, NULL, h.error)) &&
        !(h.status = wfsm_sqlite_open(&store, argv[2], NULL, NULL, h.error)) &&
        !(h.status = wfsm_engine_new(&h.engine, store, &options, h.error)) &&
        !(h.status = wfsm_engine_add_machine(h.engine, machine, h.error)) &&
        !(h.status = wfsm_engine_add_agent(h.engine, "reviewer", start, &h, h.error)) &&
        !(h.status = wfsm_engine_on_diagnostic(h.engine, complain, NULL, h.error)) &&
        !(h.status = wfsm_engine_on_lost(h.engine, lost, &h, h.error)))
        h.status = take(h.engine, h.error);
    run(&h);
    uv_run(&h.loop, UV_RUN_DEFAULT);
    if (h.status)
        fprintf(stderr, "loop-uv: %s\n", wfsm_error_message(h.error));
    else if (!h.is_lost)
        puts(wfsm_instance_configuration(wfsm_engine_instance(h.engine, "task-1"), NULL));
    wfsm_engine_free(h.engine);
    uv_loop_close(&h.loop);
    wfsm_store_free(store);
    wfsm_machine_unref(machine);
    wfsm_error_free(h.error);
    return h.status || h.is_lost ? 1 : 0;
}
