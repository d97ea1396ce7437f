/* wfsm trace: what a tracing system shows of workflows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/commands.h"
#include "wfsm/many.h"
#include "wfsm/shown.h"
#include "wfsm/trace.h"

static const char help[] =
    "usage: wfsm trace [--service NAME] [--agents FILE] [--otlp URL] STORE [ID...]\n"
    "       wfsm trace --follow [--service NAME] [--agents FILE] [--otlp URL] STORE\n"
    "\n"
    "Exports journals as traces of OpenTelemetry (OTLP/JSON): those of the named instances, or\n"
    "of all. Prints one message for each instance on a line of its own, as the file exporter of\n"
    "the OpenTelemetry Collector writes them, or one for each thousand spans. An instance is a\n"
    "trace. Spans are the instance,\n"
    "its states, and each attempt of an agent; the inputs are events of the instance's span. A\n"
    "child workflow has a trace of its own with a link to the trace of its parent, and a fork one\n"
    "with a link to what it was forked from. A span is\n"
    "exported when it has ended. Its id is a digest of stored data, so each export gives the\n"
    "same ids. The store is only read.\n"
    "\n"
    "  --service NAME  the attribute service.name; default: wfsm\n"
    "  --agents FILE   the agents' file: attempts get the provider and the model that it names\n"
    "  --otlp URL      sends the messages to a collector instead of printing them, for example\n"
    "                  http://localhost:4318/v1/traces\n"
    "\n"
    "  --follow        exports spans as they end, until SIGINT or SIGTERM: those of instances\n"
    "                  that change from now on. While the collector is away, it waits for it\n"
    "\n"
    "Exit codes: 0 success; 1 the store, the agents' file or an instance cannot be read, or the\n"
    "collector has refused spans; 64 the command line is wrong.\n";

typedef struct request {
    const char *store, *service, *url, *agents;
    many ids;
    bool follow;
} request;

static int parse(request *self, int count, char **list)
{
    static const cli_option options[] = {{"--service", true},
                                         {"--otlp", true},
                                         {"--follow", false},
                                         {"--agents", true},
                                         {NULL, false}};
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
        else if (found == 3)
            self->agents = args.value;
        else if (!self->store)
            self->store = args.value;
        else
            many_add(&self->ids, args.value);
    }
    if (self->follow && self->ids.count > 0)
        return cli_misused("trace --follow takes one store");
    return self->store ? CLI_OK : cli_misused("trace needs a store");
}

trace_answer trace_put(trace_collector *collector, const json_t *message)
{
    if (collector)
        return trace_post(collector, message);
    shown_json(message, stdout, JSON_COMPACT);
    shown_puts("");
    fflush(stdout);
    return TRACE_TAKEN;
}

typedef struct exporting {
    trace_export out;
    trace_collector *collector;
    bool is_listed; /* the store has named the instances, not the user */
} exporting;

static trace_answer take_spans(void *user, json_t *spans)
{
    const exporting *self = user;
    json_t *message = trace_whole(self->out.service, spans);
    trace_answer answer = trace_put(self->collector, message);
    json_decref(message);
    return answer;
}

static bool find(const exporting *self, const char *id, stored_head *head, bool *removed)
{
    wfsm_head found = {.size = sizeof found};
    if (!self->is_listed)
        return stored_find(self->out.store, self->out.path, id, head);
    int32_t status = wfsm_store_head(self->out.store, id, &found, NULL);
    *removed = status == WFSM_NOT_FOUND;
    if (status != WFSM_OK)
        return *removed || stored_find(self->out.store, self->out.path, id, head);
    stored_head_copy(head, &found);
    return true;
}

static trace_answer export_one(const exporting *self, const char *id)
{
    stored_head head = {0};
    bool removed = false;
    if (!find(self, id, &head, &removed))
        return TRACE_REFUSED;
    trace_answer answer = removed ? TRACE_TAKEN : trace_instance(&self->out, &head);
    stored_head_free(&head);
    return answer;
}

/* One that cannot be exported does not hold up the others, but without the collector there is no point. */
static bool export_each(const exporting *self, const many *ids)
{
    trace_answer worst = TRACE_TAKEN;
    for (size_t i = 0; i < ids->count && worst != TRACE_AWAY; i++) {
        trace_answer answer = export_one(self, ids->ids[i]);
        worst = answer > worst ? answer : worst;
    }
    return worst == TRACE_TAKEN;
}

static bool export_all(request *self)
{
    const wfsm_query all = {.size = sizeof all};
    json_t *models = self->agents ? trace_models(self->agents) : NULL;
    exporting out = {.is_listed = self->ids.count == 0,
                     .out = {.path = self->store,
                             .service = self->service,
                             .models = models,
                             .sink = take_spans,
                             .user = &out}};
    if (self->agents && !models)
        return false;
    out.out.store = stored_open(self->store);
    out.collector = self->url ? trace_collector_new(self->url) : NULL;
    bool fine = out.out.store && (self->ids.count > 0 ||
                                  many_list(&self->ids, out.out.store, self->store, &all));
    fine = fine && export_each(&out, &self->ids);
    trace_collector_free(out.collector);
    wfsm_store_free(out.out.store);
    json_decref(models);
    return fine;
}

static int run(int count, char **list)
{
    request self = {.service = "wfsm"};
    int code = parse(&self, count, list);
    if (code == CLI_OK && self.follow)
        code = cli_finish(
            trace_run(&(trace_follow){self.store, self.url, self.service, self.agents})
                ? CLI_OK
                : CLI_FAILED);
    else if (code == CLI_OK)
        code = cli_finish(export_all(&self) ? CLI_OK : CLI_FAILED);
    many_free(&self.ids);
    return code;
}

const cli_command cmd_trace = {"trace", "exports journals to OpenTelemetry", help, run};
