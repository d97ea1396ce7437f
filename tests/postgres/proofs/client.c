/*
 * A client that starts, reads and changes instances of register.json, and writes down each call.
 *
 * usage: client ADDRESS MACHINE LOG COUNT NUMBER SEED CALLS [KEY=NUMBER …]
 *
 * LOG gets two lines for each call, with the time in nanoseconds:
 *   invoke TIME CALL WORD INSTANCE VALUE
 *   return TIME CALL OUTCOME REVISION VALUE
 * WORD is start, set or read. OUTCOME is ok, exists, none (there is no such instance), fail (nothing was done, and
 * this is certain) or unknown. After a lost answer it asks in half of the cases what became of it.
 * All clients use the same instances, a few for each 400 calls that did not fail; COUNT is a file
 * in which they count them. They end after CALLS. The key round
 * is how many calls that is, if not 400. Two keys are wrong on purpose: early (one commit in so many is acknowledged, and not made) and
 * stale (one read in so many returns what this client has seen of the instance before).
 */
#include "recorder.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <wfsm/postgres.h>
#include <wfsm/wfsm.h>

enum { AT_ONCE = 3 };

static wfsm_store *store;
static wfsm_machine *machine;
static wfsm_error *error;
static long number, calls, early, stale, reads, round_calls = 400;
static unsigned seed;
static const char *address;
static long *count_of_all; /* shared with the other clients */

/* What was seen last of the instances of a round. */
static struct seen {
    long round, revision, value;
} last[AT_ONCE];

static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static long long nanoseconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void rest(void)
{
    const struct timespec moment = {0, 3000000};

    nanosleep(&moment, NULL);
}

static void answer(long call, const char *outcome, long revision, long value)
{
    note("return %lld %ld %s %ld %ld", nanoseconds(), call, outcome, revision, value);
    if (strcmp(outcome, "fail") != 0)
        __atomic_add_fetch(count_of_all, 1, __ATOMIC_SEQ_CST);
    else
        rest();
}

/* Of a call that wrote nothing. What a server in trouble cannot answer is wrong. */
static const char *failure(int32_t status)
{
    if (status == WFSM_STORE_UNKNOWN)
        return "unknown";
    if (status != WFSM_CONFLICT && status != WFSM_STORE_FAILED && status != WFSM_IO &&
        status != WFSM_DENIED)
        note("wrong %s %.300s", wfsm_status_name(status), wfsm_error_message(error));
    return "fail";
}

static void open_store(void)
{
    const wfsm_postgres_options options = {.size = sizeof options, .connect_ms = 1000};
    wfsm_store *opened = NULL;

    while (wfsm_postgres_open(&opened, address, &options, NULL, error) != WFSM_OK)
        rest();
    store = recorder_open(opened, early);
}

static void load_machine(const char *path)
{
    static char text[4096];
    FILE *in = fopen(path, "r");
    size_t length = in ? fread(text, 1, sizeof text, in) : 0;

    if (in)
        fclose(in);
    if (wfsm_machine_load(&machine, text, length, NULL, NULL, error) != WFSM_OK)
        exit(2);
}

/* ---- the calls ---- */

static void start(long call, const char *id)
{
    wfsm_start_options options = {.size = sizeof options, .id = id, .store = store};
    wfsm_instance *instance = NULL;
    int32_t status = wfsm_instance_start(&instance, machine, &options, now(), error);

    if (status == WFSM_OK)
        answer(call, "ok", 1, 0);
    else if (status == WFSM_EXISTS)
        answer(call, "exists", 0, 0);
    else
        answer(call, failure(status), 0, 0);
    wfsm_instance_free(instance);
}

static long value_of(wfsm_instance *instance)
{
    size_t length = 0;
    const char *context = wfsm_instance_context(instance, &length);
    const char *found = context ? strstr(context, "\"value\":") : NULL;

    return found ? strtol(found + 8, NULL, 10) : -1;
}

static bool is_stale(const struct seen *seen, long round)
{
    return stale > 0 && seen->round == round && seen->revision > 0 && ++reads % stale == 0;
}

static void read_one(long call, const char *id, struct seen *seen, long round)
{
    wfsm_instance *instance = NULL;
    int32_t status;

    if (is_stale(seen, round)) {
        answer(call, "ok", seen->revision, seen->value);
        return;
    }
    status = wfsm_instance_load(&instance, machine, store, NULL, id, error);
    if (status == WFSM_OK) {
        *seen =
            (struct seen){round, (long)wfsm_instance_revision(instance), value_of(instance)};
        answer(call, "ok", seen->revision, seen->value);
    } else {
        answer(call, status == WFSM_NOT_FOUND ? "none" : "fail", 0, 0);
        if (status != WFSM_NOT_FOUND && status != WFSM_BUSY)
            failure(status);
    }
    wfsm_instance_free(instance);
}

/* The answer was lost. Asks until the server knows, or does not ask. */
static void settle(long call, wfsm_instance *instance, long base, long value)
{
    int32_t stored = 0;

    if (rand_r(&seed) % 2 == 0) {
        answer(call, "unknown", 0, 0);
        return;
    }
    while (wfsm_instance_check_commit(instance, &stored, error) != WFSM_OK)
        rest();
    note("resolved %ld %d", call, (int)stored);
    answer(call, stored ? "ok" : "fail", base + 1, value);
}

static void set(long call, const char *id, long value)
{
    wfsm_instance *instance = NULL;
    int32_t status = wfsm_instance_load(&instance, machine, store, NULL, id, error), outcome;
    char data[32];
    wfsm_event event = {.size = sizeof event, .name = "SET", .data = data};
    long base;

    if (status != WFSM_OK) {
        answer(call, "fail", 0, 0);
        return;
    }
    base = (long)wfsm_instance_revision(instance);
    event.length = (size_t)snprintf(data, sizeof data, "%ld", value);
    status = wfsm_instance_send(instance, &event, now(), &outcome, error);
    if (status == WFSM_STORE_UNKNOWN)
        settle(call, instance, base, value);
    else if (status == WFSM_OK)
        answer(call, "ok", base + 1, value);
    else
        answer(call, failure(status), 0, 0);
    wfsm_instance_free(instance);
}

/* ---- the loop ---- */

/* Behind the last call of an earlier process, which has no answer if it was killed. */
static long read_last(const char *path)
{
    FILE *in = fopen(path, "r");
    char line[1300];
    long found, next = 0;

    for (; in && fgets(line, sizeof line, in);)
        if (sscanf(line, "invoke %*d %ld", &found) == 1)
            next = found + 1;
    if (in)
        fclose(in);
    return next;
}

static void call_one(long call, long round, long place, int word)
{
    static const char *const words[] = {"start", "set", "read"};
    long value = call * 100 + number + 1; /* nobody else sets it */
    char id[60];

    snprintf(id, sizeof id, "r%ld-%ld", round, place);
    note("invoke %lld %ld %s %s %ld", nanoseconds(), call, words[word], id, value);
    if (word == 0)
        start(call, id);
    else if (word == 1)
        set(call, id, value);
    else
        read_one(call, id, &last[place], round);
}

/* All clients start the instances of a round. */
static void run(long call)
{
    long done, begun = -1;

    while ((done = __atomic_load_n(count_of_all, __ATOMIC_SEQ_CST)) < calls) {
        long round = done / round_calls;

        for (long place = 0; place < AT_ONCE && begun != round; place++)
            call_one(call++, round, place, 0);
        begun = round;
        call_one(call++, round, rand_r(&seed) % AT_ONCE, rand_r(&seed) % 10 < 5 ? 1 : 2);
    }
}

static void share_count(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT, 0644);

    if (file < 0 || ftruncate(file, sizeof *count_of_all) != 0)
        exit(2);
    count_of_all =
        mmap(NULL, sizeof *count_of_all, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (count_of_all == MAP_FAILED)
        exit(2);
    close(file);
}

static void read_option(const char *text)
{
    if (strncmp(text, "early=", 6) == 0)
        early = strtol(text + 6, NULL, 10);
    if (strncmp(text, "round=", 6) == 0)
        round_calls = strtol(text + 6, NULL, 10);
    if (strncmp(text, "stale=", 6) == 0)
        stale = strtol(text + 6, NULL, 10);
}

int main(int count, char **arguments)
{
    long call;

    if (count < 8)
        return 2;
    follow_parent();
    address = arguments[1];
    share_count(arguments[4]);
    number = strtol(arguments[5], NULL, 10);
    calls = strtol(arguments[7], NULL, 10);
    for (int i = 8; i < count; i++)
        read_option(arguments[i]);
    call = read_last(arguments[3]);
    seed = (unsigned)(strtol(arguments[6], NULL, 10) + number * 1000 + call);
    note_to(arguments[3]);
    error = wfsm_error_new(NULL);
    load_machine(arguments[2]);
    open_store();
    run(call);
    wfsm_store_free(store);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    return 0;
}
