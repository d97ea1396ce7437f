#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "wfsm/commands.h"
#include "wfsm/document.h"
#include "wfsm/machine_files.h"
#include "wfsm/print.h"
#include "wfsm/shown.h"
#include "wfsm/verify_print.h"
#include "wfsm/verify_watch.h"

static const char help[] =
    "usage: wfsm verify FILE [--input JSON]… [--machines PATH]…\n"
    "                        [--open] [--punctual] [--restores] [--first]\n"
    "                        [--fairness weak | strong | none]\n"
    "                        [--bound N] [--max-states N] [--max-memory MIB] [--time SECONDS]\n"
    "                        [--jobs N] [--no-reduction]\n"
    "                        [--json | --sarif | --junit | --html | --script N]\n"
    "                        [--output FILE] [--tests DIR] [--watch]\n"
    "\n"
    "Explores everything that can happen to an instance of a machine document: events,\n"
    "results and failures of invocations, timers, answers of the host. Says whether the\n"
    "document's properties hold, and reports other diagnostics, each with a shortest trace.\n"
    "\n"
    "  --input JSON       the input of the start, an object; may be given several times\n"
    "  --machines PATH    a document, or a folder of them (*.json), whose machines FILE starts as\n"
    "                     children, for properties of instances; may be given several times\n"
    "  --open             events that the document raises can also come from outside\n"
    "  --punctual         timers fire when they are due, before anything else, and agents begin\n"
    "                     at once; without this option the host may be late\n"
    "  --restores         a checkpoint can be made at any time, and the last one can be\n"
    "                     restored where the document allows it\n"
    "  --first            stops at the first error\n"
    "  --fairness WORD    who is assumed to act in a run that continues for ever: weak (the\n"
    "                     default): all that can without a break from some time on; strong: all\n"
    "                     that can again and again; none: nobody\n"
    "  --bound N          how far a number, or the length of a list, can grow beyond the\n"
    "                     numbers in the document; the default is 100\n"
    "  --max-states N     the largest number of states; the default is 10000000\n"
    "  --max-memory MIB   the most memory; the default is 2048\n"
    "  --time SECONDS     a time limit; the default is none\n"
    "  --jobs N           threads that search together, up to 256; the default is 1. The answer\n"
    "                     is the same, whatever their number\n"
    "  --no-reduction     tries the moves of regions that do not touch each other in every order,\n"
    "                     however many states that takes\n"
    "  --json             one JSON object\n"
    "  --sarif            SARIF 2.1.0, for code review tools\n"
    "  --junit            JUnit's XML, for build servers: a test case for each property and\n"
    "                     each other kind of error\n"
    "  --html             one page that needs no server: the chart with the traces stepping\n"
    "                     through it, the properties, and what was seen of the document\n"
    "  --script N         only the trace of diagnostic N (from 1), for wfsm simulate --by-hand\n"
    "  --output FILE      writes what these options ask for to a file, and the text to the\n"
    "                     standard output\n"
    "  --tests DIR        writes a small set of test cases for wfsm simulate --by-hand, which\n"
    "                     take every transition and get both answers of every guard, where\n"
    "                     that is possible: case-NNN.jsonl, and what is printed for it,\n"
    "                     case-NNN.expected.jsonl\n"
    "  --watch            verifies again each time that FILE is saved, until it is interrupted;\n"
    "                     a document with an error is told, and the next save is awaited\n"
    "\n"
    "Exit codes: 0 everything holds (there may be warnings); 1 something is violated; 2 the\n"
    "document has an error, or a file cannot be written or watched; 3 a bound was reached\n"
    "without an answer; 64 the command line is wrong. SIGINT and SIGTERM end --watch as they\n"
    "end any program; to a shell that is 130 and 143.\n";

enum {
    VERIFY_BAD_DOCUMENT = 2,
    VERIFY_CANNOT_WRITE = 2,
    VERIFY_CANNOT_WATCH = 2,
    VERIFY_UNDECIDED = 3
};
enum form { AS_TEXT, AS_JSON, AS_SARIF, AS_JUNIT, AS_HTML, AS_SCRIPT };

typedef struct request {
    const char *file;
    const char *output; /* NULL: the standard output */
    const char *tests;  /* the folder of test cases; NULL: none */
    bool watch;
    wfsm_verify_options options;
    cli_text inputs; /* a list, without its end */
    cli_text words;  /* the options that change what is searched, for a shell */
    machine_files machines; /* of children */
    enum form form;
    uint64_t script; /* from 1 */
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
    if (most == UINT64_MAX)
        cli_misused("%s %s: expected a whole number from 1", name, text);
    else
        cli_misused("%s %s: expected a whole number from 1 to %" PRIu64, name, text, most);
    return false;
}

static bool take_input(request *self, const char *text)
{
    json_error_t fault;
    json_t *input =
        json_loads(text, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL, &fault);
    bool fine = json_is_object(input);
    if (!fine)
        cli_misused("--input %s: expected a JSON object%s%s", text, input ? "" : ": ",
                    input ? "" : fault.text);
    json_decref(input);
    cli_text_add(&self->inputs, self->inputs.length == 0 ? "[" : ",", 1);
    cli_text_add(&self->inputs, text, strlen(text));
    return fine;
}

static bool choose(request *self, enum form form)
{
    if (self->form != AS_TEXT)
        cli_misused("only one of --json, --sarif, --junit, --html and --script may be given");
    bool fine = self->form == AS_TEXT;
    self->form = form;
    return fine;
}

enum {
    INPUT,
    BOUND,
    JOBS,
    MAX_STATES,
    MAX_MEMORY,
    TIME,
    JSON,
    SARIF,
    JUNIT,
    HTML,
    OPEN,
    PUNCTUAL,
    FIRST,
    RESTORES,
    NO_REDUCTION,
    SCRIPT,
    OUTPUT,
    FAIRNESS,
    TESTS,
    WATCH,
    MACHINES
};
static const cli_option known[] = {[INPUT] = {"--input", true},
                                   [BOUND] = {"--bound", true},
                                   [JOBS] = {"--jobs", true},
                                   [MAX_STATES] = {"--max-states", true},
                                   [MAX_MEMORY] = {"--max-memory", true},
                                   [TIME] = {"--time", true},
                                   [JSON] = {"--json", false},
                                   [SARIF] = {"--sarif", false},
                                   [JUNIT] = {"--junit", false},
                                   [HTML] = {"--html", false},
                                   [OPEN] = {"--open", false},
                                   [PUNCTUAL] = {"--punctual", false},
                                   [FIRST] = {"--first", false},
                                   [RESTORES] = {"--restores", false},
                                   [NO_REDUCTION] = {"--no-reduction", false},
                                   [SCRIPT] = {"--script", true},
                                   [OUTPUT] = {"--output", true},
                                   [FAIRNESS] = {"--fairness", true},
                                   [TESTS] = {"--tests", true},
                                   [WATCH] = {"--watch", false},
                                   [MACHINES] = {"--machines", true},
                                   {NULL, false}};

static bool take_fairness(request *self, const char *word)
{
    static const char *const words[] = {[WFSM_FAIRNESS_WEAK] = "weak",
                                        [WFSM_FAIRNESS_STRONG] = "strong",
                                        [WFSM_FAIRNESS_NONE] = "none"};
    for (int i = 0; i < (int)(sizeof words / sizeof *words); i++)
        if (strcmp(word, words[i]) == 0) {
            self->options.fairness = i;
            return true;
        }
    cli_misused("--fairness %s: expected weak, strong or none", word);
    return false;
}

static bool take_bound(request *self, int found, const char *value)
{
    uint64_t mib = 0, jobs = 0;
    switch (found) {
    case JOBS:
        if (!read_number("--jobs", value, 256, &jobs))
            return false;
        self->options.jobs = (uint32_t)jobs;
        return true;
    case BOUND:
        return read_number("--bound", value, UINT32_MAX, &self->options.bound);
    case MAX_STATES:
        return read_number("--max-states", value, UINT32_MAX / 2, &self->options.max_states);
    case MAX_MEMORY:
        if (!read_number("--max-memory", value, 1 << 24, &mib))
            return false;
        self->options.max_memory = mib << 20;
        return true;
    default:
        return read_number("--time", value, UINT32_MAX, &self->progress.seconds);
    }
}

static bool take_form(request *self, int found, const char *value)
{
    if (found == SCRIPT)
        return choose(self, AS_SCRIPT) &&
               read_number("--script", value, UINT32_MAX, &self->script);
    static const enum form forms[] = {
        [JSON] = AS_JSON, [SARIF] = AS_SARIF, [JUNIT] = AS_JUNIT, [HTML] = AS_HTML};
    return choose(self, forms[found]);
}

static bool take_option(request *self, int found, const char *value)
{
    switch (found) {
    case INPUT:
        return take_input(self, value);
    case OPEN:
        self->options.open = 1;
        return true;
    case PUNCTUAL:
        self->options.punctual = 1;
        return true;
    case FIRST:
        self->options.first = 1;
        return true;
    case RESTORES:
        self->options.restores = 1;
        return true;
    case NO_REDUCTION:
        self->options.no_reduction = 1;
        return true;
    case OUTPUT:
        self->output = value;
        return true;
    case FAIRNESS:
        return take_fairness(self, value);
    case TESTS:
        self->tests = value;
        self->options.cases = 1;
        return true;
    case WATCH:
        self->watch = true;
        return true;
    case JSON:
    case SARIF:
    case JUNIT:
    case HTML:
    case SCRIPT:
        return take_form(self, found, value);
    default:
        return take_bound(self, found, value);
    }
}

/* In quotes. */
static void add_quoted(cli_text *words, const char *word)
{
    cli_text_add(words, " '", 2);
    for (; *word; word++)
        if (*word == '\'')
            cli_text_add(words, "'\\''", 4);
        else
            cli_text_add(words, word, 1);
    cli_text_add(words, "'", 1);
}

/* The form of the report and its place do not count; nor do threads. */
static void keep_words(request *self, int option, const char *value)
{
    const bool form = option >= JSON && option <= HTML;
    if (form || option == SCRIPT || option == OUTPUT || option == TESTS || option == WATCH ||
        option == JOBS)
        return;
    cli_text_add(&self->words, " ", 1);
    cli_text_add(&self->words, known[option].name, strlen(known[option].name));
    if (known[option].takes_value)
        add_quoted(&self->words, value);
}

static int parse(request *self, cli_args *args)
{
    int found;
    while ((found = cli_next(args)) != CLI_END) {
        if (found == CLI_BAD)
            return CLI_USAGE;
        if (found >= 0)
            keep_words(self, found, args->value);
        if (found == MACHINES && !machine_files_read(&self->machines, args->value))
            return VERIFY_BAD_DOCUMENT;
        if (found == MACHINES)
            continue;
        if (found == CLI_OPERAND && self->file)
            return cli_misused("verify takes one file");
        if (found == CLI_OPERAND)
            self->file = args->value;
        else if (!take_option(self, found, args->value))
            return CLI_USAGE;
    }
    if (self->output && self->form == AS_TEXT)
        return cli_misused(
            "--output needs one of --json, --sarif, --junit, --html and --script");
    if (self->watch && self->form != AS_TEXT && !self->output)
        return cli_misused(
            "--watch needs --output with --json, --sarif, --junit, --html and --script");
    if (!self->file)
        return cli_misused("verify needs a file");
    if (self->watch && strcmp(self->file, "-") == 0)
        return cli_misused("--watch needs a file, not the standard input");
    if (self->inputs.length > 0)
        cli_text_add(&self->inputs, "]", 1);
    return CLI_OK;
}

static int print_form(FILE *out, const request *self, const wfsm_verification *found,
                      wfsm_machine *machine)
{
    switch (self->form) {
    case AS_JSON:
        verify_print_json(out, found);
        break;
    case AS_SARIF:
        verify_print_sarif(out, found, self->file);
        break;
    case AS_JUNIT:
        verify_print_junit(out, found, self->file);
        break;
    case AS_HTML:
        verify_print_html(out, found, machine, self->file, self->words.data);
        break;
    case AS_SCRIPT:
        if (!verify_print_script(out, found, (size_t)self->script - 1))
            return cli_misused("--script: there is no such diagnostic, or it has no trace");
        break;
    default:
        verify_print_text(found, self->file);
    }
    return CLI_OK;
}

static int print(const request *self, const wfsm_verification *found, wfsm_machine *machine)
{
    if (!self->output)
        return print_form(stdout, self, found, machine);
    FILE *out = fopen(self->output, "wb");
    int code = out ? print_form(out, self, found, machine) : VERIFY_CANNOT_WRITE;
    bool fine = out && !ferror(out);
    if (out && fclose(out) != 0)
        fine = false;
    if (!fine) {
        cli_say("%s: %s", self->output, strerror(errno));
        return VERIFY_CANNOT_WRITE;
    }
    if (code == CLI_OK)
        verify_print_text(found, self->file);
    return code;
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
    self->options.inputs = self->inputs.data;
    self->options.inputs_length = self->inputs.length;
    self->options.progress = verify_progress_tell;
    self->options.user = &self->progress;
    self->options.machines = self->machines.list;
    self->options.machine_count = self->machines.count;
    verify_progress_begin(&self->progress);
    int code = VERIFY_BAD_DOCUMENT;
    int32_t status = wfsm_verify(&found, machine, &self->options, error);
    verify_progress_end(&self->progress);
    if (status != WFSM_OK)
        cli_say_error(self->file, error);
    else if (self->tests && !verify_write_tests(self->tests, found, machine))
        code = VERIFY_CANNOT_WRITE;
    else if ((code = print(self, found, machine)) == CLI_OK)
        code = cli_finish(code_of(wfsm_verification_verdict(found)));
    wfsm_verification_free(found);
    wfsm_error_free(error);
    return code;
}

static int verify_file(request *self)
{
    wfsm_machine *machine = document_load(self->file);
    int code = machine ? verify(self, machine) : VERIFY_BAD_DOCUMENT;
    wfsm_machine_unref(machine);
    return code;
}

static void tell_when(const request *self)
{
    char time[PRINT_TIME_BYTES];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    shown_printf("%s: waiting until %s is saved\n",
                 print_time((int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000, time),
                 self->file);
}

/* A save during the verification counts, too: the watch comes first. */
static int verify_again(request *self)
{
    verify_watch *watch = verify_watch_new(self->file);
    int code = VERIFY_CANNOT_WATCH;
    for (bool goes_on = watch != NULL; goes_on;) {
        verify_file(self);
        tell_when(self);
        code = cli_finish(VERIFY_CANNOT_WATCH);
        goes_on = code == VERIFY_CANNOT_WATCH && verify_watch_wait(watch);
    }
    verify_watch_free(watch);
    return code;
}

static int run(int count, char **list)
{
    cli_args args = {.count = count, .list = list, .options = known};
    request self = {0};
    int code = parse(&self, &args);
    if (code == CLI_OK)
        code = self.watch ? verify_again(&self) : verify_file(&self);
    cli_text_free(&self.inputs);
    cli_text_free(&self.words);
    machine_files_free(&self.machines);
    return code;
}

const cli_command cmd_verify = {"verify", "explores everything that can happen to a machine",
                                help, run};
