/* Inside an event loop of poll(2), without a thread: loop-poll MACHINE.json STORE.db. The
 * reviewer is a child process; the loop waits for its pipe or for the engine's deadline,
 * whichever comes first. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wfsm/sqlite.h>
#include <wfsm/wfsm.h>

enum { LONGEST_MS = 3000 };

/* The one child of this small host. */
static struct reviewer {
    pid_t pid;
    int pipe; /* -1: none at work */
    char invocation[1024], answer[1024];
    size_t length;
} reviewer = {.pipe = -1};

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

static void become_reviewer(int out)
{
    dup2(out, STDOUT_FILENO);
    execl("/bin/sh", "sh", "-c", "sleep 0.2; printf '{\"decision\":\"approve\"}'",
          (char *)NULL);
    _exit(127);
}

/* Starts the child and says nothing yet: the answer is given by id. */
static int32_t start(void *user, wfsm_call *call)
{
    int ends[2];

    (void)user;
    if (reviewer.pipe >= 0 || pipe(ends) != 0)
        return wfsm_call_failed(call, "other", "no reviewer is free");
    snprintf(reviewer.invocation, sizeof reviewer.invocation, "%s", wfsm_call_id(call));
    reviewer.pid = fork();
    if (reviewer.pid == 0)
        become_reviewer(ends[1]);
    close(ends[1]);
    reviewer.pipe = ends[0];
    reviewer.length = 0;
    printf("reviewing %s\n", wfsm_call_input(call, NULL));
    return WFSM_OK;
}

/* What the pipe brings; at its end, the answer. */
static int32_t read_answer(wfsm_engine *engine, wfsm_error *error)
{
    char *end = reviewer.answer + reviewer.length;
    ssize_t got = read(reviewer.pipe, end, sizeof reviewer.answer - reviewer.length);
    int status = 0;
    int32_t outcome;

    if (got > 0) {
        reviewer.length += (size_t)got;
        return WFSM_OK;
    }
    close(reviewer.pipe);
    reviewer.pipe = -1;
    if (waitpid(reviewer.pid, &status, 0) == reviewer.pid && status == 0)
        return wfsm_engine_result(engine, reviewer.invocation, reviewer.answer, reviewer.length,
                                  now(), &outcome, error);
    return wfsm_engine_failure(engine, reviewer.invocation, "exit", "the reviewer failed",
                               now(), &outcome, error);
}

/* Until the engine has to be called. poll takes an int; waking early does no harm. */
static int wait_ms(const wfsm_engine *engine)
{
    int64_t left = wfsm_engine_deadline(engine) - now();

    return left < 0 ? 0 : left > LONGEST_MS ? LONGEST_MS : (int)left;
}

/* Another engine has the task now: this process was stopped for longer than its lease. */
static int32_t lost(void *user, wfsm_call *call)
{
    fprintf(stderr, "%s: another engine has taken it over\n", wfsm_call_instance(call));
    *(int *)user = 1;
    return WFSM_OK;
}

/* What is probably a mistake: nobody has had an agent of this name for a minute. */
static int32_t complain(void *user, wfsm_call *call)
{
    (void)user;
    fprintf(stderr, "%s: %s\n", wfsm_call_instance(call), wfsm_call_input(call, NULL));
    return WFSM_OK;
}

static int32_t loop(wfsm_engine *engine, const int *is_lost, wfsm_error *error)
{
    int32_t status = wfsm_engine_run(engine, now(), error);

    while (!status && !*is_lost && !wfsm_engine_idle(engine)) {
        struct pollfd wait = {.fd = reviewer.pipe, .events = POLLIN};

        if (poll(&wait, 1, wait_ms(engine)) > 0)
            status = read_answer(engine, error);
        if (!status)
            status = wfsm_engine_run(engine, now(), error);
    }
    return status;
}

/* Takes the task over, or starts it. After a kill this waits until the lease of the killed process
 * has lapsed: 10 seconds at most. */
static int32_t take(wfsm_engine *engine, wfsm_error *error)
{
    static const char input[] = "{\"change\":\"fix the overflow\"}";
    int32_t status;

    while ((status = wfsm_engine_adopt(engine, "task-1", now(), error)) == WFSM_DENIED)
        nanosleep(&(struct timespec){0, 100 * 1000 * 1000}, NULL);
    if (status == WFSM_NOT_FOUND)
        status =
            wfsm_engine_start(engine, "review", "task-1", input, strlen(input), now(), error);
    return status;
}

int main(int argc, char **argv)
{
    static char text[100000];
    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    size_t length = file ? fread(text, 1, sizeof text, file) : 0;
    wfsm_engine_options options = {.size = sizeof options, .session = session(), .now = now()};
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_machine *machine = NULL;
    wfsm_store *store = NULL;
    wfsm_engine *engine = NULL;
    int32_t status;
    int is_lost = 0;

    if (file)
        fclose(file);
    if (!(status = wfsm_machine_load(&machine, text, length, NULL, NULL, error)) &&
        !(status = wfsm_sqlite_open(&store, argv[2], NULL, NULL, error)) &&
        !(status = wfsm_engine_new(&engine, store, &options, error)) &&
        !(status = wfsm_engine_add_machine(engine, machine, error)) &&
        !(status = wfsm_engine_add_agent(engine, "reviewer", start, NULL, error)) &&
        !(status = wfsm_engine_on_diagnostic(engine, complain, NULL, error)) &&
        !(status = wfsm_engine_on_lost(engine, lost, &is_lost, error)))
        status = take(engine, error);
    if (!status)
        status = loop(engine, &is_lost, error);
    if (status)
        fprintf(stderr, "loop-poll: %s\n", wfsm_error_message(error));
    else if (!is_lost)
        puts(wfsm_instance_configuration(wfsm_engine_instance(engine, "task-1"), NULL));
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    return status || is_lost ? 1 : 0;
}
