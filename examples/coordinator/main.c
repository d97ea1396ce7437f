/* The coordinator: takes a task through plan, build, review, test, iterate and finalize. */
#include "coordinator.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include "shared/kinds.h"
#include "shared/signals.h"
#include "wfsm/shown.h"

static const char help[] =
    "usage: coordinator run --task TEXT | --task-file FILE --workspace DIR [--id ID]\n"
    "                       [--mode proposal | implementation]\n"
    "       coordinator resume [ID]\n"
    "       coordinator confirm ID [--message TEXT]\n"
    "       coordinator followup ID --message TEXT [--mode proposal | implementation]\n"
    "       coordinator status ID\n"
    "       coordinator list\n"
    "       coordinator history ID\n"
    "       coordinator log ID\n"
    "       coordinator abort ID\n"
    "       coordinator restore ID --before NAME | --at REVISION\n"
    "       coordinator fork ID NEW-ID --before NAME | --at REVISION\n"
    "       coordinator clean [ID] [--force]\n"
    "       coordinator doctor\n"
    "       coordinator init [--yes | --agent claude | codex | gemini | command]\n"
    "       coordinator --version\n"
    "\n"
    "A coder changes the project in the workspace, a reviewer reviews the change, a tester\n"
    "names the commands that test it, and the coordinator runs them, until the change is\n"
    "accepted or the rounds are used up. In proposal mode each agent is asked once, and then\n"
    "the task waits for `confirm`. Every step is stored before it takes effect, so `resume`\n"
    "continues a task whose process was killed.\n"
    "\n"
    "  run      starts a task, and shows each transition until it is over\n"
    "  resume   continues a task that no process runs; without an id, all such tasks\n"
    "  confirm  starts the implementation of a proposal\n"
    "  followup adds a message to a task that is over, and begins a new run of it\n"
    "  status   shows the state of a task\n"
    "  list     lists all tasks\n"
    "  history  shows the journal of a task as a table\n"
    "  log      shows what the agents and commands of a task write, and follows it until the\n"
    "           task is over\n"
    "  abort    stops a task, also if another process runs it\n"
    "  restore  takes a task that is over back to an earlier revision, and continues there; its\n"
    "           workspace gets the change that it had then\n"
    "  fork     begins a new task there, with a workspace of its own\n"
    "  clean    removes worktrees, branches and logs of tasks that ended keep_days ago (see the\n"
    "           configuration), or of one that has ended; what a task says stays in the store\n"
    "  doctor   tries what a task needs: the configuration, git, the disk and each agent, which\n"
    "           costs a few tokens; says in one line each what is wrong and what to do\n"
    "  init     writes a commented configuration, prompts and lines of .gitignore, asks which\n"
    "           programs are the agents, and tries them; files that exist stay as they are\n"
    "\n"
    "  --config FILE     the configuration (default: coordinator.toml)\n"
    "  --task TEXT       the description of the task\n"
    "  --task-file FILE  a file with the description of the task\n"
    "  --workspace DIR   the folder of the project\n"
    "  --id ID           the name of the task (default: task-1, task-2, ...)\n"
    "  --mode MODE       proposal, or implementation (default; of a followup: the task's)\n"
    "  --message TEXT    a message to the agents\n"
    "  --before NAME     the revision before this agent was last asked, this event taken, or this\n"
    "                    state entered; `history` has the names\n"
    "  --at REVISION     this revision\n"
    "  --json            JSON objects, one a line, and no other text on standard output:\n"
    "                    one for each task, of history for each record, of log for each part;\n"
    "                    errors are text on standard error\n"
    "  --force           also changes that the project does not have\n"
    "  --yes             the coding agent that is installed, without a question\n"
    "  --agent KIND      this one for all roles\n"
    "  --version         prints the version\n"
    "  --help            prints this text\n"
    "\n"
    "Exit codes: 0 the change is approved and in the project, or the query succeeded; 1 another\n"
    "outcome, a change that the project does not have yet, or after init and doctor something\n"
    "that does not work; 2 the command line or the configuration is wrong; 3 there is no such\n"
    "task, another process runs it, or the store or the machine document caused an error;\n"
    "7 a proposal waits for a person: see confirm and followup; 130 stopped by a signal. Ctrl-C,\n"
    "SIGTERM and SIGHUP stop the agents and pause the task: resume continues it. A second Ctrl-C\n"
    "kills the agents at once.\n";

const char *const host_program = "coordinator";

typedef struct command {
    const char *name;
    int (*run)(const arguments *given, const settings *with);
    enum { NO_ID, MAY_HAVE_ID, NEEDS_ID, NEEDS_TWO_IDS } operand;
    int drives; /* a signal pauses it */
} command;

static const command commands[] = {
    {"run", cmd_run, NO_ID, 1},
    {"resume", cmd_resume, MAY_HAVE_ID, 1},
    {"status", cmd_status, NEEDS_ID, 0},
    {"list", cmd_list, NO_ID, 0},
    {"history", cmd_history, NEEDS_ID, 0},
    {"abort", cmd_abort, NEEDS_ID, 1},
    {"confirm", cmd_confirm, NEEDS_ID, 1},
    {"followup", cmd_followup, NEEDS_ID, 1},
    {"log", cmd_log, NEEDS_ID, 0},
    {"restore", cmd_restore, NEEDS_ID, 1},
    {"fork", cmd_fork, NEEDS_TWO_IDS, 1},
    {"clean", cmd_clean, MAY_HAVE_ID, 0},
    {"doctor", cmd_doctor, NO_ID, 0},
    {"init", cmd_init, NO_ID, 0},
};

int library_failed(const char *what, const wfsm_error *error)
{
    print_wfsm_error(what, error);
    return END_STORE;
}

static int misused(const char *what, const char *which)
{
    print_error("%s%s%s; see --help", what, which ? " " : "", which ? which : "");
    return -1;
}

static int read_option(arguments *given, int option)
{
    switch (option) {
    case 'c':
        given->config = optarg;
        return 0;
    case 't':
        given->task = optarg;
        return 0;
    case 'f':
        given->task_file = optarg;
        return 0;
    case 'w':
        given->workspace = optarg;
        return 0;
    case 'i':
        given->id = optarg;
        return 0;
    case 'm':
        given->message = optarg;
        return 0;
    case 'e':
        given->mode = optarg;
        return 0;
    case 'a':
        given->agent = optarg;
        return 0;
    case 'b':
        given->back.before = optarg;
        return 0;
    case 'r':
        given->back.at = optarg;
        return 0;
    case 'y':
        given->yes = 1;
        return 0;
    case 'F':
        given->force = 1;
        return 0;
    case 'j':
        given->json = 1;
        return 0;
    default:
        return misused("the command line is wrong", NULL);
    }
}

static int takes_word(const command *chosen)
{
    return chosen->run == cmd_confirm || chosen->run == cmd_followup;
}

static int check_word(const arguments *given, const command *chosen)
{
    if (given->message && !takes_word(chosen))
        return misused("--message belongs to confirm and followup", NULL);
    if (given->mode && !takes_word(chosen) && chosen->run != cmd_run)
        return misused("--mode belongs to run and followup", NULL);
    if (given->mode && strcmp(given->mode, "proposal") != 0 &&
        strcmp(given->mode, "implementation") != 0)
        return misused("--mode: expected proposal or implementation, not", given->mode);
    return 0;
}

static int check_own(const arguments *given, const command *chosen)
{
    if (given->force && chosen->run != cmd_clean)
        return misused("--force belongs to clean", NULL);
    if ((given->yes || given->agent) && chosen->run != cmd_init)
        return misused("--yes and --agent belong to init", NULL);
    if (given->agent && !host_kind_named(given->agent))
        return misused("--agent: expected claude, codex, gemini or command, not", given->agent);
    return 0;
}

static int check_back(const arguments *given, const command *chosen)
{
    int goes_back = chosen->run == cmd_restore || chosen->run == cmd_fork;
    const char *why;

    if (!goes_back)
        return given->back.before || given->back.at
                   ? misused("--before and --at belong to restore and fork", NULL)
                   : 0;
    return host_rewind_check(&given->back, &why) == 0 ? 0 : misused(why, NULL);
}

static int belongs_to_run(const arguments *given)
{
    return given->task || given->task_file || given->workspace || given->id;
}

static int read_operand(arguments *given, const command *chosen, int count, char **list)
{
    if (chosen->run != cmd_run && belongs_to_run(given))
        return misused("--task, --task-file, --workspace and --id belong to run", NULL);
    if (check_word(given, chosen) != 0 || check_own(given, chosen) != 0 ||
        check_back(given, chosen) != 0)
        return -1;
    if (optind < count && chosen->operand != NO_ID)
        given->id = list[optind++];
    if (optind < count && chosen->operand == NEEDS_TWO_IDS)
        given->new_id = list[optind++];
    if (optind < count)
        return misused("too many arguments:", list[optind]);
    if (chosen->operand >= NEEDS_ID && !given->id)
        return misused("expected the id of a task after", chosen->name);
    if (chosen->operand == NEEDS_TWO_IDS && !given->new_id)
        return misused("expected the id of the new task after", given->id);
    return 0;
}

/* 1: help was asked for. */
static int read_arguments(arguments *given, const command *chosen, int count, char **list)
{
    static const struct option options[] = {{"config", required_argument, NULL, 'c'},
                                            {"task", required_argument, NULL, 't'},
                                            {"task-file", required_argument, NULL, 'f'},
                                            {"workspace", required_argument, NULL, 'w'},
                                            {"id", required_argument, NULL, 'i'},
                                            {"message", required_argument, NULL, 'm'},
                                            {"mode", required_argument, NULL, 'e'},
                                            {"agent", required_argument, NULL, 'a'},
                                            {"before", required_argument, NULL, 'b'},
                                            {"at", required_argument, NULL, 'r'},
                                            {"yes", no_argument, NULL, 'y'},
                                            {"force", no_argument, NULL, 'F'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    int option;

    while ((option = getopt_long(count, list, "h", options, NULL)) != -1) {
        if (option == 'h')
            return 1;
        if (read_option(given, option) != 0)
            return -1;
    }
    return read_operand(given, chosen, count, list);
}

static const command *find_command(const char *name)
{
    size_t index;

    for (index = 0; index < sizeof commands / sizeof *commands; index++)
        if (strcmp(commands[index].name, name) == 0)
            return &commands[index];
    return NULL;
}

static int run_command(const command *chosen, const arguments *given)
{
    settings with;
    wfsm_error *error = wfsm_error_new(NULL);
    int code = END_USAGE;

    if (chosen->run == cmd_init || chosen->run == cmd_doctor) {
        wfsm_error_free(error);
        return chosen->run(given, NULL);
    }
    if (print_missing_config(given->config)) {
        wfsm_error_free(error);
        return END_USAGE;
    }
    if (chosen->drives)
        host_signals_count();
    if (settings_read(&with, given->config, error) == WFSM_OK) {
        with.is_json = given->json;
        code = chosen->run(given, &with);
    } else
        print_error("%s", wfsm_error_message(error));
    settings_clear(&with);
    wfsm_error_free(error);
    return code;
}

static int asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

int main(int count, char **list)
{
    arguments given = {.config = "coordinator.toml"};
    const command *chosen = count > 1 ? find_command(list[1]) : NULL;
    int found;

    if (count > 1 && asks_for_help(list[1])) {
        shown_fputs(help, stdout);
        return END_FINE;
    }
    if (count > 1 && strcmp(list[1], "--version") == 0) {
        shown_printf("coordinator %s\n", wfsm_version());
        return END_FINE;
    }
    if (!chosen) {
        (void)misused(count > 1 ? "no such command:" : "which command?",
                      count > 1 ? list[1] : NULL);
        return END_USAGE;
    }
    found = read_arguments(&given, chosen, count - 1, list + 1);
    if (found > 0)
        shown_fputs(help, stdout);
    if (found != 0)
        return found > 0 ? END_FINE : END_USAGE;
    return run_command(chosen, &given);
}
