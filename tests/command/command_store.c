/* Fills a new SQLite store for the tests of list, show and journal.
 * usage: command_store FILE [COUNT | odd | acknowledged | many COUNT]: with so many more records of one
 * and three; with odd texts; with the effect of one acknowledged; with so many instances more */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wfsm/sqlite.h>
#include <wfsm/wfsm.h>
#include "../given.h"
#include "../ids/ids.h"

static const char document[] =
    "{\"id\":\"loop\",\"version\":\"2\",\"initial\":\"plan\",\"context\":{\"n\":0.1},"
    "\"states\":{"
    "\"plan\":{\"tags\":[\"awaiting_input\",\"early\"],\"after\":{\"500\":\"work\"},"
    "\"on\":{\"go\":{\"target\":\"work\",\"guard\":\"ready\",\"actions\":[\"count\","
    "{\"type\":\"emit\",\"params\":{\"event\":\"went\"}}]}}},"
    "\"work\":{\"initial\":\"build\",\"invoke\":{\"id\":\"w\",\"src\":\"coder\",\"input\":"
    "{\"deep\":[1,{}]},\"onDone\":\"end\"},\"on\":{\"trip\":{\"actions\":{\"type\":\"assign\","
    "\"params\":{\"n\":{\"throw\":\"tripped\"}}}}},\"states\":{\"build\":{}}},"
    "\"end\":{\"type\":\"final\",\"output\":{\"ok\":true}}}}";

/* 2026-01-02T03:04:05.678Z */
static const int64_t date = 1767323045678;

static wfsm_error *error;

static void must(int32_t status, const char *what)
{
    if (status == WFSM_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, wfsm_error_message(error));
    exit(1);
}

static int32_t yes(void *user, wfsm_call *call)
{
    (void)user;
    return wfsm_call_allow(call, 1);
}

static int32_t count(void *user, wfsm_call *call)
{
    (void)user;
    return wfsm_call_patch(call, "{\"n\":1}", 7);
}

static void run_one(wfsm_machine *machine, wfsm_store *store, wfsm_functions *functions)
{
    wfsm_instance *one = NULL;
    must(wfsm_instance_start(&one, machine,
                             START("one", .store = store, .functions = functions), date, error),
         "start one");
    must(wfsm_instance_checkpoint(one, CHECKPOINT("before"), date + 1000, NULL, error),
         "checkpoint");
    must(wfsm_instance_send(
             one, EVENT("go", .id = "event-1", .data = "{\"by\":\"me\"}", .length = 11),
             date + 2000, NULL, error),
         "go");
    must(wfsm_store_post(store, "one", "later", "post-1", NULL, 0, date + 3000, error), "post");
    wfsm_instance_free(one);
}

static void run_two(wfsm_machine *machine, wfsm_store *store, wfsm_functions *functions)
{
    wfsm_instance *two = NULL;
    int32_t fired = 0;
    must(wfsm_instance_start(&two, machine,
                             START("two", .store = store, .functions = functions), 0, error),
         "start two");
    must(wfsm_instance_advance(two, 600, &fired, NULL, error), "advance");
    must(wfsm_instance_result(
             two, RESULT(ids_in(store, "two/2/1"), .output = "{\"a\":1}", .length = 7), 700,
             NULL, error),
         "result");
    wfsm_instance_free(two);
}

static void run_three(wfsm_machine *machine, wfsm_store *store, wfsm_functions *functions)
{
    wfsm_instance *three = NULL;
    int32_t fired = 0;
    must(wfsm_instance_start(&three, machine,
                             START("three", .store = store, .functions = functions), 0, error),
         "start three");
    must(wfsm_instance_advance(three, 500, &fired, NULL, error), "advance");
    must(wfsm_instance_failure(three,
                               FAILURE(ids_in(store, "three/2/1"), .failure_class = "network",
                                       .message = "no line"),
                               510, NULL, error),
         "failure");
    must(wfsm_instance_send(three, EVENT("trip"), 520, NULL, error), "trip");
    wfsm_instance_free(three);
}

static void send_more(wfsm_store *store, wfsm_functions *functions, const char *id, int more)
{
    char data[400];
    wfsm_instance *instance = NULL;
    memset(data, 'x', sizeof data);
    data[0] = data[sizeof data - 1] = '"';
    must(wfsm_instance_load(&instance, NULL, store, functions, id, error), "load");
    for (int i = 0; i < more; i++)
        must(wfsm_instance_send(instance, EVENT("trip", .data = data, .length = sizeof data),
                                date + 10000 + i, NULL, error),
             "trip");
    wfsm_instance_free(instance);
}

/* One of many: each has a checkpoint, every tenth has two posts, and every fifth an effect that is
 * acknowledged. */
static void start_one_of(wfsm_machine *machine, wfsm_store *store, wfsm_functions *functions,
                         int which)
{
    wfsm_instance *instance = NULL;
    char id[32];
    snprintf(id, sizeof id, "many-%05d", which);
    must(wfsm_instance_start(&instance, machine,
                             START(id, .store = store, .functions = functions), date, error),
         "start");
    must(wfsm_instance_send(instance, EVENT("go"), date + 1000 + which, NULL, error), "go");
    must(wfsm_instance_checkpoint(instance, CHECKPOINT("point"), date + 3000, NULL, error),
         "checkpoint");
    wfsm_instance_free(instance);
}

static void start_many(wfsm_machine *machine, wfsm_store *store, wfsm_functions *functions,
                       int count)
{
    must(wfsm_store_batch(store, error), "batch");
    for (int i = 0; i < count; i++)
        start_one_of(machine, store, functions, i);
    must(wfsm_store_flush(store, NULL, error), "flush");
    for (int i = 0; i < count; i += 5) {
        char id[32];
        snprintf(id, sizeof id, "many-%05d", i);
        must(wfsm_store_acknowledge(store, id, 1, error), "acknowledge");
        for (int post = 0; post < 2 && i % 10 == 0; post++)
            must(wfsm_store_post(store, id, post ? "second" : "first", NULL, NULL, 0,
                                 date + 4000, error),
                 "post");
    }
}

/* What would change the colours of a terminal. */
static void patch_odd(wfsm_store *store, wfsm_functions *functions)
{
    static const char odd[] = "{\"a\\u001b[31m/~\":\"\\u0007red\"}";
    wfsm_instance *instance = NULL;
    must(wfsm_instance_load(&instance, NULL, store, functions, "one", error), "load");
    must(wfsm_instance_patch(instance, odd, strlen(odd), date + 10000, NULL, error), "patch");
    wfsm_instance_free(instance);
}

int main(int argc, char **argv)
{
    wfsm_machine *machine = NULL;
    wfsm_store *store = NULL;
    wfsm_functions *functions = NULL;
    error = wfsm_error_new(NULL);
    if (argc < 2 || argc > 4)
        return 2;
    must(wfsm_machine_load(&machine, document, strlen(document), NULL, NULL, error), "load");
    must(wfsm_sqlite_open(&store, argv[1], NULL, NULL, error), "open");
    must(wfsm_functions_new(&functions, NULL, error), "functions");
    must(wfsm_functions_add_guard(functions, "ready", yes, NULL, error), "guard");
    must(wfsm_functions_add_action(functions, "count", count, NULL, error), "action");
    run_one(machine, store, functions);
    run_two(machine, store, functions);
    run_three(machine, store, functions);
    if (argc == 3 && strcmp(argv[2], "odd") == 0) {
        patch_odd(store, functions);
    } else if (argc == 3 && strcmp(argv[2], "acknowledged") == 0) {
        must(wfsm_store_acknowledge(store, "one", 1, error), "acknowledge");
    } else if (argc == 4) {
        start_many(machine, store, functions, atoi(argv[3]));
    } else if (argc == 3) {
        send_more(store, functions, "one", atoi(argv[2]));
        send_more(store, functions, "three", atoi(argv[2]));
    }
    wfsm_functions_free(functions);
    wfsm_store_free(store);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    return 0;
}
