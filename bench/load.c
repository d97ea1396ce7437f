/* W5, load: the time to load documents with many states, rules or regions. The floor only reads
 * the same text as JSON, with jansson. */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wfsm/wfsm.h>
#include "bench.h"

enum { LEAST = 200, RULES = 1000, REGIONS = 15, MOST = 1 << 22 };

static char text[MOST];
static size_t length;
static wfsm_error *error;

static void check(int32_t status)
{
    if (status != WFSM_OK)
        bench_fail("wfsm", wfsm_error_message(error));
}

static void add(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    length += (size_t)vsnprintf(text + length, MOST - length, format, arguments);
    va_end(arguments);
    if (length >= MOST)
        bench_fail("load", "a document is too large");
}

static wfsm_machine *load(void)
{
    wfsm_machine *machine = NULL;
    check(wfsm_machine_load(&machine, text, length, NULL, NULL, error));
    return machine;
}

static void load_once(void *user)
{
    (void)user;
    wfsm_machine_unref(load());
}

static void read_once(void *user)
{
    (void)user;
    json_t *read = json_loadb(text, length, 0, NULL);
    if (!read)
        bench_fail("jansson", "the document is no JSON");
    json_decref(read);
}

/* For each of so many parts. */
static void measure(const char *figure, uint64_t parts)
{
    char floor[80];
    snprintf(floor, sizeof floor, "jansson/%s", figure);
    bench_print("load", floor, bench_time(read_once, NULL, parts, LEAST), "ns", NULL);
    bench_print("load", figure, bench_time(load_once, NULL, parts, LEAST), "ns", floor);
}

static void write_chart(int states)
{
    length = 0;
    add("{\"id\": \"chart\", \"initial\": \"s0\", \"context\": {\"n\": 0}, \"states\": {");
    for (int i = 0; i < states; i++)
        add("%s\"s%d\": {\"on\": {\"NEXT\": \"s%d\", \"SKIP\": {\"target\": \"s%d\", "
            "\"guard\": "
            "{\"<\": [{\"var\": \"context.n\"}, %d]}}}}",
            i > 0 ? ", " : "", i, (i + 1) % states, (i * 7 + 3) % states, i);
    add("}}");
}

static void write_rules(void)
{
    length = 0;
    add("{\"id\": \"rules\", \"initial\": \"a\", \"context\": {\"n\": 0, \"m\": 1, \"who\": "
        "\"x\"}, \"states\": {\"a\": {\"on\": {\"GO\": [");
    for (int i = 0; i < RULES; i++)
        add("%s{\"guard\": {\"and\": [{\">\": [{\"var\": \"context.n\"}, %d]}, {\"===\": "
            "[{\"var\": \"context.who\"}, \"y\"]}]}}",
            i > 0 ? ", " : "", i);
    add("]}}}}");
}

static void write_regions(void)
{
    length = 0;
    add("{\"id\": \"regions\", \"type\": \"parallel\", \"states\": {");
    for (int i = 0; i < REGIONS; i++)
        add("%s\"r%d\": {\"initial\": \"a\", \"states\": {\"a\": {\"on\": {\"GO\": \"b\"}}, "
            "\"b\": {\"on\": {\"GO\": \"a\"}}}}",
            i > 0 ? ", " : "", i);
    add("}}");
}

static void send_go(void *user)
{
    const wfsm_event go = {.size = sizeof go, .name = "GO"};
    int32_t outcome;
    check(wfsm_instance_send(user, &go, 0, &outcome, error));
}

/* One event of the document that was written last, which has so many parts. */
static void measure_event(const char *figure, uint64_t parts)
{
    wfsm_machine *machine = load();
    wfsm_instance *instance = NULL;
    const wfsm_start_options options = {.size = sizeof options, .id = "one"};
    check(wfsm_instance_start(&instance, machine, &options, 0, error));
    bench_print("load", figure, bench_time(send_go, instance, parts, LEAST), "ns", NULL);
    wfsm_instance_free(instance);
    wfsm_machine_unref(machine);
}

int main(void)
{
    static const int sizes[] = {10, 100, 1000, 10000};
    error = wfsm_error_new(NULL);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char figure[64];
        write_chart(sizes[i]);
        snprintf(figure, sizeof figure, "a state of %d", sizes[i]);
        measure(figure, (uint64_t)sizes[i]);
    }
    write_rules();
    measure("a rule", RULES);
    measure_event("a rule that says no", RULES);
    write_regions();
    measure("15 regions", 1);
    measure_event("15 regions moved", 1);
    wfsm_error_free(error);
    return 0;
}
