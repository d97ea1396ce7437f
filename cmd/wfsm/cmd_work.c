#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "wfsm/address.h"
#include "wfsm/commands.h"
#include "wfsm/shown.h"
#include "wfsm/trace.h"
#include "wfsm/work.h"

static const char help[] =
    "usage: wfsm work --machines FILE --agents FILE [--slots N] [--name NAME] [--runs DIR]\n"
    "                 [--lapse MS] [--share KIND:NAME=N] [--sweep MS] [--archive FILE]\n"
    "                 [--metrics [ADDRESS:]PORT] [--otlp URL]\n"
    "                 STORE [FILE...]\n"
    "\n"
    "Runs the workflows of a store with the agents of a file, until SIGINT or SIGTERM. It\n"
    "takes every instance that nobody alive owns, if it is of one of the machines and if all\n"
    "agents that its document names are in the file; it names the others once, and leaves\n"
    "them to other workers. Any number of workers may serve one store. On a server they share\n"
    "the instances evenly: when another one joins, it gets its share of those that no agent is\n"
    "at work for. When one ends, the others take its instances over: at once if it ended on\n"
    "their own host, and otherwise when its lease has lapsed. A signal ends it after the present round; its agents are\n"
    "told to stop, its instances belong to nobody, and their work begins again elsewhere.\n"
    "A second signal ends it at once.\n"
    "\n"
    "It carries out the schedules of the store (wfsm schedule). The key meta.schedules of a\n"
    "machine document names schedules, which it adds or updates when it begins\n"
    "(doc/schedules.md).\n"
    "\n"
    "It prints a line for each instance that it takes, or for many of them together, and for\n"
    "each change of state. Children\n"
    "(\"machine:ID\") need their machine among the machines. People vote with wfsm approve. A\n"
    "worker has no guards and actions of a host, and delivers no effects: they wait.\n"
    "\n"
    "  --machines FILE  a machine document, or a folder with documents (*.json). May be\n"
    "                   given several times; more FILEs may follow STORE\n"
    "  --agents FILE    the agents, a TOML file (doc/agents.md)\n"
    "  --slots N        how many agents are at work at once; the default is 15\n"
    "  --name NAME      is part of the owner's name, which list --json shows\n"
    "  --runs DIR       the folder for the files of runs, one for a store; the default is\n"
    "                   runs. Workers of one host share it\n"
    "  --lapse MS       how long the others wait if it is gone without a word; the default\n"
    "                   is 10000\n"
    "  --share KIND:NAME=N\n"
    "                   at most N invocations of an agent, a phase or a group (KIND) at work at\n"
    "                   once in all workers of the store together; may be given several times.\n"
    "                   Give it to every worker\n"
    "  --sweep MS       how long after a sweep the next one begins, which does what the\n"
    "                   documents say about ended instances and old records, as wfsm sweep\n"
    "                   does; the default is 3600000, an hour. 0: never\n"
    "  --archive FILE   where a sweep moves instances, a store, which is made if it is not\n"
    "                   there; without it, what goes to an archive stays\n"
    "  --metrics [ADDRESS:]PORT\n"
    "                   serves what this worker does at http://ADDRESS:PORT/metrics, for Prometheus:\n"
    "                   rounds, commits, latency, queue, slots, lease, failures by class\n"
    "                   (doc/deploy.md). The default is 127.0.0.1. PORT 0: one that is free; it is\n"
    "                   printed. Everybody who can reach the address can read it\n"
    "  --otlp URL       exports spans to a collector of OpenTelemetry as they end, in a process\n"
    "                   of its own, as wfsm trace --follow does. One worker of a store needs it\n"
    "\n"
    "Exit codes: 0 it was ended by a signal; 1 the store, a document or the agents' file has\n"
    "an error, the store has failed ten times in a row, or no machine can be served; 64 the\n"
    "command line is wrong.\n";

enum { MACHINES, AGENTS, SLOTS, NAME, RUNS, LAPSE, SHARE, SWEEP, ARCHIVE, OTLP, METRICS };

typedef struct wanted {
    const char *store, *agents, *name, *runs, *archive, *otlp, *metrics;
    many machines, shares;
    int64_t slots, lapse, sweep;
} wanted;

/* ---- the command line ---- */

static int check_number(const char *option, const char *value, int64_t least, int64_t most,
                        int64_t *number)
{
    if (!many_number(option, value, number))
        return CLI_USAGE;
    if (*number >= least && *number <= most)
        return CLI_OK;
    return cli_misused("%s: expected %lld to %lld, not %s", option, (long long)least,
                       (long long)most, value);
}

static int take(wanted *self, int option, const char *value)
{
    switch (option) {
    case MACHINES:
        many_add(&self->machines, value);
        return CLI_OK;
    case AGENTS:
        self->agents = value;
        return CLI_OK;
    case SLOTS:
        return check_number("--slots", value, 1, 100000, &self->slots);
    case NAME:
        self->name = value;
        if (*value && strlen(value) <= 64 && !strchr(value, '/'))
            return CLI_OK;
        return cli_misused("--name: expected 1 to 64 bytes without '/', not %s", value);
    case RUNS:
        self->runs = value;
        return CLI_OK;
    case SHARE:
        many_add(&self->shares, value);
        return work_share_parse(value, &(work_share){0});
    case OTLP:
        self->otlp = value;
        return CLI_OK;
    case METRICS:
        self->metrics = value;
        return work_metrics_check(value);
    case SWEEP:
        return check_number("--sweep", value, 0, 86400000, &self->sweep);
    case ARCHIVE:
        self->archive = value;
        return CLI_OK;
    default:
        return check_number("--lapse", value, 300, 86400000, &self->lapse);
    }
}

static int parse(wanted *self, int count, char **list)
{
    static const cli_option options[] = {
        [MACHINES] = {"--machines", true}, [AGENTS] = {"--agents", true},
        [SLOTS] = {"--slots", true},       [NAME] = {"--name", true},
        [RUNS] = {"--runs", true},         [LAPSE] = {"--lapse", true},
        [SHARE] = {"--share", true},       [SWEEP] = {"--sweep", true},
        [ARCHIVE] = {"--archive", true},   [OTLP] = {"--otlp", true},
        [METRICS] = {"--metrics", true},   [METRICS + 1] = {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD || (found >= 0 && take(self, found, args.value) != CLI_OK))
            return CLI_USAGE;
        if (found == CLI_OPERAND && self->store)
            many_add(&self->machines, args.value);
        else if (found == CLI_OPERAND)
            self->store = args.value;
    }
    if (!self->store)
        return cli_misused("work needs a store");
    if (self->machines.count == 0)
        return cli_misused("work needs --machines");
    return self->agents ? CLI_OK : cli_misused("work needs --agents");
}

/* ---- the parts of a worker ---- */

/* "HOST/RANDOM/PROCESS" with the name in front of the random part, if there is room. */
static void name_session(work *self, const char *name)
{
    char *session = self->session;
    size_t length = strlen(wfsm_session_name(session)), more = name ? strlen(name) + 1 : 0;
    char *place = strrchr(session, '/');
    while (place > session && place[-1] != '/')
        place--;
    if (!name || length + more >= sizeof self->session)
        return;
    memmove(place + more, place, strlen(place) + 1);
    memcpy(place, name, more - 1);
    place[more - 1] = '-';
}

static int32_t tell_lost(void *user, wfsm_call *call)
{
    (void)user;
    shown_printf("has lost %s\n", wfsm_call_instance(call));
    fflush(stdout);
    return WFSM_OK;
}

static bool done(const char *about, int32_t status, const wfsm_error *error)
{
    if (status != WFSM_OK)
        cli_say_error(about, error);
    return status == WFSM_OK;
}

static bool read_agents(work *self, const char *path)
{
    int32_t status = wfsm_agents_new(&self->agents, self->error);
    if (status == WFSM_OK)
        status = wfsm_agents_load_toml(self->agents, path, self->error);
    return done(path, status, self->error);
}

static bool read_machines(work *self, const many *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        if (!work_read_machines(self, paths->ids[i]))
            return false;
    return work_choose_machines(self);
}

/* A file is looked at in every round, because that costs little; a server only now and then. */
static bool make_loop(work *self, const wanted *given)
{
    int64_t most = self->is_file ? 0 : given->lapse / 3;
    const wfsm_engine_options engine = {.size = sizeof engine,
                                        .session = self->session,
                                        .lapse_ms = given->lapse,
                                        .slots = (uint32_t)given->slots,
                                        .look_ms = most > 0 && most < 1000 ? most : 1000,
                                        .look_most_ms = most};
    const wfsm_loop_options options = {.size = sizeof options,
                                       .engine = &engine,
                                       .agents = self->agents,
                                       .runs = given->runs,
                                       .progress = 1,
                                       .serve = 1,
                                       .schedules = 1,
                                       .lost = tell_lost};
    int32_t status = wfsm_loop_new(&self->loop, self->store, &options, self->error);
    for (size_t i = 0; i < self->machine_count && status == WFSM_OK; i++)
        if (self->machines[i].is_served)
            status = wfsm_engine_add_machine(wfsm_loop_engine(self->loop),
                                             self->machines[i].machine, self->error);
    if (status == WFSM_OK)
        status = work_share_all(self, &given->shares);
    return done(self->path, status, self->error);
}

static bool begin(work *self, const wanted *given)
{
    return read_agents(self, given->agents) && read_machines(self, &given->machines) &&
           (self->store = stored_open_to_write(self->path)) &&
           (!given->archive || many_open_archive(&self->archive, given->archive, false)) &&
           make_loop(self, given) && work_add_schedules(self) &&
           (!given->metrics || work_metrics_begin(self, given->metrics));
}

/* Programs get a minute to end. */
static void end(work *self)
{
    work_metrics_end(self);
    wfsm_loop_free(self->loop);
    if (self->agents)
        wfsm_agents_drain(self->agents, 60000);
    wfsm_agents_free(self->agents);
    wfsm_store_free(self->archive);
    wfsm_store_free(self->store);
    work_free_machines(self);
    wfsm_error_free(self->error);
    if (self->timer >= 0)
        close(self->timer);
}

static int run(int count, char **list)
{
    wanted given = {.slots = 15, .lapse = 10000, .runs = "runs", .sweep = 3600000};
    int code = parse(&given, count, list);
    if (code == CLI_OK) {
        work self = {.path = given.store,
                     .lapse_ms = given.lapse,
                     .sweep_ms = given.sweep,
                     .is_file = address_is_file(given.store),
                     .timer = -1};
        self.error = cli_need(wfsm_error_new(NULL));
        name_session(&self, given.name);
        self.seed = (unsigned)wfsm_agents_now() ^ (unsigned)getpid();
        self.exporter = (trace_exporter){
            .path = self.path, .url = given.otlp, .agents = given.otlp ? given.agents : NULL};
        trace_exporter_start(&self.exporter);
        code = begin(&self, &given) ? work_run(&self) : CLI_FAILED;
        end(&self);
        trace_exporter_end(&self.exporter);
        code = cli_finish(code);
    }
    many_free(&given.machines);
    many_free(&given.shares);
    return code;
}

const cli_command cmd_work = {"work", "runs the workflows of a store with agents", help, run};
