/* wfsm gate: verification, migration and replay in one answer. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "wfsm/commands.h"
#include "wfsm/document.h"
#include "wfsm/gate.h"
#include "wfsm/machine_files.h"
#include "wfsm/stored.h"

static const char help[] =
    "usage: wfsm gate [OPTION]… FILE STORE\n"
    "\n"
    "Says whether the machine document FILE may take the place of the documents that the\n"
    "instances of the same machine have in the store:\n"
    "\n"
    "  - it verifies, as wfsm verify says;\n"
    "  - each running instance can be migrated to it;\n"
    "  - the journals of the instances that changed last are replayed under it. The first\n"
    "    record of each that gives something else is a warning: outcome, states, status,\n"
    "    output, invocations or effects.\n"
    "\n"
    "Agents, budgets and schemas that are not those of the old documents are notes. Changes\n"
    "nothing.\n"
    "\n"
    "  --replay N     replays the journals of the last N instances; default: 100\n"
    "  --strict       a record that gives something else is an error\n"
    "  --machines P   a document, or a folder of them, whose machines FILE starts as children, as\n"
    "                 in wfsm verify; may be given several times\n"
    "  --time S       ends the verification after S seconds; the default is no limit\n"
    "  --json         one JSON object {deploy, verification, instances, replays, more, diagnostics}\n"
    "  --sarif        SARIF 2.1.0, for tools that show reviews\n"
    "  --html         one page that needs no server\n"
    "  --output FILE  the JSON, SARIF or page goes into FILE, and the text is printed, too\n"
    "\n"
    "Exit codes: 0 it may be deployed; 1 it must not be, or the store cannot be read; 2 the\n"
    "document has an error, or a file cannot be written; 3 nothing speaks against it, and the\n"
    "verification reached a bound without an answer; 64 the command line is wrong.\n";

enum { GATE_BAD_DOCUMENT = 2, GATE_CANNOT_WRITE = 2, GATE_UNDECIDED = 3 };
enum { REPLAY, STRICT, TIME, OUTPUT, AS_JSON, AS_SARIF, AS_HTML, MACHINES };
static const cli_option known[] = {[REPLAY] = {"--replay", true},
                                   [STRICT] = {"--strict", false},
                                   [TIME] = {"--time", true},
                                   [OUTPUT] = {"--output", true},
                                   [AS_JSON] = {"--json", false},
                                   [AS_SARIF] = {"--sarif", false},
                                   [AS_HTML] = {"--html", false},
                                   [MACHINES] = {"--machines", true},
                                   {NULL, false}};

typedef struct request {
    gate gate;
    const char *output;
    int form; /* 0: text */
    verify_progress progress;
    machine_files machines; /* of children */
} request;

static bool read_number(const char *name, const char *text, uint64_t *number)
{
    char *end = NULL;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && *end == '\0' && value <= UINT32_MAX) {
        *number = value;
        return true;
    }
    cli_misused("%s %s: expected a whole number", name, text);
    return false;
}

static bool take_option(request *self, int found, const char *value)
{
    if (found == REPLAY)
        return read_number("--replay", value, &self->gate.replays);
    if (found == TIME)
        return read_number("--time", value, &self->progress.seconds);
    if (found == STRICT)
        self->gate.divergence = GATE_ERROR;
    else if (found == OUTPUT)
        self->output = value;
    else if (self->form != 0)
        return cli_misused("only one of --json, --sarif and --html may be given") == CLI_OK;
    else
        self->form = found;
    return true;
}

static int parse(request *self, int count, char **list)
{
    cli_args args = {.count = count, .list = list, .options = known};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == MACHINES && !machine_files_read(&self->machines, args.value))
            return GATE_BAD_DOCUMENT;
        if (found == MACHINES)
            continue;
        if (found == CLI_BAD || (found >= 0 && !take_option(self, found, args.value)))
            return CLI_USAGE;
        if (found == CLI_OPERAND && self->gate.path)
            return cli_misused("gate does not take %s", args.value);
        if (found == CLI_OPERAND)
            *(self->gate.file ? &self->gate.path : &self->gate.file) = args.value;
    }
    if (self->output && self->form == 0)
        return cli_misused("--output needs one of --json, --sarif and --html");
    return self->gate.path ? CLI_OK : cli_misused("gate needs a machine document and a store");
}

/* Only errors: what else a verification has to say, `wfsm verify` says. */
static void add_diagnostics(gate *self, const wfsm_verification *found)
{
    wfsm_verify_diagnostic one = {.size = sizeof one};
    for (size_t i = 0; wfsm_verification_get(found, i, &one) == WFSM_OK; i++) {
        const gate_diagnostic error = {.severity = GATE_ERROR,
                                       .rule = "verify",
                                       .line = (int)one.line,
                                       .column = (int)one.column};
        if (one.severity == 1)
            gate_add(self, &error, one.message, NULL);
    }
    if (*wfsm_verification_bound(found))
        gate_add(self, &(gate_diagnostic){.severity = GATE_WARNING, .rule = "verify"},
                 wfsm_verification_bound(found), NULL);
}

static bool verify(request *self)
{
    gate *of = &self->gate;
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    wfsm_verification *found = NULL;
    wfsm_verify_options options = {.size = sizeof options,
                                   .progress = verify_progress_tell,
                                   .user = &self->progress,
                                   .machines = self->machines.list,
                                   .machine_count = self->machines.count};
    verify_progress_begin(&self->progress);
    int32_t status = wfsm_verify(&found, of->machine, &options, error);
    verify_progress_end(&self->progress);
    if (status == WFSM_OK) {
        of->verdict = wfsm_verification_verdict(found);
        add_diagnostics(of, found);
    } else {
        cli_say_error(of->file, error);
    }
    wfsm_verification_free(found);
    wfsm_error_free(error);
    return status == WFSM_OK;
}

static void print_form(FILE *out, const request *self)
{
    if (self->form == AS_JSON)
        gate_print_json(out, &self->gate);
    else if (self->form == AS_SARIF)
        gate_print_sarif(out, &self->gate);
    else if (self->form == AS_HTML)
        gate_print_html(out, &self->gate);
    else
        gate_print_text(&self->gate);
}

static bool print(const request *self)
{
    if (!self->output) {
        print_form(stdout, self);
        return true;
    }
    FILE *out = fopen(self->output, "wb");
    if (out)
        print_form(out, self);
    bool fine = out && !ferror(out);
    if (out && fclose(out) != 0)
        fine = false;
    if (!fine)
        cli_say("%s: %s", self->output, strerror(errno));
    else
        gate_print_text(&self->gate);
    return fine;
}

static int code_of(const gate *self)
{
    if (gate_refuses(self))
        return CLI_FAILED;
    return self->verdict == WFSM_UNDECIDED ? GATE_UNDECIDED : CLI_OK;
}

static int examine(request *self)
{
    gate *of = &self->gate;
    of->machine = document_load(of->file);
    if (!of->machine)
        return GATE_BAD_DOCUMENT;
    of->store = stored_open(of->path);
    if (!of->store || !verify(self) || !gate_instances(of) || !gate_replays(of) ||
        !gate_documents(of))
        return CLI_FAILED;
    return print(self) ? cli_finish(code_of(of)) : GATE_CANNOT_WRITE;
}

static int run(int count, char **list)
{
    request self = {.gate = {.replays = 100,
                             .divergence = GATE_WARNING,
                             .terminal = isatty(STDERR_FILENO) != 0}};
    int code = parse(&self, count, list);
    if (code == CLI_OK)
        code = examine(&self);
    wfsm_store_free(self.gate.store);
    wfsm_machine_unref(self.gate.machine);
    gate_free(&self.gate);
    machine_files_free(&self.machines);
    return code;
}

const cli_command cmd_gate = {"gate", "says whether a document may be deployed", help, run};
