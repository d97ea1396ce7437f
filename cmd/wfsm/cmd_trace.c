/* wfsm trace: what a tracing system shows of workflows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/commands.h"
#include "wfsm/many.h"
#include "wfsm/shown.h"
#include "wfsm/trace.h"

static const char help[] =
    "usage: wfsm trace [--service NAME] [--otlp URL] STORE [ID...]\n"
    "       wfsm trace --follow [--service NAME] [--otlp URL] STORE\n"
    "\n"
    "Exports journals as traces of OpenTelemetry (OTLP/JSON): those of the named instances, or\n"
    "of all. Prints one message for each instance on a line of its own, as the file exporter of\n"
    "the OpenTelemetry Collector writes them. An instance is a trace. Spans are the instance,\n"
    "its states, and each attempt of an agent; the inputs are events of the instance's span. A\n"
    "child workflow has a trace of its own with a link to the trace of its parent. A span is\n"
    "exported when it has ended. Its id is a digest of stored data, so each export gives the\n"
    "same ids. The store is only read.\n"
    "\n"
    "  --service NAME  the attribute service.name; default: wfsm\n"
    "  --otlp URL      sends the messages to a collector instead of printing them, for example\n"
    "                  http://localhost:4318/v1/traces\n"
    "\n"
    "  --follow        exports spans as they end, until SIGINT or SIGTERM: those of instances\n"
    "                  that change from now on. While the collector is away, it waits for it\n"
    "\n"
    "Exit codes: 0 success; 1 the store or an instance cannot be read, or the collector has\n"
    "refused a message; 64 the command line is wrong.\n";

typedef struct request {
    const char *store, *service, *url;
    many ids;
    bool follow;
} request;

static int parse(request *self, int count, char **list)
{
    static const cli_option options[] = {
        {"--service", true}, {"--otlp", true}, {"--follow", false}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD)
            return CLI_USAGE;
        if (found == 0)
            self->service = args.value;
        else if (found == 1)
            self->url = args.value;
        else if (found == 2)
            self->follow = true;
        else if (!self->store)
            self->store = args.value;
        else
            many_add(&self->ids, args.value);
    }
    if (self->follow && self->ids.count > 0)
        return cli_misused("trace --follow takes one store");
    return self->store ? CLI_OK : cli_misused("trace needs a store");
}

bool trace_put(const char *url, const json_t *message)
{
    if (url)
        return trace_post(url, message);
    shown_json(message, stdout, JSON_COMPACT);
    shown_puts("");
    fflush(stdout);
    return true;
}

static bool export_one(const request *self, wfsm_store *store, const char *id)
{
    stored_head head;
    if (!stored_find(store, self->store, id, &head))
        return false;
    json_t *message = trace_message(store, self->store, &head, self->service);
    bool fine = message && trace_put(self->url, message);
    json_decref(message);
    stored_head_free(&head);
    return fine;
}

static bool export_all(request *self)
{
    const wfsm_query all = {.size = sizeof all};
    wfsm_store *store = stored_open(self->store);
    bool fine =
        store && (self->ids.count > 0 || many_list(&self->ids, store, self->store, &all));
    for (size_t i = 0; fine && i < self->ids.count; i++)
        fine = export_one(self, store, self->ids.ids[i]);
    wfsm_store_free(store);
    return fine;
}

static int run(int count, char **list)
{
    request self = {.service = "wfsm"};
    int code = parse(&self, count, list);
    if (code == CLI_OK && self.follow)
        code = cli_finish(trace_run(&(trace_follow){self.store, self.url, self.service})
                              ? CLI_OK
                              : CLI_FAILED);
    else if (code == CLI_OK)
        code = cli_finish(export_all(&self) ? CLI_OK : CLI_FAILED);
    many_free(&self.ids);
    return code;
}

const cli_command cmd_trace = {"trace", "exports journals to OpenTelemetry", help, run};
