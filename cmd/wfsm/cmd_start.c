#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/commands.h"
#include "wfsm/document.h"
#include "wfsm/owned.h"

static const char help[] =
    "usage: wfsm start [--input JSON] [--now MS] STORE FILE ID\n"
    "\n"
    "Starts an instance of the machine document FILE under a new ID. Nobody owns it: a\n"
    "program that runs workflows of this store, such as wfsm work, adopts it and begins its\n"
    "work. The store must exist (wfsm store init). A document whose first step needs guards\n"
    "or actions of its host cannot be started here.\n"
    "\n"
    "  --input JSON  an object whose keys replace those of the document's context\n"
    "  --now MS      the time of the step in milliseconds; the default is the clock\n"
    "\n"
    "Exit codes: 0 success; 1 the instance exists already, or the document, the input or the\n"
    "store has an error; 64 the command line is wrong.\n";

typedef struct starting {
    const char *input;
    const char *operands[3]; /* store, document, id */
    int count;
    int64_t now;
} starting;

static int parse(starting *self, int count, char **list)
{
    static const cli_option options[] = {{"--input", true}, {"--now", true}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD || (found == 1 && !owned_time(args.value, &self->now)))
            return CLI_USAGE;
        if (found == CLI_OPERAND && self->count == 3)
            return cli_misused("start does not take %s", args.value);
        if (found == CLI_OPERAND)
            self->operands[self->count++] = args.value;
        else if (found == 0)
            self->input = args.value;
    }
    return self->count == 3 ? CLI_OK
                            : cli_misused("start needs a store, a machine document and an id");
}

static int32_t note_call(void *user, wfsm_call *call)
{
    cli_text *name = user;
    if (name->length == 0)
        cli_text_add(name, wfsm_call_name(call), strlen(wfsm_call_name(call)));
    return WFSM_DENIED;
}

/* Host functions that fail, and note the first that is called. */
static int32_t make_functions(wfsm_functions **functions, const wfsm_machine *machine,
                              cli_text *called, wfsm_error *error)
{
    const char *name;
    int32_t status = wfsm_functions_new(functions, NULL, error);
    for (size_t i = 0;
         status == WFSM_OK && (name = wfsm_machine_uses(machine, WFSM_USES_GUARDS, i)); i++)
        status = wfsm_functions_add_guard(*functions, name, note_call, called, error);
    for (size_t i = 0;
         status == WFSM_OK && (name = wfsm_machine_uses(machine, WFSM_USES_ACTIONS, i)); i++)
        status = wfsm_functions_add_action(*functions, name, note_call, called, error);
    return status;
}

/* The step is tried without the store first: one that asks the host for something would continue without
 * its answer. */
static int32_t start_twice(const starting *self, wfsm_machine *machine,
                           wfsm_start_options *options, wfsm_store *store,
                           const cli_text *called, wfsm_error *error)
{
    static const char needs[] = "its first step needs the host's ";
    wfsm_instance *attempt = NULL, *instance = NULL;
    int32_t status = wfsm_instance_start(&attempt, machine, options, self->now, error);
    wfsm_instance_free(attempt);
    if (status == WFSM_OK && called->length > 0) {
        cli_text why = {0};
        cli_text_add(&why, needs, sizeof needs - 1);
        cli_text_add(&why, called->data, called->length);
        status = wfsm_error_set(error, WFSM_DENIED, why.data);
        cli_text_free(&why);
    }
    options->store = store;
    if (status == WFSM_OK)
        status = wfsm_instance_start(&instance, machine, options, self->now, error);
    if (status == WFSM_OK)
        owned_tell(instance, "%s started", self->operands[2]);
    wfsm_instance_free(instance);
    return status;
}

static int32_t start(const starting *self, wfsm_machine *machine, wfsm_store *store,
                     wfsm_error *error)
{
    char session[OWNED_NAME_BYTES];
    wfsm_functions *functions = NULL;
    cli_text called = {0};
    int32_t status = make_functions(&functions, machine, &called, error);
    owned_name(session);
    wfsm_start_options options = {.size = sizeof options,
                                  .id = self->operands[2],
                                  .functions = functions,
                                  .input = self->input,
                                  .length = self->input ? strlen(self->input) : 0,
                                  .session = session};
    if (status == WFSM_OK)
        status = start_twice(self, machine, &options, store, &called, error);
    wfsm_functions_free(functions);
    cli_text_free(&called);
    return status;
}

static bool run_start(starting *self, wfsm_machine *machine)
{
    wfsm_store *store = stored_open_to_write(self->operands[0]);
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    if (self->now < 0)
        self->now = owned_clock();
    int32_t status = store ? start(self, machine, store, error) : WFSM_IO;
    if (store && status != WFSM_OK)
        cli_say_error(self->operands[2], error);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return status == WFSM_OK;
}

static int run(int count, char **list)
{
    starting self = {.now = -1};
    int code = parse(&self, count, list);
    if (code != CLI_OK)
        return code;
    wfsm_machine *machine = document_load(self.operands[1]);
    code = machine && run_start(&self, machine) ? CLI_OK : CLI_FAILED;
    wfsm_machine_unref(machine);
    return cli_finish(code);
}

const cli_command cmd_start = {"start", "starts an instance that nobody owns yet", help, run};
