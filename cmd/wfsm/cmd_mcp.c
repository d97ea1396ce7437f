#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "wfsm/commands.h"
#include "wfsm/mcp.h"
#include "wfsm/owned.h"

static const char help[] =
    "usage: wfsm mcp [--machines FILE]... [--agents FILE] [--as NAME] [--read-only] STORE\n"
    "\n"
    "Serves the Model Context Protocol on standard input and output, revisions 2025-11-25 and\n"
    "2025-06-18. Tools start workflows of these machines, send events, show states and wait\n"
    "for them, and check, verify and simulate documents. What a workflow asks people is asked\n"
    "of the person at the client, by elicitation. Documents, states and journals are\n"
    "resources, and a workflow that is started as a task is one, under the instance's id.\n"
    "\n"
    "  --machines FILE  a machine document, or a folder with documents (*.json). May be given\n"
    "                   several times\n"
    "  --agents FILE    also runs wfsm work with these agents while it serves. Without it,\n"
    "                   agents are at work if another worker serves the store\n"
    "  --as NAME        the person at the client, who sends and decides; the default is the\n"
    "                   user's name, or \"client\" if there is none\n"
    "  --read-only      only the tools and resources that change nothing\n"
    "\n"
    "Exit codes: 0 the client has closed its end; 1 a document has an error, or the worker has\n"
    "ended; 64 the command line is wrong.\n";

enum { MACHINES, AGENTS, AS, READ_ONLY };

static int parse(mcp *self, many *machines, int count, char **list)
{
    static const cli_option options[] = {[MACHINES] = {"--machines", true},
                                         [AGENTS] = {"--agents", true},
                                         [AS] = {"--as", true},
                                         [READ_ONLY] = {"--read-only", false},
                                         [READ_ONLY + 1] = {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD)
            return CLI_USAGE;
        if (found == MACHINES)
            many_add(machines, args.value);
        else if (found == AGENTS)
            self->agents = args.value;
        else if (found == AS)
            self->person = args.value;
        else if (found == READ_ONLY)
            self->read_only = true;
        else if (found == CLI_OPERAND && self->store)
            return cli_misused("mcp takes one store");
        else if (found == CLI_OPERAND)
            self->store = args.value;
    }
    if (!self->store)
        return cli_misused("mcp needs a store");
    if (self->agents && machines->count == 0)
        return cli_misused("--agents needs --machines");
    return CLI_OK;
}

/* Commands print to standard output: from now on only the server has the client's end. */
static bool take_output(mcp *self)
{
    int out = dup(STDOUT_FILENO);
    mcp_begin(self, out >= 0 ? fdopen(out, "w") : NULL);
    if (!self->rpc.out || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        cli_say("standard output cannot be used");
        return false;
    }
    signal(SIGPIPE, SIG_IGN);
    return true;
}

static void start_worker(mcp *self, const many *machines)
{
    const char **words = cli_need(calloc(2 * machines->count + 6, sizeof *words));
    size_t count = 0;
    words[count++] = "work";
    words[count++] = "--agents";
    words[count++] = self->agents;
    for (size_t i = 0; i < machines->count; i++) {
        words[count++] = "--machines";
        words[count++] = machines->ids[i];
    }
    words[count++] = "--";
    words[count++] = self->store;
    mcp_spawn(self, words);
    free(words);
}

/* Commands that change something come to their ends. */
static void serve(mcp *self)
{
    bool reads = true;
    while (reads || self->run_count > 0) {
        if (!mcp_turn(self, reads) && reads) {
            reads = false;
            mcp_end_waiting(self);
        }
    }
}

static void end(mcp *self)
{
    mcp_end_worker(self);
    mcp_forget_questions(self);
    mcp_free_machines(self);
    rpc_free(&self->rpc);
    if (self->rpc.out)
        fclose(self->rpc.out);
}

static int run(int count, char **list)
{
    mcp self = {.person = owned_user() ? owned_user() : "client", .worker_out = -1};
    many machines = {0};
    int code = parse(&self, &machines, count, list);
    for (size_t i = 0; i < machines.count && code == CLI_OK; i++)
        code = mcp_read_machines(&self, machines.ids[i]) ? CLI_OK : CLI_FAILED;
    if (code == CLI_OK && !take_output(&self))
        code = CLI_FAILED;
    if (code == CLI_OK) {
        if (self.agents)
            start_worker(&self, &machines);
        serve(&self);
        if (self.worker > 0 && self.worker_out < 0)
            code = CLI_FAILED;
    }
    end(&self);
    many_free(&machines);
    return code;
}

const cli_command cmd_mcp = {"mcp", "serves the Model Context Protocol", help, run};
