#include "wfsm/commands.h"
#include "wfsm/happened.h"
#include "wfsm/owned.h"

static const char help[] =
    "usage: wfsm fork [--at REVISION | --before NAME | --checkpoint NAME | --latest]\n"
    "                 [--by NAME] [--now MS] STORE ID NEW-ID\n"
    "\n"
    "Starts a new instance in a store, in the current state of another instance,\n"
    "or in the state of one of its revisions or checkpoints. The other instance is only read, so a program may be\n"
    "working on it. The new instance has no owner until a program adopts it. Its\n"
    "invocations wait under ids of its own, and its timers have the time that was left.\n"
    "The command is refused if the document does not allow a restore.\n"
    "\n"
    "  --at REVISION       from this revision, which the journal still has; the default is\n"
    "                      the current state\n"
    "  --before NAME       from the revision before the last one in which work of the agent\n"
    "                      NAME was asked for, an event NAME was taken, or a state NAME was\n"
    "                      entered\n"
    "  --checkpoint NAME   from this checkpoint\n"
    "  --latest            from the newest checkpoint\n"
    "  --by NAME           who asks for it; the default is the user's name. The record says so\n"
    "  --now MS            the time of the start in milliseconds; the default is the clock\n"
    "\n"
    "Exit codes: 0 success; 1 the instance, the revision or the checkpoint does not exist,\n"
    "the new id is taken, the fork is not allowed, or the store cannot be written; 64 the\n"
    "command line is wrong.\n";

typedef struct request {
    const char *operands[3]; /* store, id, new id */
    int count;
    wfsm_restore_point from; /* without a place: the current state */
    const char *before; /* NULL: `from` is complete */
    int64_t now;
} request;

enum { AT, CHECKPOINT, LATEST, NOW, BEFORE, BY };

static bool is_chosen(const request *self)
{
    return self->from.checkpoint || self->from.revision != 0 || self->before;
}

static bool take_option(request *self, int option, const char *value)
{
    if (option == NOW)
        return owned_time(value, &self->now);
    if (option == BY) {
        self->from.sender = value;
        return true;
    }
    if (is_chosen(self)) {
        cli_misused("fork takes one revision or one checkpoint");
        return false;
    }
    if (option == AT)
        return stored_revision(value, &self->from.revision);
    if (option == BEFORE) {
        self->before = value;
        return true;
    }
    if (option == CHECKPOINT && *value == '\0') {
        cli_misused("the name of a checkpoint is not empty");
        return false;
    }
    self->from.checkpoint = option == LATEST ? "" : value;
    return true;
}

static int parse(request *self, int count, char **list)
{
    static const cli_option options[] = {
        {"--at", true},     {"--checkpoint", true}, {"--latest", false}, {"--now", true},
        {"--before", true}, {"--by", true},         {NULL, false}};
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
    request self = {.from = {.size = sizeof self.from,
                             .interface = WFSM_INTERFACE_COMMAND,
                             .sender = owned_user()},
                    .now = -1};
    int code = parse(&self, count, list);
    if (code != CLI_OK)
        return code;
    wfsm_instance *fork = NULL;
    owned on = {.now = self.now};
    bool fine = owned_open(&on, self.operands[0], self.operands[1]) && owned_load(&on) &&
                (!self.before ||
                 happened_before(on.store, &on.head, self.before, &self.from.revision)) &&
                owned_done(&on, wfsm_instance_fork(&fork, on.loaded.instance, &self.from,
                                                   self.operands[2], on.now, on.error));
    if (fine)
        owned_tell(fork, "%s", self.operands[2]);
    wfsm_instance_free(fork);
    owned_close(&on);
    return cli_finish(fine ? CLI_OK : CLI_FAILED);
}

const cli_command cmd_fork = {"fork", "starts an instance in the state of another", help, run};
