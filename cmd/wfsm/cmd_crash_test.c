#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wfsm/sqlite.h>
#include "wfsm/commands.h"
#include "wfsm/crash_print.h"
#include "wfsm/crash_script.h"
#include "wfsm/crash_store.h"
#include "wfsm/crash_witness.h"
#include "wfsm/document.h"
#include "wfsm/simulate_answers.h"

static const char help[] =
    "usage: wfsm crash-test FILE SCRIPT [OPTION]…\n"
    "       wfsm crash-test --resume STORE FILE SCRIPT [OPTION]…\n"
    "\n"
    "Runs a script (lines as simulate reads them) on a machine document. It runs the\n"
    "script once without faults, and then again with one fault at one call of the store\n"
    "each time: a failure, a lost answer, a late commit, a power cut. After each fault it\n"
    "continues as a careful program would, and compares the result with the run without\n"
    "faults: nothing that was acknowledged is lost, nothing is done twice, every effect is\n"
    "delivered.\n"
    "\n"
    "  --store memory|sqlite     the store to use; the default is memory\n"
    "  --pairs N                 additional runs with two faults at random places; the\n"
    "                            default is 100\n"
    "  --seed N                  the seed of these places; the default is 1\n"
    "  --most N                  the number of store calls to test, spread over all calls;\n"
    "                            the default is 0, which means all of them\n"
    "  --guard NAME=true|false   as for simulate\n"
    "  --action NAME=PATCH       as for simulate\n"
    "  --wrong                   uses a store that acknowledges commits before it makes\n"
    "                            them, to show that the test detects it\n"
    "  --json                    one JSON object {calls, runs, faults, restarts, invariants,\n"
    "                            violations, found}\n"
    "  --resume STORE            runs once, without faults, on an SQLite file, and continues\n"
    "                            from the state of that file. Writes to STORE.witness what it\n"
    "                            acknowledged and delivered. You may kill it at any time and\n"
    "                            start it again\n"
    "\n"
    "Exit codes: 0 the script ended and every invariant holds; 1 an invariant does not\n"
    "hold, or the machine or the store has an error; 2 a line of the script is wrong; 64\n"
    "the command line is wrong.\n";

typedef struct crash_request {
    const char *file, *script, *resume;
    bool sqlite, json, wrong;
    uint64_t pairs, seed, most;
    sim_answers answers;
} crash_request;

enum { STORE, PAIRS, SEED, MOST, GUARD, ACTION, WRONG, JSON, RESUME };
static const cli_option options[] = {
    {"--store", true},  {"--pairs", true},  {"--seed", true},   {"--most", true},
    {"--guard", true},  {"--action", true}, {"--wrong", false}, {"--json", false},
    {"--resume", true}, {NULL, false},
};

/* ---- the command line ---- */

static bool operand(crash_request *request, const char *value)
{
    if (request->script)
        return cli_misused("crash-test takes a machine and a script") == CLI_OK;
    *(request->file ? &request->script : &request->file) = value;
    return true;
}

static bool number(uint64_t *out, const char *option, const char *value)
{
    char *end = NULL;
    errno = 0;
    unsigned long long read = strtoull(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || errno || read > UINT32_MAX)
        return cli_misused("%s: expected a number from 0 to %u", option, UINT32_MAX) == CLI_OK;
    *out = read;
    return true;
}

static bool store_name(crash_request *request, const char *value)
{
    request->sqlite = strcmp(value, "sqlite") == 0;
    return request->sqlite || strcmp(value, "memory") == 0 ||
           cli_misused("--store: expected memory or sqlite") == CLI_OK;
}

static bool take(crash_request *request, int found, const char *value)
{
    switch (found) {
    case CLI_OPERAND:
        return operand(request, value);
    case STORE:
        return store_name(request, value);
    case PAIRS:
        return number(&request->pairs, "--pairs", value);
    case SEED:
        return number(&request->seed, "--seed", value);
    case MOST:
        return number(&request->most, "--most", value);
    case GUARD:
        return sim_answers_add(&request->answers, WFSM_USES_GUARDS, value);
    case ACTION:
        return sim_answers_add(&request->answers, WFSM_USES_ACTIONS, value);
    case WRONG:
        request->wrong = true;
        return true;
    case JSON:
        request->json = true;
        return true;
    case RESUME:
        request->resume = value;
        return true;
    default:
        return false;
    }
}

static int parse(crash_request *request, int count, char **list)
{
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END)
        if (!take(request, found, args.value))
            return CLI_USAGE;
    return request->script ? CLI_OK : cli_misused("crash-test needs a machine and a script");
}

/* ---- the plays ---- */

typedef struct crash_play {
    const crash_request *request;
    crash_store store; /* first: the user of its functions is the play */
    crash_print print;
    wfsm_testkit_crash_counts counts;
    wfsm_error *error;
} crash_play;

static int32_t open_store(void *user, wfsm_store **store, wfsm_error *error)
{
    return crash_store_open(&((crash_play *)user)->store, store, error);
}

static void cut(void *user)
{
    crash_store_cut(&((crash_play *)user)->store);
}

static void wipe(void *user)
{
    crash_store_wipe(&((crash_play *)user)->store);
}

static int32_t violated(void *user, const wfsm_testkit_violation *violation)
{
    return crash_print_violation(&((crash_play *)user)->print, violation);
}

static int32_t progress(void *user, uint64_t done, uint64_t all)
{
    return crash_print_progress(&((crash_play *)user)->print, done, all);
}

/* With --resume: the file, not one of ours. */
static int32_t open_file(void *user, wfsm_store **store, wfsm_error *error)
{
    crash_play *play = user;
    wfsm_store *file = NULL;
    int32_t status = wfsm_sqlite_open(&file, play->request->resume, NULL, NULL, error);
    *store = file;
    if (status != WFSM_OK || !play->request->wrong)
        return status;
    play->store.file = file;
    return wfsm_testkit_wrap(store, file, &play->store.wrong, error);
}

static wfsm_testkit_crash_options options_of(crash_play *play, wfsm_machine *machine,
                                             const crash_script *script)
{
    const crash_request *request = play->request;
    return (wfsm_testkit_crash_options){
        .size = sizeof(wfsm_testkit_crash_options),
        .machine = machine,
        .functions = request->answers.functions,
        .inputs = script->list,
        .count = script->count,
        .user = play,
        .open = request->resume ? open_file : open_store,
        .cut = cut,
        .wipe = wipe,
        .violated = violated,
        .progress = progress,
        .pairs = request->pairs,
        .seed = request->seed,
        .most = request->most,
    };
}

static int32_t play_all(crash_play *play, const wfsm_testkit_crash_options *given)
{
    if (!crash_store_begin(&play->store, play->request->sqlite, play->request->wrong))
        return WFSM_IO;
    int32_t status = wfsm_testkit_crash(given, &play->counts, play->error);
    if (status != WFSM_OK)
        cli_say_error(play->request->file, play->error);
    crash_store_end(&play->store);
    return status;
}

static int32_t play_on(crash_play *play, const wfsm_testkit_crash_options *given)
{
    cli_text path = {0};
    crash_witness witness;
    int32_t status = WFSM_IO;
    crash_store_begin(&play->store, false, play->request->wrong);
    cli_text_add(&path, play->request->resume, strlen(play->request->resume));
    cli_text_add(&path, ".witness", 8);
    if (crash_witness_open(&witness, path.data)) {
        status = wfsm_testkit_resume(given, &witness.witness, &play->counts, play->error);
        if (status != WFSM_OK)
            cli_say_error(play->request->resume, play->error);
    }
    crash_witness_close(&witness);
    crash_store_end(&play->store);
    cli_text_free(&path);
    return status;
}

static int play(const crash_request *request, wfsm_machine *machine, const crash_script *script)
{
    crash_play self = {.request = request, .counts = {.size = sizeof self.counts}};
    self.error = cli_need(wfsm_error_new(NULL));
    crash_print_begin(&self.print, request->json, request->resume != NULL);
    const wfsm_testkit_crash_options given = options_of(&self, machine, script);
    int32_t status = request->resume ? play_on(&self, &given) : play_all(&self, &given);
    crash_print_end(&self.print, &self.counts);
    wfsm_error_free(self.error);
    return cli_finish(status == WFSM_OK && self.counts.violations == 0 ? CLI_OK : CLI_FAILED);
}

static int run(int count, char **list)
{
    crash_request request = {.pairs = 100, .seed = 1};
    crash_script script = {0};
    wfsm_machine *machine = NULL;
    int code = parse(&request, count, list);
    if (code == CLI_OK) {
        machine = document_load(request.file);
        code = machine && sim_answers_fit(&request.answers, machine) ? CLI_OK : CLI_FAILED;
    }
    if (code == CLI_OK)
        code = crash_script_read(&script, request.script);
    if (code == CLI_OK)
        code = play(&request, machine, &script);
    crash_script_free(&script);
    sim_answers_free(&request.answers);
    wfsm_machine_unref(machine);
    return code;
}

const cli_command cmd_crash_test = {"crash-test", "runs a script with faults of the store",
                                    help, run};
