#include "wfsm/commands.h"
#include "wfsm/owned.h"

static const char help[] =
    "usage: wfsm restore [--now MS] STORE ID [NAME]\n"
    "\n"
    "Takes an instance of an SQLite store back to its checkpoint of that name, or to the "
    "newest\n"
    "one: invocations are withdrawn and start anew under new ids when a program adopts the\n"
    "instance, timers have the time that was left. An instance that belongs to a program at\n"
    "work is refused, and so is one whose document does not allow it from where it is.\n"
    "\n"
    "  --now MS   the time of the input in milliseconds; default: the clock\n"
    "\n"
    "Exit codes: 0 fine; 1 there is no such instance or checkpoint, it is not allowed, the\n"
    "instance belongs to somebody else, or the store cannot be written; 64 the command line "
    "is\n"
    "not understood.\n";

static int run(int count, char **list)
{
    static const cli_option options[] = {{"--now", true}, {NULL, false}};
    const char *operands[3] = {NULL, NULL, ""};
    cli_args args = {.count = count, .list = list, .options = options};
    owned on = {.now = -1};
    int found, given = 0;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD || (found == 0 && !owned_time(args.value, &on.now)))
            return CLI_USAGE;
        if (found == CLI_OPERAND && given == 3)
            return cli_misused("restore does not take %s", args.value);
        if (found == CLI_OPERAND)
            operands[given++] = args.value;
    }
    if (given < 2 || (given == 3 && operands[2][0] == '\0'))
        return cli_misused("restore needs a store and an id, and no empty name");
    bool fine = owned_open(&on, operands[0], operands[1]) && owned_take(&on) &&
                owned_done(&on, wfsm_instance_restore(on.loaded.instance, operands[2], on.now,
                                                      NULL, on.error));
    if (fine)
        owned_tell(on.loaded.instance, "restored %s", given == 3 ? operands[2] : "the newest");
    owned_close(&on);
    return cli_finish(fine ? CLI_OK : CLI_FAILED);
}

const cli_command cmd_restore = {"restore", "goes back to a checkpoint", help, run};
