/* wfsm completion: what can be completed is read from the help texts, so the two always agree. */
#include <string.h>
#include "wfsm/commands.h"
#include "wfsm/shown.h"

static const char help[] =
    "usage: wfsm completion bash | zsh | fish\n"
    "\n"
    "Prints a script with which the shell completes commands, options and files of wfsm:\n"
    "\n"
    "  bash   source <(wfsm completion bash)            in ~/.bashrc\n"
    "  zsh    source <(wfsm completion zsh)             in ~/.zshrc, behind compinit\n"
    "  fish   wfsm completion fish | source             in ~/.config/fish/config.fish\n"
    "\n"
    "Exit codes: 0 success; 64 the command line is wrong.\n";

/* The length of the option at the beginning of a line of a help text, "  --json   …", or 0. */
static size_t option_length(const char *line)
{
    return strncmp(line, "  --", 4) == 0 ? strcspn(line + 2, " \n") : 0;
}

/* Calls back with each option of a help text, with its dashes. */
static void each_option(const cli_command *command,
                        void (*print)(const cli_command *command, const char *option,
                                      int length))
{
    print(command, "--help", 6);
    for (const char *line = command->help; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        int length = (int)option_length(line);
        if (length > 0)
            print(command, line + 2, length);
    }
}

static void print_word(const cli_command *command, const char *option, int length)
{
    (void)command;
    shown_printf(" %.*s", length, option);
}

/* The branches of `case` in bash and zsh. */
static void print_branches(void)
{
    for (size_t i = 0; commands_all[i]; i++) {
        shown_printf("        %s) options=\"", commands_all[i]->name);
        each_option(commands_all[i], print_word);
        shown_fputs("\" ;;\n", stdout);
    }
}

static void print_bash(void)
{
    shown_fputs("_wfsm() {\n"
                "    local word=${COMP_WORDS[COMP_CWORD]} options=\"--help --version\"\n"
                "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                "        COMPREPLY=($(compgen -W \"$options",
                stdout);
    for (size_t i = 0; commands_all[i]; i++)
        shown_printf(" %s", commands_all[i]->name);
    shown_fputs("\" -- \"$word\"))\n"
                "        return\n"
                "    fi\n"
                "    case ${COMP_WORDS[1]} in\n",
                stdout);
    print_branches();
    shown_fputs("    esac\n"
                "    case $word in\n"
                "        -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
                "        *) mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n"
                "    esac\n"
                "}\n"
                "complete -o filenames -F _wfsm wfsm\n",
                stdout);
}

static void print_zsh(void)
{
    shown_fputs("#compdef wfsm\n"
                "_wfsm() {\n"
                "    local options=\"--help --version\"\n"
                "    local -a commands=(\n",
                stdout);
    for (size_t i = 0; commands_all[i]; i++)
        shown_printf("        '%s:%s'\n", commands_all[i]->name, commands_all[i]->summary);
    shown_fputs("    )\n"
                "    if (( CURRENT == 2 )); then\n"
                "        _describe command commands\n"
                "        return\n"
                "    fi\n"
                "    case $words[2] in\n",
                stdout);
    print_branches();
    shown_fputs("    esac\n"
                "    if [[ $PREFIX == -* ]]; then\n"
                "        compadd -- ${=options}\n"
                "    else\n"
                "        _files\n"
                "    fi\n"
                "}\n"
                "compdef _wfsm wfsm\n",
                stdout);
}

static void print_fish_option(const cli_command *command, const char *option, int length)
{
    shown_printf("complete -c wfsm -n '__fish_seen_subcommand_from %s' -l %.*s\n",
                 command->name, length - 2, option + 2);
}

static void print_fish(void)
{
    shown_fputs("complete -c wfsm -n __fish_use_subcommand -f -l help\n"
                "complete -c wfsm -n __fish_use_subcommand -f -l version\n",
                stdout);
    for (size_t i = 0; commands_all[i]; i++) {
        shown_printf("complete -c wfsm -n __fish_use_subcommand -f -a %s -d '%s'\n",
                     commands_all[i]->name, commands_all[i]->summary);
        each_option(commands_all[i], print_fish_option);
    }
}

static int run(int count, char **list)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    if (count != 1)
        return cli_misused("completion needs a shell: bash, zsh or fish");
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(list[0], shells[i].name) != 0)
            continue;
        shells[i].print();
        return cli_finish(CLI_OK);
    }
    return cli_misused("there is no completion for %s: the shells are bash, zsh and fish",
                       list[0]);
}

const cli_command cmd_completion = {"completion", "prints completions for a shell", help, run};
