#include "wfsm/commands.h"
#include "wfsm/owned.h"

static const char help[] =
    "usage: wfsm fork [--checkpoint NAME | --latest] [--now MS] STORE ID NEW-ID\n"
    "\n"
    "Starts a new instance in an SQLite store, in the current state of another instance or\n"
    "in the state of a checkpoint. The other instance is only read, so a program may be\n"
    "working on it. The new instance has no owner until a program adopts it. Its\n"
    "invocations wait under ids of its own, and its timers have the time that was left.\n"
    "The command is refused if the document does not allow a restore.\n"
    "\n"
    "  --checkpoint NAME   from this checkpoint; the default is the current state\n"
    "  --latest            from the newest checkpoint\n"
    "  --now MS            the time of the start in milliseconds; the default is the clock\n"
    "\n"
    "Exit codes: 0 success; 1 the instance or the checkpoint does not exist, the new id is\n"
    "taken, the fork is not allowed, or the store cannot be written; 64 the command line\n"
    "is wrong.\n";

typedef struct request {
    const char *operands[3]; /* store, id, new id */
    int count;
    const char *checkpoint; /* "" is the newest, NULL the present state */
    int64_t now;
} request;

enum { CHECKPOINT, LATEST, NOW };

static bool choose(request *self, const char *checkpoint)
{
    if (self->checkpoint)
        cli_misused("fork takes one checkpoint");
    else
        self->checkpoint = checkpoint;
    return self->checkpoint == checkpoint;
}

static bool take_option(request *self, int option, const char *value)
{
    if (option == NOW)
        return owned_time(value, &self->now);
    if (option == CHECKPOINT && *value == '\0') {
        cli_misused("the name of a checkpoint is not empty");
        return false;
    }
    return choose(self, option == LATEST ? "" : value);
}

static int parse(request *self, int count, char **list)
{
    static const cli_option options[] = {
        {"--checkpoint", true}, {"--latest", false}, {"--now", true}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD)
            return CLI_USAGE;
        if (found != CLI_OPERAND && !take_option(self, found, args.value))
            return CLI_USAGE;
        if (found == CLI_OPERAND && self->count == 3)
            return cli_misused("fork does not take %s", args.value);
        if (found == CLI_OPERAND)
            self->operands[self->count++] = args.value;
    }
    return self->count == 3 ? CLI_OK : cli_misused("fork needs a store, an id and a new id");
}

static int run(int count, char **list)
{
    request self = {.now = -1};
    int code = parse(&self, count, list);
    if (code != CLI_OK)
        return code;
    wfsm_instance *fork = NULL;
    owned on = {.now = self.now};
    bool fine = owned_open(&on, self.operands[0], self.operands[1]) && owned_load(&on) &&
                owned_done(&on, wfsm_instance_fork(&fork, on.loaded.instance, self.checkpoint,
                                                   self.operands[2], on.now, on.error));
    if (fine)
        owned_tell(fork, "%s", self.operands[2]);
    wfsm_instance_free(fork);
    owned_close(&on);
    return cli_finish(fine ? CLI_OK : CLI_FAILED);
}

const cli_command cmd_fork = {"fork", "starts an instance in the state of another", help, run};
