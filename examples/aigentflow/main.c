/* aigentflow: an orchestrator that analyses a task, routes it from agent to agent, and works
 * on the features of an epic at the same time (seed 004). */
#include "aigentflow.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wfsm/base.h>
#include "shared/kinds.h"
#include "shared/signals.h"
#include "wfsm/shown.h"

static const char usage[] =
    "usage: aigentflow run [PROMPT] [--prompt-file FILE] [--epic FILE] [--compete] [--id ID]\n"
    "       aigentflow approve [ID] [--feature F] [--design N] [--answer TEXT] [--by NAME]\n"
    "                          [--yes]\n"
    "       aigentflow answer [ID] [--feature F] --answer TEXT [--by NAME]\n"
    "       aigentflow reject [ID] [--feature F] [--reason TEXT] [--yes]\n"
    "       aigentflow abort [ID] [--feature F]\n"
    "       aigentflow resume [ID] [--feature F] [--answer TEXT]\n"
    "       aigentflow status [ID]\n"
    "       aigentflow history [ID] [--feature F]\n"
    "       aigentflow checkpoint [ID [NAME]] [--feature F] [--artifact FILE]...\n"
    "       aigentflow restore [ID [NAME | --before NAME | --at REVISION]] [--feature F]\n"
    "       aigentflow fork ID NEW-ID [NAME | --before NAME | --at REVISION]\n"
    "       aigentflow log [ID] [--feature F]\n"
    "       aigentflow clean [ID] [--force]\n"
    "       aigentflow pool\n"
    "       aigentflow agents\n"
    "       aigentflow doctor\n"
    "       aigentflow init [--yes | --agent claude | codex | gemini | command]\n"
    "       aigentflow --version\n"
    "\n";

static const char help[] =
    "Takes a task through analysis and from agent to agent, as the router decides, with\n"
    "tests, fixes and approvals, until it is completed. The features of an epic are worked\n"
    "on at the same time, each in a git worktree of its own, and merged. Every step is\n"
    "stored before it takes effect, so `resume` continues a task whose process was killed.\n"
    "A task is worked on in a workspace of its own, and brought to the project when it is\n"
    "completed.\n"
    "\n"
    "  run         starts a task, and drives it until it is over or waits for a person\n"
    "  approve     shows what a task, or a feature of it, asks for, with the diff of its work;\n"
    "              approves it, and continues\n"
    "  answer      answers what an agent asks, and continues\n"
    "  reject      rejects it, and continues\n"
    "  abort       ends a task, or one of its features\n"
    "  resume      continues a task that no process runs; an escalated one gets new retries,\n"
    "              a feature that waits for others begins without them, and completed work that\n"
    "              is not in the project yet is brought there\n"
    "  status      shows the state of a task; without an id, of all tasks\n"
    "  history     shows the transitions of a task\n"
    "  checkpoint  stores the current state under a name\n"
    "  restore     restores a checkpoint or a revision, and continues; without an id, the task\n"
    "              that has failed. The files of its workspace go back, too; git keeps the newer\n"
    "              ones. Features that were finished are kept\n"
    "  fork        begins a new task there, with the files of that revision; without a name, at\n"
    "              the newest checkpoint\n"
    "  log         shows what the agents have written, and follows it\n"
    "  clean       removes worktrees, branches and logs of what has ended; without an id, of\n"
    "              what ended more than keep_days ago\n"
    "  pool        shows the agents that are at work and those that wait\n"
    "  agents      shows which program or model is behind each agent\n"
    "  doctor      tries what a task needs: the configuration, git, the disk and each agent, which\n"
    "              costs a few tokens; says in one line each what is wrong and what to do\n"
    "  init        writes a commented configuration, a prompt and lines of .gitignore, asks which\n"
    "              programs are the agents, and tries them; files that exist stay as they are\n"
    "\n"
    "  --config FILE     the configuration (default: aigentflow.toml)\n"
    "  --epic FILE       the features, as JSON\n"
    "  --compete         the first designs are a competition\n"
    "  --id ID           the name of the task (default: task-1, task-2, ...)\n"
    "  --feature F       this feature of the task; its own id in place of ID means the same\n"
    "  --before NAME     the revision before this agent was last asked, this event taken, or this\n"
    "                    state entered\n"
    "  --at REVISION     this revision, as `history` numbers it\n"
    "  --force           also what was not committed or not merged\n"
    "  --design N        the design that has won\n"
    "  --json            prints the result as JSON; what happens meanwhile, and errors, go to stderr\n"
    "  --yes             approve, reject: without a question at a terminal; init: the coding agent\n"
    "                    that is installed\n"
    "  --agent KIND      of init: this one for all agents\n"
    "  --verbose         prints every transition in the format of the log\n"
    "  --version         prints the version\n"
    "  --help            prints this text\n"
    "\n"
    "You can leave out an id if only one task is possible. Exit codes: 0 completed, or the\n"
    "query succeeded; 1 another outcome, work that could not be brought to the project, nothing\n"
    "to do, or after init and doctor something that does not work; 2 the command line or the\n"
    "configuration is wrong; 3 the store or a machine document caused an error; 7 the task, or a\n"
    "feature of it, waits for a person: see approve, answer and reject; 130 stopped by a signal.\n"
    "Ctrl-C, SIGTERM and SIGHUP pause the task: its agents are ended, and `resume` continues it.\n"
    "A second Ctrl-C kills the agents at once.\n";

const char *const host_program = "aigentflow";

enum {
    FEATURE = 1,
    RUN = 2,
    WORD = 4,
    CHECKPOINT = 8,
    DESIGN = 16,
    REASON = 32,
    BY = 64,
    FORCE = 128,
    INIT = 256,
    RESTORE = 512,
    DRIVES = 1024, /* a signal pauses it */
    DECIDE = 2048
};

typedef struct command {
    const char *name;
    int (*run)(const arguments *given, const settings *with);
    int operands, options;
} command;

static const command commands[] = {
    {"run", cmd_run, 1, RUN | DRIVES},
    {"approve", cmd_approve, 1, FEATURE | WORD | DESIGN | BY | DECIDE | DRIVES},
    {"answer", cmd_answer, 1, FEATURE | WORD | BY | DRIVES},
    {"reject", cmd_reject, 1, FEATURE | REASON | DECIDE | DRIVES},
    {"abort", cmd_abort, 1, FEATURE | DRIVES},
    {"resume", cmd_resume, 1, FEATURE | WORD | DRIVES},
    {"status", cmd_status, 1, 0},
    {"history", cmd_history, 1, FEATURE},
    {"checkpoint", cmd_checkpoint, 2, FEATURE | CHECKPOINT},
    {"restore", cmd_restore, 2, FEATURE | RESTORE | DRIVES},
    {"fork", cmd_fork, 3, RESTORE | DRIVES},
    {"log", cmd_log, 1, FEATURE},
    {"clean", cmd_clean, 1, FORCE},
    {"pool", cmd_pool, 0, 0},
    {"agents", cmd_agents, 0, 0},
    {"doctor", cmd_doctor, 0, 0},
    {"init", cmd_init, 0, INIT},
};

int library_failed(const char *what, const wfsm_error *error)
{
    print_wfsm_error(what, error);
    return END_STORE;
}

int host_failed(const host_error *error)
{
    print_error("%s", error->message);
    return END_USAGE;
}

static int misused(const char *what, const char *which)
{
    print_error("%s%s%s; see --help", what, which ? " " : "", which ? which : "");
    return -1;
}

/* ---- options ---- */

typedef struct option_word {
    const char *name;
    int belongs; /* only for commands with one of these; 0: for all */
    size_t place; /* of a text in the arguments */
} option_word;

static const option_word words[] = {
    {"config", 0, offsetof(arguments, config)},
    {"prompt-file", RUN, offsetof(arguments, prompt_file)},
    {"epic", RUN, offsetof(arguments, epic)},
    {"id", RUN, offsetof(arguments, id)},
    {"feature", FEATURE, offsetof(arguments, feature)},
    {"reason", REASON, offsetof(arguments, reason)},
    {"answer", WORD, offsetof(arguments, answer)},
    {"by", BY, offsetof(arguments, by)},
    {"before", RESTORE, offsetof(arguments, back.before)},
    {"at", RESTORE, offsetof(arguments, back.at)},
};
enum { WORDS = sizeof words / sizeof *words };

static const struct option options[] = {
    {"config", required_argument, NULL, 0},   {"prompt-file", required_argument, NULL, 1},
    {"epic", required_argument, NULL, 2},     {"id", required_argument, NULL, 3},
    {"feature", required_argument, NULL, 4},  {"reason", required_argument, NULL, 5},
    {"answer", required_argument, NULL, 6},   {"by", required_argument, NULL, 7},
    {"before", required_argument, NULL, 8},   {"at", required_argument, NULL, 9},
    {"design", required_argument, NULL, 'd'}, {"artifact", required_argument, NULL, 'a'},
    {"compete", no_argument, NULL, 'c'},      {"force", no_argument, NULL, 'f'},
    {"json", no_argument, NULL, 'j'},         {"verbose", no_argument, NULL, 'v'},
    {"yes", no_argument, NULL, 'y'},          {"agent", required_argument, NULL, 'A'},
    {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};

static int belongs(const command *chosen, int to, const char *name)
{
    if (to == 0 || (chosen->options & to) != 0)
        return 0;
    print_error("--%s does not belong to %s; see --help", name, chosen->name);
    return -1;
}

static int read_word(arguments *given, const command *chosen, const option_word *word)
{
    memcpy((char *)given + word->place, &optarg, sizeof optarg);
    return belongs(chosen, word->belongs, word->name);
}

static int read_design(arguments *given)
{
    char *end;
    long value = strtol(optarg, &end, 10);

    if (end == optarg || *end || value < 1 || value > 1000)
        return misused("--design: expected a number from 1, not", optarg);
    given->design = value;
    return 0;
}

static int add_artifact(arguments *given)
{
    size_t count = 0;
    const char **list;

    while (given->artifacts && given->artifacts[count])
        count++;
    list = realloc(given->artifacts, (count + 2) * sizeof *list);
    if (!list)
        return misused("out of memory", NULL);
    list[count] = optarg;
    list[count + 1] = NULL;
    given->artifacts = list;
    return 0;
}

static int read_agent(arguments *given)
{
    given->agent = host_kind_named(optarg);
    return given->agent
               ? 0
               : misused("--agent: expected claude, codex, gemini or command, not", optarg);
}

static int read_option(arguments *given, const command *chosen, int option)
{
    if (option >= 0 && option < WORDS)
        return read_word(given, chosen, &words[option]);
    switch (option) {
    case 'd':
        return belongs(chosen, DESIGN, "design") != 0 ? -1 : read_design(given);
    case 'a':
        return belongs(chosen, CHECKPOINT, "artifact") != 0 ? -1 : add_artifact(given);
    case 'c':
        given->compete = 1;
        return belongs(chosen, RUN, "compete");
    case 'f':
        given->force = 1;
        return belongs(chosen, FORCE, "force");
    case 'y':
        given->yes = 1;
        return belongs(chosen, INIT | DECIDE, "yes");
    case 'A':
        return belongs(chosen, INIT, "agent") != 0 ? -1 : read_agent(given);
    case 'j':
        given->json = 1;
        return 0;
    case 'v':
        given->verbose = 1;
        return 0;
    default:
        return misused("the command line is wrong", NULL);
    }
}

static int read_operands(arguments *given, const command *chosen, int count, char **list)
{
    const char **forks[] = {&given->operand, &given->new_id, &given->checkpoint};
    const char **others[] = {&given->operand, &given->checkpoint};
    const char ***places = chosen->run == cmd_fork ? forks : others;
    int index;

    for (index = 0; index < chosen->operands && optind < count; index++)
        *places[index] = list[optind++];
    if (optind < count)
        return misused("too many arguments:", list[optind]);
    return 0;
}

/* 1: help was asked for. */
static int read_arguments(arguments *given, const command *chosen, int count, char **list)
{
    int option;

    while ((option = getopt_long(count, list, "hv", options, NULL)) != -1) {
        if (option == 'h')
            return 1;
        if (read_option(given, chosen, option) != 0)
            return -1;
    }
    return read_operands(given, chosen, count, list);
}

/* ---- the program ---- */

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
    wfsm_error *error;
    int code = END_USAGE;

    if (chosen->run == cmd_doctor || chosen->run == cmd_init)
        return chosen->run(given, NULL);
    if (print_missing_config(given->config))
        return END_USAGE;
    error = wfsm_error_new(NULL);
    if (chosen->options & DRIVES)
        host_signals_count();
    if (settings_read(&with, given->config, error) == WFSM_OK)
        code = chosen->run(given, &with);
    else
        print_error("%s", wfsm_error_message(error));
    settings_clear(&with);
    wfsm_error_free(error);
    return code == END_ABORTED ? END_OTHER : code;
}

static void print_help(void)
{
    shown_fputs(usage, stdout);
    shown_fputs(help, stdout);
}

static int asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

static int run_program(arguments *given, int count, char **list)
{
    const command *chosen = count > 1 ? find_command(list[1]) : NULL;
    int found;

    if (count > 1 && asks_for_help(list[1])) {
        print_help();
        return END_FINE;
    }
    if (count > 1 && strcmp(list[1], "--version") == 0) {
        shown_printf("aigentflow %s\n", wfsm_version());
        return END_FINE;
    }
    if (!chosen) {
        (void)misused(count > 1 ? "no such command:" : "which command?",
                      count > 1 ? list[1] : NULL);
        return END_USAGE;
    }
    found = read_arguments(given, chosen, count - 1, list + 1);
    if (found > 0)
        print_help();
    if (found != 0)
        return found > 0 ? END_FINE : END_USAGE;
    return run_command(chosen, given);
}

int main(int count, char **list)
{
    arguments given = {.config = "aigentflow.toml"};
    int code = run_program(&given, count, list);

    free(given.artifacts);
    return code;
}
