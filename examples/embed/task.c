#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#include <wfsm/sqlite.h>
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

static int32_t write_text(void *user, wfsm_call *call)
{
    (void)user;
    printf("attempt %d of %s\n", wfsm_call_attempt(call), wfsm_call_id(call));
    return wfsm_call_done(call, "\"On doors.\"", 11);
}

static int32_t told(void *user, wfsm_call *call)
{
    (void)user;
    printf("%s\n", wfsm_call_record(call, NULL));
    return WFSM_OK;
}

/* Another engine has the task now: this process was stopped for longer than its lease. */
static int32_t lost(void *user, wfsm_call *call)
{
    fprintf(stderr, "%s: another engine has taken it over\n", wfsm_call_instance(call));
    *(int *)user = 1;
    return WFSM_OK;
}

/* Takes the task over, or starts it. After a kill this waits until the lease of the killed process
 * has lapsed: 10 seconds at most. */
static int32_t take(wfsm_engine *engine, wfsm_error *error)
{
    static const char input[] = "{\"topic\": \"doors\"}";
    int32_t status;
    while ((status = wfsm_engine_adopt(engine, "task-1", now(), error)) == WFSM_DENIED)
        nanosleep(&(struct timespec){0, 100 * 1000 * 1000}, NULL);
    if (status == WFSM_NOT_FOUND)
        status =
            wfsm_engine_start(engine, "task", "task-1", input, strlen(input), now(), error);
    return status;
}

int main(void)
{
    static char text[10000];
    FILE *file = fopen("task.json", "rb");
    size_t length = file ? fread(text, 1, sizeof text, file) : 0;
    wfsm_engine_options options = {.size = sizeof options, .session = session(), .now = now()};
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_machine *machine = NULL;
    wfsm_store *store = NULL;
    wfsm_engine *engine = NULL;
    int32_t status;
    int is_lost = 0;

    if (!(status = wfsm_machine_load(&machine, text, length, NULL, NULL, error)) &&
        !(status = wfsm_sqlite_open(&store, "tasks.db", NULL, NULL, error)) &&
        !(status = wfsm_engine_new(&engine, store, &options, error)) &&
        !(status = wfsm_engine_add_machine(engine, machine, error)) &&
        !(status = wfsm_engine_add_agent(engine, "writer", write_text, NULL, error)) &&
        !(status = wfsm_engine_observe(engine, told, NULL, error)) &&
        !(status = wfsm_engine_on_lost(engine, lost, &is_lost, error)))
        status = take(engine, error);
    while (!status && !(status = wfsm_engine_run(engine, now(), error)) && !is_lost) {
        wfsm_instance *task = wfsm_engine_instance(engine, "task-1");
        if (wfsm_instance_status(task) == WFSM_DONE ||
            wfsm_instance_has_tag(task, "awaiting_input"))
            break;
        nanosleep(&(struct timespec){0, 10 * 1000 * 1000}, NULL);
    }
    if (status)
        fprintf(stderr, "%s\n", wfsm_error_message(error));
    else if (!is_lost)
        puts(wfsm_instance_configuration(wfsm_engine_instance(engine, "task-1"), NULL));
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    return status || is_lost ? 1 : 0;
}
