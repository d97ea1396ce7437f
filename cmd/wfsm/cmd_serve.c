#include <stdio.h>
#include "wfsm/commands.h"
#include "wfsm/owned.h"
#include "wfsm/serve.h"

static const char help[] =
    "usage: wfsm serve [--port N] [--as NAME] [--read-only]\n"
    "                  [--otlp URL [--agents FILE]] STORE\n"
    "\n"
    "Serves a page on the loopback until SIGINT or SIGTERM, and prints its address, which has\n"
    "a token. The page lists the instances with filters, draws machines with how many\n"
    "instances are in each state, and shows one instance: chart, journal, work, timers,\n"
    "checkpoints, and what it asks people. There you can approve and reject, post events,\n"
    "stop, retry, restore and fork. It follows what happens. /metrics is for Prometheus.\n"
    "\n"
    "  --port N       the port of 127.0.0.1; the default is one that is free\n"
    "  --as NAME      who acts; the default is the user's name. Journals say so\n"
    "  --read-only    the page changes nothing\n"
    "  --otlp URL     exports spans to a collector of OpenTelemetry as they end, in a process\n"
    "                 of its own, as wfsm trace --follow does\n"
    "  --agents FILE  the agents' file: their spans get the provider and the model that it\n"
    "                 names\n"
    "\n"
    "Exit codes: 0 it was ended by a signal; 1 the port cannot be used; 64 the command line is\n"
    "wrong.\n";

enum { PORT, AS, READ_ONLY, OTLP, AGENTS };

static int parse(serve *self, int count, char **list)
{
    static const cli_option options[] = {[PORT] = {"--port", true},
                                         [AS] = {"--as", true},
                                         [READ_ONLY] = {"--read-only", false},
                                         [OTLP] = {"--otlp", true},
                                         [AGENTS] = {"--agents", true},
                                         [AGENTS + 1] = {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD ||
            (found == PORT && !many_number("--port", args.value, &self->port)))
            return CLI_USAGE;
        if (found == OTLP)
            self->exporter.url = args.value;
        else if (found == AGENTS)
            self->exporter.agents = args.value;
        else if (found == AS)
            self->person = args.value;
        else if (found == READ_ONLY)
            self->read_only = true;
        else if (found == CLI_OPERAND && self->store)
            return cli_misused("serve takes one store");
        else if (found == CLI_OPERAND)
            self->store = args.value;
    }
    if (self->port > 65535)
        return cli_misused("--port: expected 0 to 65535");
    if (self->exporter.agents && !self->exporter.url)
        return cli_misused("--agents needs --otlp");
    return self->store ? CLI_OK : cli_misused("serve needs a store");
}

static int run(int count, char **list)
{
    serve self = {.person = owned_user() ? owned_user() : ""};
    int code = parse(&self, count, list);
    if (code == CLI_OK) {
        /* A store that is not there is an error now, and not on the first page. */
        wfsm_store *store = stored_open(self.store);
        code = store && serve_make_secrets(&self) ? CLI_OK : CLI_FAILED;
        wfsm_store_free(store);
    }
    if (code == CLI_OK) {
        self.exporter.path = self.store;
        trace_exporter_start(&self.exporter);
        self.states = serve_states_new();
        code = serve_run(&self);
        serve_states_free(self.states);
        trace_exporter_end(&self.exporter);
    }
    for (size_t i = 0; i < SERVE_SAID; i++)
        cli_text_free(&self.said[i]);
    return cli_finish(code);
}

const cli_command cmd_serve = {"serve", "serves a page that shows a store", help, run};
