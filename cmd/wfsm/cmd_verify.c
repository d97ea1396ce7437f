#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "wfsm/commands.h"
#include "wfsm/document.h"
#include "wfsm/verify_print.h"

static const char help[] =
    "usage: wfsm verify FILE [--input JSON]… [--open] [--punctual] [--restores] [--first]\n"
    "                        [--bound N] [--max-states N] [--max-memory MIB] [--time SECONDS]\n"
    "                        [--json | --sarif | --script N]\n"
    "\n"
    "Explores everything that can happen to an instance of a machine document: events,\n"
    "results and failures of invocations, timers, answers of the host. Says whether the\n"
    "document's properties hold, and reports other diagnostics, each with a shortest trace.\n"
    "\n"
    "  --input JSON       the input of the start, an object; may be given several times\n"
    "  --open             events that the document raises can also come from outside\n"
    "  --punctual         timers fire when they are due, before anything else; without this\n"
    "                     option the host may be late\n"
    "  --restores         a checkpoint can be made at any time, and the last one can be\n"
    "                     restored where the document allows it\n"
    "  --first            stops at the first error\n"
    "  --bound N          how far a number, or the length of a list, can grow beyond the\n"
    "                     numbers in the document; the default is 100\n"
    "  --max-states N     the largest number of states; the default is 10000000\n"
    "  --max-memory MIB   the most memory; the default is 2048\n"
    "  --time SECONDS     a time limit; the default is none\n"
    "  --json             one JSON object\n"
    "  --sarif            SARIF 2.1.0, for code review tools\n"
    "  --script N         only the trace of diagnostic N (from 1), for wfsm simulate --by-hand\n"
    "\n"
    "Exit codes: 0 everything holds (there may be warnings); 1 something is violated; 2 the\n"
    "document has an error; 3 a bound was reached without an answer; 64 the command line is\n"
    "wrong.\n";

enum { VERIFY_BAD_DOCUMENT = 2, VERIFY_UNDECIDED = 3 };
enum form { AS_TEXT, AS_JSON, AS_SARIF, AS_SCRIPT };

typedef struct request {
    const char *file;
    wfsm_verify_options options;
    cli_text inputs; /* a list, without its end */
    enum form form;
    uint64_t script; /* from 1 */
    uint64_t seconds;
    verify_progress progress;
} request;

static bool read_number(const char *name, const char *text, uint64_t most, uint64_t *number)
{
    char *end = NULL;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && *end == '\0' && value >= 1 && value <= most) {
        *number = value;
        return true;
    }
    cli_misused("%s %s: expected a whole number from 1", name, text);
    return false;
}

static bool choose(request *self, enum form form)
{
    if (self->form != AS_TEXT)
        cli_misused("only one of --json, --sarif and --script may be given");
    bool fine = self->form == AS_TEXT;
    self->form = form;
    return fine;
}

static bool take_option(request *self, int found, const char *value)
{
    uint64_t mib = 0;
    switch (found) {
    case 0:
        cli_text_add(&self->inputs, self->inputs.length == 0 ? "[" : ",", 1);
        cli_text_add(&self->inputs, value, strlen(value));
        return true;
    case 1:
        return read_number("--bound", value, UINT32_MAX, &self->options.bound);
    case 2:
        return read_number("--max-states", value, UINT32_MAX / 2, &self->options.max_states);
    case 3:
        if (!read_number("--max-memory", value, 1 << 24, &mib))
            return false;
        self->options.max_memory = mib << 20;
        return true;
    case 4:
        return read_number("--time", value, UINT32_MAX, &self->seconds);
    case 5:
        return choose(self, AS_JSON);
    case 6:
        return choose(self, AS_SARIF);
    case 7:
        self->options.open = 1;
        return true;
    case 8:
        self->options.punctual = 1;
        return true;
    case 9:
        self->options.first = 1;
        return true;
    case 10:
        self->options.restores = 1;
        return true;
    default:
        return choose(self, AS_SCRIPT) &&
               read_number("--script", value, UINT32_MAX, &self->script);
    }
}

static int parse(request *self, cli_args *args)
{
    int found;
    while ((found = cli_next(args)) != CLI_END) {
        if (found == CLI_BAD)
            return CLI_USAGE;
        if (found == CLI_OPERAND && self->file)
            return cli_misused("verify takes one file");
        if (found == CLI_OPERAND)
            self->file = args->value;
        else if (!take_option(self, found, args->value))
            return CLI_USAGE;
    }
    return self->file ? CLI_OK : cli_misused("verify needs a file");
}

static int64_t seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec;
}

static int32_t progress(void *user, const wfsm_verify_counts *counts)
{
    request *self = user;
    verify_print_progress(&self->progress, counts);
    return self->seconds > 0 &&
           (uint64_t)(seconds_now() - self->progress.began) >= self->seconds;
}

static int print(const request *self, const wfsm_verification *found)
{
    switch (self->form) {
    case AS_JSON:
        verify_print_json(found);
        break;
    case AS_SARIF:
        verify_print_sarif(found, self->file);
        break;
    case AS_SCRIPT:
        if (!verify_print_script(found, (size_t)self->script - 1))
            return cli_misused("--script: there is no such diagnostic, or it has no trace");
        break;
    default:
        verify_print_text(found, self->file);
    }
    return CLI_OK;
}

static int code_of(int32_t verdict)
{
    if (verdict == WFSM_VIOLATED)
        return CLI_FAILED;
    return verdict == WFSM_UNDECIDED ? VERIFY_UNDECIDED : CLI_OK;
}

static int verify(request *self, wfsm_machine *machine)
{
    wfsm_verification *found = NULL;
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    self->options.size = sizeof self->options;
    if (self->inputs.length > 0)
        cli_text_add(&self->inputs, "]", 1);
    self->options.inputs = self->inputs.data;
    self->options.inputs_length = self->inputs.length;
    self->options.progress = progress;
    self->options.user = self;
    verify_progress_begin(&self->progress, seconds_now());
    int code = VERIFY_BAD_DOCUMENT;
    int32_t status = wfsm_verify(&found, machine, &self->options, error);
    verify_progress_end(&self->progress);
    if (status != WFSM_OK)
        cli_say_error(self->file, error);
    else if ((code = print(self, found)) == CLI_OK)
        code = cli_finish(code_of(wfsm_verification_verdict(found)));
    wfsm_verification_free(found);
    wfsm_error_free(error);
    return code;
}

static int run(int count, char **list)
{
    static const cli_option options[] = {
        {"--input", true},      {"--bound", true},     {"--max-states", true},
        {"--max-memory", true}, {"--time", true},      {"--json", false},
        {"--sarif", false},     {"--open", false},     {"--punctual", false},
        {"--first", false},     {"--restores", false}, {"--script", true},
        {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    request self = {0};
    int code = parse(&self, &args);
    if (code == CLI_OK) {
        wfsm_machine *machine = document_load(self.file);
        code = machine ? verify(&self, machine) : VERIFY_BAD_DOCUMENT;
        wfsm_machine_unref(machine);
    }
    cli_text_free(&self.inputs);
    return code;
}

const cli_command cmd_verify = {"verify", "explores everything that can happen to a machine",
                                help, run};
