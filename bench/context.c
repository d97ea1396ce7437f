/*
 * W8, context: a context with many keys, and a long list. Each figure is of one key or one append,
 * so that it stays the same as the context grows, but for the copy of a long list.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wfsm/wfsm.h>
#include "bench.h"

enum { ITEM = 500, APPENDS = 1000 };

static const char *const document =
    "{\"id\":\"m\",\"context\":{\"list\":[]},\"initial\":\"a\",\"states\":{\"a\":{\"on\":{"
    "\"add\":{\"actions\":{\"type\":\"assign\",\"params\":{\"list\":{\"merge\":["
    "{\"var\":\"context.list\"},[{\"var\":\"event.data\"}]]}}}}}}}}";

static wfsm_machine *machine;
static wfsm_store *store;
static wfsm_error *error;

static void check(int32_t status)
{
    if (status != WFSM_OK)
        bench_fail("wfsm", wfsm_error_message(error));
}

static wfsm_instance *start(const char *id)
{
    const wfsm_start_options options = {.size = sizeof options, .id = id, .store = store};
    wfsm_instance *made = NULL;
    check(wfsm_instance_start(&made, machine, &options, 0, error));
    return made;
}

static char *many_keys(int count)
{
    char *text = malloc((size_t)count * 32 + 2);
    size_t used = 1;
    if (!text)
        bench_fail("memory", "");
    text[0] = '{';
    for (int i = 0; i < count; i++)
        used += (size_t)sprintf(text + used, "%s\"k%07d\":\"some text\"", i > 0 ? "," : "", i);
    memcpy(text + used, "}", 2);
    return text;
}

static void measure_patch(const char *id, int count)
{
    char *text = many_keys(count), figure[40];
    wfsm_instance *instance = start(id), *loaded = NULL;
    int32_t outcome;
    int64_t begin = bench_busy();
    check(wfsm_instance_patch(instance, text, strlen(text), 0, &outcome, error));
    snprintf(figure, sizeof figure, "patch of %d keys, each", count);
    bench_print("context", figure, (double)(bench_busy() - begin) / count, "ns", NULL);
    begin = bench_busy();
    check(wfsm_instance_load(&loaded, machine, store, NULL, id, error));
    snprintf(figure, sizeof figure, "load of %d keys, each", count);
    bench_print("context", figure, (double)(bench_busy() - begin) / count, "ns", NULL);
    wfsm_instance_free(loaded);
    wfsm_instance_free(instance);
    free(text);
}

static void measure_appends(void)
{
    char data[ITEM + 3];
    wfsm_instance *instance = start("list");
    size_t bytes = 0, length;
    int32_t outcome;
    memset(data, 'x', sizeof data);
    data[0] = data[ITEM + 1] = '"';
    const wfsm_event event = {
        .size = sizeof event, .name = "add", .data = data, .length = ITEM + 2};
    int64_t begin = bench_busy();
    for (int i = 0; i < APPENDS; i++) {
        check(wfsm_instance_send(instance, &event, 0, &outcome, error));
        wfsm_instance_record(instance, &length);
        bytes += length;
    }
    double busy = (double)(bench_busy() - begin);
    bench_print("context", "append of 500 bytes to a list", busy / APPENDS, "ns", NULL);
    bench_print("context", "its record", (double)bytes / APPENDS, "bytes", NULL);
    wfsm_instance_free(instance);
}

int main(void)
{
    error = wfsm_error_new(NULL);
    check(wfsm_machine_load(&machine, document, strlen(document), NULL, NULL, error));
    check(wfsm_memory_open(&store, NULL, error));
    measure_patch("some", 40000);
    measure_patch("more", 160000);
    measure_appends();
    wfsm_store_free(store);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    return 0;
}
