#include "wfsm/commands.h"
#include "wfsm/owned.h"

static const char help[] =
    "usage: wfsm restore [--now MS] STORE ID [NAME]\n"
    "\n"
    "Restores a checkpoint of an instance of an SQLite store: the named one, or the newest\n"
    "one. Invocations are withdrawn, and start again under new ids when a program adopts\n"
    "the instance. Timers have the time that was left. The command is refused if a running\n"
    "program owns the instance, or if the document does not allow a restore in its current\n"
    "state.\n"
    "\n"
    "  --now MS   the time of the input in milliseconds; the default is the clock\n"
    "\n"
    "Exit codes: 0 success; 1 the instance or the checkpoint does not exist, the restore\n"
    "is not allowed, the instance has another owner, or the store cannot be written; 64\n"
    "the command line is wrong.\n";

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

const cli_command cmd_restore = {"restore", "restores a checkpoint", help, run};
