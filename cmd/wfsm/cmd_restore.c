#include <inttypes.h>
#include "wfsm/commands.h"
#include "wfsm/happened.h"
#include "wfsm/owned.h"

static const char help[] =
    "usage: wfsm restore [--by NAME] [--now MS] STORE ID [NAME]\n"
    "       wfsm restore --at REVISION | --before NAME [--by NAME] [--now MS] STORE ID\n"
    "\n"
    "Takes an instance of a store back to a checkpoint, the named one or the newest\n"
    "one, or to a revision that its journal still has. Invocations are withdrawn, and start\n"
    "again under new ids when a program adopts the instance. Timers have the time that was\n"
    "left. If a running program owns the instance, the command posts the restore, which that\n"
    "program makes in its next run. The restore is refused if the document does not allow it\n"
    "in the current state.\n"
    "\n"
    "  --at REVISION   to this revision\n"
    "  --before NAME   to the revision before the last one in which work of the agent NAME was\n"
    "                  asked for, an event NAME was taken, or a state NAME was entered\n"
    "  --by NAME       who asks for it; the default is the user's name. The record says so\n"
    "  --now MS        the time of the input in milliseconds; the default is the clock\n"
    "\n"
    "Exit codes: 0 success; 1 the instance, the checkpoint or the revision does not exist,\n"
    "the restore is not allowed, or the store cannot be written; 64 the command line is wrong.\n";

enum { AT, NOW, BEFORE, BY };

typedef struct request {
    const char *operands[3]; /* store, id, name of a checkpoint */
    int count;
    uint64_t revision; /* 0: a checkpoint */
    const char *before; /* NULL: the revision is given, or a checkpoint */
    const char *by;
    int64_t now;
} request;

static int parse(request *self, int count, char **list)
{
    static const cli_option options[] = {
        {"--at", true}, {"--now", true}, {"--before", true}, {"--by", true}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    int found;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD || (found == NOW && !owned_time(args.value, &self->now)) ||
            (found == AT && !stored_revision(args.value, &self->revision)))
            return CLI_USAGE;
        if (found == BEFORE)
            self->before = args.value;
        if (found == BY)
            self->by = args.value;
        if (found == CLI_OPERAND && self->count == 3)
            return cli_misused("restore does not take %s", args.value);
        if (found == CLI_OPERAND)
            self->operands[self->count++] = args.value;
    }
    if (self->count < 2 || (self->count == 3 && self->operands[2][0] == '\0'))
        return cli_misused("restore needs a store and an id, and no empty name");
    if ((self->count == 3) + (self->revision != 0) + (self->before != NULL) > 1)
        return cli_misused("restore takes one checkpoint or one revision");
    return CLI_OK;
}

static void tell(const request *self, wfsm_instance *instance)
{
    if (self->revision != 0)
        owned_tell(instance, "restored revision %" PRIu64, self->revision);
    else
        owned_tell(instance, "restored %s",
                   self->count == 3 ? self->operands[2] : "the newest");
}

static json_t *point_of(const request *self)
{
    if (self->revision != 0)
        return cli_need(json_pack("{s:I}", "revision", (json_int_t)self->revision));
    return cli_need(json_pack("{s:s}", "checkpoint", self->operands[2]));
}

static bool restore(const request *self, owned *on, const wfsm_restore_point *from)
{
    bool fine =
        owned_take(on) && owned_done(on, wfsm_instance_restore(on->loaded.instance, from,
                                                               on->now, NULL, on->error));
    if (fine)
        tell(self, on->loaded.instance);
    return fine;
}

static int run(int count, char **list)
{
    request self = {.operands = {NULL, NULL, ""}, .by = owned_user(), .now = -1};
    int code = parse(&self, count, list);
    if (code != CLI_OK)
        return code;
    owned on = {.now = self.now};
    bool fine = owned_open(&on, self.operands[0], self.operands[1]);
    if (fine && self.before)
        fine = happened_before(on.store, &on.head, self.before, &self.revision);
    const wfsm_restore_point from = {.size = sizeof from,
                                     .checkpoint = self.revision != 0 ? NULL : self.operands[2],
                                     .revision = self.revision,
                                     .interface = WFSM_INTERFACE_COMMAND,
                                     .sender = self.by};
    if (fine && owned_elsewhere(&on))
        fine = owned_post(&on, WFSM_POST_RESTORE, self.by, point_of(&self));
    else if (fine)
        fine = restore(&self, &on, &from);
    owned_close(&on);
    return cli_finish(fine ? CLI_OK : CLI_FAILED);
}

const cli_command cmd_restore = {"restore", "goes back to a checkpoint or a revision", help,
                                 run};
