/* The command key: a key to sign votes with. */
#include <stdio.h>
#include <stdlib.h>
#include <wfsm/sign.h>
#include "wfsm/commands.h"
#include "wfsm/shown.h"

static const char help[] =
    "usage: wfsm key [--show] FILE [NAME]\n"
    "\n"
    "Makes an Ed25519 key to sign votes with. The secret half goes into the new file FILE,\n"
    "which only you can read; `wfsm approve --key` takes it. Prints a line with NAME (the\n"
    "default is the user's name) and the public half, for the file of keys that\n"
    "`wfsm audit --keys` and `wfsm evidence --keys` take.\n"
    "\n"
    "  --show   prints the line of a key that was made before\n"
    "\n"
    "Exit codes: 0 success; 1 the file is there already, or cannot be written or read; 64\n"
    "the command line is wrong.\n";

static int tell(bool show, const char *path, const char *name)
{
    wfsm_error *error = cli_need(wfsm_error_new(NULL));
    char public_key[WFSM_KEY_SIZE];
    int32_t status = show ? wfsm_key_public(path, public_key, error)
                          : wfsm_key_make(path, public_key, error);
    if (status == WFSM_OK)
        shown_printf("%s %s\n", name, public_key);
    else
        cli_say("%s", wfsm_error_message(error));
    wfsm_error_free(error);
    return cli_finish(status == WFSM_OK ? CLI_OK : CLI_FAILED);
}

static int run(int count, char **list)
{
    static const cli_option options[] = {{"--show", false}, {NULL, false}};
    cli_args args = {.count = count, .list = list, .options = options};
    const char *operands[2] = {NULL, getenv("USER")};
    bool show = false;
    int found, given = 0;
    while ((found = cli_next(&args)) != CLI_END) {
        if (found == CLI_BAD)
            return CLI_USAGE;
        if (found == 0)
            show = true;
        else if (given == 2)
            return cli_misused("key does not take %s", args.value);
        else
            operands[given++] = args.value;
    }
    if (!operands[0])
        return cli_misused("key needs a file");
    if (!operands[1] || !*operands[1])
        return cli_misused("key: the user has no name; give one");
    return tell(show, operands[0], operands[1]);
}

const cli_command cmd_key = {"key", "makes a key to sign votes with", help, run};
