/* The command wfsm: finds the command and calls it. */
#include <stdio.h>
#include <string.h>
#include "wfsm/address.h"
#include "wfsm/commands.h"
#include "wfsm/shown.h"

static int help(void)
{
    shown_fputs(
        "usage: wfsm COMMAND [OPTION]… [OPERAND]…\n"
        "\n"
        "Checks, draws, steps and verifies state machines of wfsm, and manages their stores.\n"
        "\n",
        stdout);
    for (size_t i = 0; commands_all[i]; i++)
        shown_printf("  %-11s %s\n", commands_all[i]->name, commands_all[i]->summary);
    shown_fputs(
        "\n"
        "  wfsm COMMAND --help   explains a command\n"
        "  wfsm --version        prints the version\n"
        "\n"
        "Exit codes: 0 success; 1 the machine, the store or a file has an error; 2 simulate\n"
        "read a wrong line; 64 the command line is wrong.\n",
        stdout);
    return cli_finish(CLI_OK);
}

static const cli_command *find(const char *name)
{
    for (size_t i = 0; commands_all[i]; i++)
        if (strcmp(commands_all[i]->name, name) == 0)
            return commands_all[i];
    return NULL;
}

static bool asks_for_help(int count, char **list)
{
    for (int i = 0; i < count && strcmp(list[i], "--") != 0; i++)
        if (strcmp(list[i], "--help") == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    if (!address_hide_all(argc, argv))
        cli_need(NULL);
    if (argc < 2)
        return cli_misused("a command is missing");
    if (strcmp(argv[1], "--help") == 0)
        return help();
    if (strcmp(argv[1], "--version") == 0) {
        shown_printf("wfsm %s\n", wfsm_version());
        return cli_finish(CLI_OK);
    }
    const cli_command *command = find(argv[1]);
    if (!command)
        return cli_misused("there is no command %s", argv[1]);
    if (asks_for_help(argc - 2, argv + 2)) {
        shown_fputs(command->help, stdout);
        return cli_finish(CLI_OK);
    }
    return command->run(argc - 2, argv + 2);
}
