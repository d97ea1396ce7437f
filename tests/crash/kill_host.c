/*
 * The processes that kill_hosts.py kills: an engine over many instances, and programs that send
 * it events.
 *
 * kill_host serve STORE MACHINE EFFECTS OWNER GONE INSTANCES TARGET CHILD_MACHINE
 *     drives INSTANCES instances to their end; notes effects in EFFECTS. GONE is the owner
 *     that was killed before ("" none).
 * kill_host post|send|wrong STORE ACKS NAME COUNT INSTANCES
 *     brings events NAME-0 … NAME-(COUNT-1) to the instances in turn, from the first that
 *     ACKS does not name: through the inbox, or as commits of its own. "wrong" notes them
 *     before it posts them. COUNT 0: one after the other until SIGTERM.
 * kill_host compact STORE ARCHIVE NAME KEEP INSTANCES
 *     compacts them into the archive, again and again, until all have ended.
 *
 * SIGTERM ends a server when nothing is left to do, and a process that brings events after the
 * present one. The latter prints how often it came second and how long its longest call took.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wfsm/sqlite.h>
#include <wfsm/wfsm.h>
#include "../given.h"

enum { LAPSE = 2000 };

static wfsm_error *error;
static wfsm_store *store;
static volatile sig_atomic_t ending;
static long conflicts, longest;

static void end_soon(int signal_number)
{
    (void)signal_number;
    ending = 1;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void rest(int64_t ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static void must(int32_t status, const char *what)
{
    if (status == WFSM_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, wfsm_status_name(status), wfsm_error_message(error));
    exit(1);
}

/* One line, by one write: a kill leaves it whole, or out. */
static void note(int file, const char *line)
{
    if (write(file, line, strlen(line)) != (ssize_t)strlen(line))
        exit(1);
}

static int open_notes(const char *path)
{
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0644);
    if (file < 0)
        exit(1);
    return file;
}

/* ---- the engine ---- */

static int32_t deliver(void *user, wfsm_call *call)
{
    char line[600];
    snprintf(line, sizeof line, "%s %s\n", wfsm_call_id(call), wfsm_call_input(call, NULL));
    note(*(int *)user, line);
    return WFSM_OK;
}

static int32_t begin_doubling(void *user, wfsm_call *call)
{
    (void)user;
    (void)call;
    return WFSM_OK; /* at work: the first poll answers */
}

static int32_t end_doubling(void *user, wfsm_call *call)
{
    char answer[32];
    (void)user;
    int length = snprintf(answer, sizeof answer, "%d", 2 * atoi(wfsm_call_input(call, NULL)));
    return wfsm_call_done(call, answer, (size_t)length);
}

static wfsm_machine *load_machine(const char *path)
{
    static char text[65536];
    wfsm_machine *machine = NULL;
    FILE *file = fopen(path, "rb");
    size_t length = file ? fread(text, 1, sizeof text, file) : 0;
    if (file)
        fclose(file);
    must(wfsm_machine_load(&machine, text, length, NULL, NULL, error), path);
    return machine;
}

static void start_all(wfsm_engine *engine, int instances, const char *target)
{
    char id[32], input[64];
    for (int i = 0; i < instances; i++) {
        snprintf(id, sizeof id, "i%d", i);
        snprintf(input, sizeof input, "{\"target\":%s}", target);
        int32_t status =
            wfsm_engine_start(engine, "count", id, input, strlen(input), now_ms(), error);
        if (status != WFSM_EXISTS)
            must(status, "start");
    }
}

static int count_over(wfsm_engine *engine, int instances)
{
    char id[32];
    int over = 0;
    for (int i = 0; i < instances; i++) {
        wfsm_head head = {.size = sizeof head};
        snprintf(id, sizeof id, "i%d", i);
        wfsm_instance *instance = wfsm_engine_instance(engine, id);
        if (instance)
            over += wfsm_instance_status(instance) == WFSM_DONE;
        else if (wfsm_store_head(store, id, &head, error) == WFSM_OK)
            over += head.status == WFSM_DONE;
    }
    return over;
}

/* All processes that brought events have ended. Their effect is seen within a part of the
     * lapse. */
static bool is_quiet(const wfsm_engine *engine)
{
    static int64_t since;
    if (since == 0)
        since = now_ms();
    return now_ms() - since > LAPSE && wfsm_engine_idle(engine);
}

static int serve(char **list)
{
    int effects = open_notes(list[2]), instances = atoi(list[5]);
    wfsm_engine_options options = {
        .size = sizeof options, .session = list[3], .lapse_ms = LAPSE};
    wfsm_agent doubler = {
        .size = sizeof doubler, .start = begin_doubling, .poll = end_doubling};
    wfsm_machine *machine = load_machine(list[1]), *child = load_machine(list[7]);
    wfsm_engine *engine = NULL;
    if (list[4][0] != '\0')
        must(wfsm_store_remove_owner(store, list[4], error), "gone");
    must(wfsm_engine_new(&engine, store, &options, error), "engine");
    must(wfsm_engine_add_machine(engine, machine, error), "machine");
    must(wfsm_engine_add_machine(engine, child, error), "child");
    must(wfsm_engine_add_agent_full(engine, "doubler", &doubler, error), "agent");
    must(wfsm_engine_on_effect(engine, deliver, &effects, error), "effects");
    start_all(engine, instances, list[6]);
    while (count_over(engine, instances) < instances && !(ending && is_quiet(engine))) {
        must(wfsm_engine_adopt_all(engine, now_ms(), NULL, error), "adopt");
        must(wfsm_engine_run(engine, now_ms(), error), "run");
        rest(1);
    }
    do
        must(wfsm_engine_run(engine, now_ms(), error), "last run");
    while (wfsm_engine_deadline(engine) <= now_ms());
    wfsm_engine_free(engine);
    wfsm_machine_unref(machine);
    wfsm_machine_unref(child);
    return 0;
}

/* ---- those who bring events ---- */

static int lines_of(const char *path)
{
    int lines = 0, c;
    FILE *file = fopen(path, "rb");
    while (file && (c = getc(file)) != EOF)
        lines += c == '\n';
    if (file)
        fclose(file);
    return lines;
}

static bool post(const char *instance, const char *id)
{
    int32_t status = wfsm_store_post(store, instance, "add", id, NULL, 0, now_ms(), error);
    if (status == WFSM_NOT_FOUND) /* not started yet */
        return false;
    if (status != WFSM_EXISTS)
        must(status, "post");
    return true;
}

/* This process is not the owner, so the two can collide. The one that comes second loads
     * again. */
static bool send(const char *instance, const char *id)
{
    wfsm_instance *loaded = NULL;
    int32_t outcome = 0;
    int32_t status = wfsm_instance_load(&loaded, NULL, store, NULL, instance, error);
    if (status == WFSM_OK)
        status = wfsm_instance_send(loaded, EVENT("add", .id = id), now_ms(), &outcome, error);
    wfsm_instance_free(loaded);
    conflicts += status == WFSM_CONFLICT;
    if (status == WFSM_NOT_FOUND || status == WFSM_CONFLICT)
        return false;
    must(status, "send");
    if (outcome != WFSM_TAKEN && outcome != WFSM_DUPLICATE)
        must(WFSM_INVALID, wfsm_outcome_name(outcome));
    return true;
}

static bool bring_one(bool sends, const char *instance, const char *id)
{
    int64_t begin = now_ms();
    bool brought = sends ? send(instance, id) : post(instance, id);
    long took = (long)(now_ms() - begin);
    longest = took > longest ? took : longest;
    return brought;
}

static int bring(const char *how, char **list)
{
    int acks = open_notes(list[1]), count = atoi(list[3]), instances = atoi(list[4]);
    bool sends = strcmp(how, "send") == 0, wrong = strcmp(how, "wrong") == 0;
    for (int i = lines_of(list[1]); (count == 0 || i < count) && !ending; i++) {
        char instance[32], id[64], line[128];
        snprintf(instance, sizeof instance, "i%d", i % instances);
        snprintf(id, sizeof id, "%s-%d", list[2], i);
        snprintf(line, sizeof line, "%s %s\n", instance, id);
        if (wrong)
            note(acks, line);
        while (!bring_one(sends, instance, id))
            rest(1);
        if (!wrong)
            note(acks, line);
        rest(count == 0 ? 2 : 0);
    }
    if (ending)
        printf("%ld %ld\n", conflicts, longest);
    return 0;
}

/* ---- one that compacts while they work ---- */

static bool compact_one(const char *instance, wfsm_store *archive, uint64_t keep)
{
    const wfsm_compaction options = {.size = sizeof options, .keep = keep, .archive = archive};
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_compact(store, instance, &options, NULL, error);
    if (status == WFSM_NOT_FOUND) /* not started yet */
        return false;
    must(status, "compact");
    must(wfsm_store_head(store, instance, &head, error), "head");
    return head.status == WFSM_DONE;
}

static int compact(char **list)
{
    wfsm_store *archive = NULL;
    int instances = atoi(list[4]), ended = 0;
    must(wfsm_sqlite_open(&archive, list[1], NULL, NULL, error), list[1]);
    while (ended < instances) {
        ended = 0;
        for (int i = 0; i < instances; i++) {
            char instance[32];
            snprintf(instance, sizeof instance, "i%d", i);
            ended += compact_one(instance, archive, (uint64_t)atoi(list[3]));
        }
        rest(3);
    }
    wfsm_store_free(archive);
    return 0;
}

int main(int count, char **list)
{
    bool serves = count == 10 && strcmp(list[1], "serve") == 0;
    if (!serves && count != 7)
        return 64;
    signal(SIGTERM, end_soon);
    error = wfsm_error_new(NULL);
    must(wfsm_sqlite_open(&store, list[2], NULL, NULL, error), list[2]);
    bool compacts = strcmp(list[1], "compact") == 0;
    int code = serves     ? serve(list + 2)
               : compacts ? compact(list + 2)
                          : bring(list[1], list + 2);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return code;
}
