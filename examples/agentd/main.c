/* agentd: spec-driven development, from plan to archive. */
#include "agentd.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "place.h"
#include "shared/kinds.h"
#include "shared/signals.h"
#include "shared/text.h"
#include "wfsm/shown.h"

static const char usage[] =
    "usage: agentd plan ID [\"DESCRIPTION\"] [--again] [--overwrite]\n"
    "       agentd impl ID [--review] [--accept] [--overwrite]\n"
    "       agentd archive ID [--accept] [--overwrite]\n"
    "       agentd approve ID [\"REASON\"] [--yes]\n"
    "       agentd reject ID \"REASON\" [--yes]\n"
    "       agentd resume ID\n"
    "       agentd restore ID --before NAME | --at REVISION\n"
    "       agentd fork ID NEW-ID --before NAME | --at REVISION\n"
    "       agentd status [ID] [--json]\n"
    "       agentd list [--json]\n"
    "       agentd log ID [--json]\n"
    "       agentd diff ID [--json]\n"
    "       agentd clean [ID] [--json]\n"
    "       agentd graph [lifecycle | plan | impl | ID] [--json]\n"
    "       agentd mcp [ID]\n"
    "       agentd doctor [--json]\n"
    "       agentd init [--skills] [--yes | --agent claude | codex | gemini | command] [--json]\n"
    "       agentd --version\n"
    "\n";

static const char help[] =
    "Has agents write, challenge, implement and review a change to a project. Each command\n"
    "knows the state of the change and continues from there. To continue a command that was\n"
    "stopped or killed, run it again.\n"
    "\n"
    "  plan     has a proposal written and challenged, until it is approved\n"
    "  impl     has the change implemented and reviewed, until it is approved\n"
    "  archive  applies the change's specs to the project, and moves it to agentd/archive\n"
    "  approve  shows what there is to decide on, the proposal or the diff, and records your\n"
    "           approval\n"
    "  reject   the same; the agents get your reason, and begin again from there\n"
    "  resume   continues what was stopped or killed; the command that began it does so, too\n"
    "  restore  takes a change back to an earlier revision, with what agentd wrote and the code in\n"
    "           its workspace; a file that a person has edited stays, and counts as edited\n"
    "  fork     begins a new change there, with a copy of the documents\n"
    "  status   shows the state of a change, or of all changes\n"
    "  list     lists all changes, also the archived ones\n"
    "  log      shows what agents and checks write, as it comes, until the change is at rest\n"
    "  diff     shows what the change's specs would change in agentd/specs, and what its code\n"
    "           changes in the project\n"
    "  clean    removes the logs of changes that were archived keep_days ago (see the\n"
    "           configuration), or those of one change now\n"
    "  graph    draws a workflow, or the life of a change, as a Mermaid diagram\n"
    "  mcp      serves the Model Context Protocol on standard input and output: tools that read\n"
    "           changes, and by which the proposer writes its files; with ID of one change only\n"
    "  doctor   tries what a change needs: the configuration, git, the disk and each agent, which\n"
    "           costs a few tokens; says in one line each what is wrong and what to do\n"
    "  init     makes the folder agentd with a commented configuration; asks at a terminal which\n"
    "           programs are the agents, and tries them; files that exist stay as they are\n"
    "\n"
    "  --again      challenges a proposal again that was decided on\n"
    "  --review     reviews an implementation again\n"
    "  --accept     a document that was edited since its challenge counts as approved\n"
    "  --overwrite  allows replacing files that a person has edited, and a spec of the same\n"
    "               name\n"
    "  --yes        records the decision without asking at a terminal; of init: the coding\n"
    "               agent that is installed\n"
    "  --agent KIND of init: this one for all roles\n"
    "  --before NAME the revision before this agent was last asked, this event taken, or this\n"
    "               state entered\n"
    "  --at REVISION this revision\n"
    "  --json       prints JSON objects, one a line: each change, each part of diff and log, the\n"
    "               diagram; plan, impl, archive, approve, reject, resume, restore and fork take\n"
    "               it, too: messages for people then go to standard error, and at the end the\n"
    "               change is printed; errors are text on standard error; mcp speaks JSON without it\n"
    "  --skills     also writes the skills for coding assistants\n"
    "\n"
    "Exit codes: 0 done; 1 a person is needed, and the phase is unchanged; 2 the command line\n"
    "or the configuration is wrong; 3 the store or a file caused an error; 4 refused in this\n"
    "phase, or because something would be lost; 5 rejected; 6 another process works on the\n"
    "change; 7 a person has to approve or to reject; 130 stopped by a signal.\n";

enum {
    AGAIN = 1,
    REVIEW = 2,
    ACCEPT = 4,
    OVERWRITE = 8,
    SKILLS = 16,
    YES = 32,
    JSON = 64,
    BACK = 256,
    DRIVES = 512 /* a signal pauses it */
};
/* Of a command that is for people: with --json it prints the change at its end. */
enum { AT_END = 128 | JSON };

typedef struct command {
    const char *name;
    int (*run)(const arguments *given);
    enum { NO_ID, MAY_HAVE_ID, NEEDS_ID, NEEDS_ID_AND_MORE, NEEDS_TWO_IDS } operand;
    int options;
} command;

static const command commands[] = {
    {"plan", cmd_plan, NEEDS_ID_AND_MORE, AGAIN | OVERWRITE | AT_END | DRIVES},
    {"impl", cmd_impl, NEEDS_ID, REVIEW | ACCEPT | OVERWRITE | AT_END | DRIVES},
    {"archive", cmd_archive, NEEDS_ID, ACCEPT | OVERWRITE | AT_END | DRIVES},
    {"approve", cmd_approve, NEEDS_ID_AND_MORE, YES | AT_END},
    {"reject", cmd_reject, NEEDS_ID_AND_MORE, YES | AT_END},
    {"resume", cmd_resume, NEEDS_ID, AT_END | DRIVES},
    {"restore", cmd_restore, NEEDS_ID, BACK | AT_END},
    {"fork", cmd_fork, NEEDS_TWO_IDS, BACK | AT_END},
    {"status", cmd_status, MAY_HAVE_ID, JSON},
    {"list", cmd_list, NO_ID, JSON},
    {"log", cmd_log, NEEDS_ID, JSON},
    {"clean", cmd_clean, MAY_HAVE_ID, JSON},
    {"diff", cmd_diff, NEEDS_ID, JSON},
    {"graph", cmd_graph, MAY_HAVE_ID, JSON},
    {"mcp", cmd_mcp, MAY_HAVE_ID, 0},
    {"doctor", cmd_doctor, NO_ID, JSON},
    {"init", cmd_init, NO_ID, SKILLS | YES | JSON},
};

/* Earlier commands, and two names of the old diagrams. */
static const struct {
    const char *name, *instead, *why;
} removed[] = {
    {"proposal", "plan", "runs the proposal itself"},
    {"challenge", "plan", "runs the challenge itself"},
    {"reproposal", "plan", "runs reproposals itself"},
    {"review", "impl", "runs the review itself (--review: once more)"},
    {"resolve-reviews", "impl", "runs resolutions itself"},
    {"plan-change", "plan", "is its name"},
    {"merge-change", "archive", "is its name"},
};

void print_error(const char *format, ...)
{
    va_list list;

    (void)fflush(stdout);
    shown_fputs("agentd: ", stderr);
    va_start(list, format);
    shown_vfprintf(stderr, format, list);
    va_end(list);
    shown_fputs("\n", stderr);
}

int host_failed(const host_error *error, int code)
{
    print_error("%s", error->message);
    return code;
}

int library_failed(const char *what, const wfsm_error *error)
{
    print_error("%s: %s", what, wfsm_error_message(error));
    return END_STORE;
}

static int misused(const char *what, const char *which)
{
    print_error("%s%s%s; see --help", what, which ? " " : "", which ? which : "");
    return -1;
}

static int read_option(arguments *given, const command *chosen, int option)
{
    int *const flags[] = {&given->again,  &given->again, &given->accept, &given->overwrite,
                          &given->skills, &given->yes,   &given->json};
    int index;

    for (index = 0; index < 7; index++)
        if (option == 1 << index) {
            *flags[index] = 1;
            return chosen->options & option ? 0
                                            : misused("this option is not for", chosen->name);
        }
    return misused("the command line is wrong", NULL);
}

static int read_agent(arguments *given, const command *chosen)
{
    if (chosen->run != cmd_init)
        return misused("this option is not for", chosen->name);
    given->agent = host_kind_named(optarg);
    return given->agent
               ? 0
               : misused("--agent: expected claude, codex, gemini or command, not", optarg);
}

static int read_point(arguments *given, const command *chosen, int option)
{
    if ((chosen->options & BACK) == 0)
        return misused("--before and --at are not for", chosen->name);
    if (option == 'b')
        given->back.before = optarg;
    else
        given->back.at = optarg;
    return 0;
}

static int read_operands(arguments *given, const command *chosen, int count, char **list)
{
    if (optind < count && chosen->operand != NO_ID)
        given->id = list[optind++];
    if (optind < count && chosen->operand == NEEDS_ID_AND_MORE)
        given->description = list[optind++];
    if (optind < count && chosen->operand == NEEDS_TWO_IDS)
        given->new_id = list[optind++];
    if (optind < count)
        return misused("too many arguments:", list[optind]);
    if (chosen->operand >= NEEDS_ID && !given->id)
        return misused("expected the id of a change after", chosen->name);
    if (chosen->operand == NEEDS_TWO_IDS && !given->new_id)
        return misused("expected the id of the new change after", given->id);
    return 0;
}

static int read_any(arguments *given, const command *chosen, int option)
{
    if (option == 'a')
        return read_agent(given, chosen);
    if (option == 'b' || option == 'r')
        return read_point(given, chosen, option);
    return read_option(given, chosen, option);
}

/* 1: help was asked for. */
static int read_arguments(arguments *given, const command *chosen, int count, char **list)
{
    static const struct option options[] = {
        {"again", no_argument, NULL, AGAIN},      {"review", no_argument, NULL, REVIEW},
        {"accept", no_argument, NULL, ACCEPT},    {"overwrite", no_argument, NULL, OVERWRITE},
        {"skills", no_argument, NULL, SKILLS},    {"yes", no_argument, NULL, YES},
        {"agent", required_argument, NULL, 'a'},  {"json", no_argument, NULL, JSON},
        {"before", required_argument, NULL, 'b'}, {"at", required_argument, NULL, 'r'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
    int option;

    while ((option = getopt_long(count, list, "h", options, NULL)) != -1) {
        if (option == 'h')
            return 1;
        if (read_any(given, chosen, option) != 0)
            return -1;
    }
    return read_operands(given, chosen, count, list);
}

static const command *find_command(const char *name)
{
    size_t index;

    for (index = 0; index < sizeof commands / sizeof *commands; index++)
        if (strcmp(commands[index].name, name) == 0)
            return &commands[index];
    return NULL;
}

static int answer_removed(const char *name)
{
    size_t index;

    for (index = 0; index < sizeof removed / sizeof *removed; index++)
        if (strcmp(removed[index].name, name) == 0) {
            print_error("there is no '%s' any more: `agentd %s` %s", name,
                        removed[index].instead, removed[index].why);
            return END_USAGE;
        }
    (void)misused("no such command:", name);
    return END_USAGE;
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

/* Outside a project there is no change to print. */
static int is_in_project(void)
{
    place at;
    host_error why;
    int is = place_look(&at, &why) == END_DONE;

    place_clear(&at);
    return is;
}

/* Standard output has only what is for programs. */
static int run_for_programs(const command *chosen, const arguments *given)
{
    const arguments end = {.id = given->new_id ? given->new_id : given->id, .json = 1};
    int out, code, printed;

    if (!is_in_project())
        return chosen->run(given);
    out = dup(STDOUT_FILENO);
    if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        print_error("standard output cannot be used");
        return END_STORE;
    }
    code = chosen->run(given);
    (void)fflush(stdout);
    (void)dup2(out, STDOUT_FILENO);
    (void)close(out);
    printed = cmd_status(&end);
    return code == END_DONE ? printed : code;
}

int main(int count, char **list)
{
    arguments given = {.id = NULL};
    const command *chosen = count > 1 ? find_command(list[1]) : NULL;
    int found;

    if (count > 1 && asks_for_help(list[1])) {
        print_help();
        return END_DONE;
    }
    if (count > 1 && strcmp(list[1], "--version") == 0) {
        shown_printf("agentd %s\n", wfsm_version());
        return END_DONE;
    }
    if (count < 2)
        (void)misused("which command?", NULL);
    if (!chosen)
        return count > 1 ? answer_removed(list[1]) : END_USAGE;
    found = read_arguments(&given, chosen, count - 1, list + 1);
    if (found > 0)
        print_help();
    if (found != 0)
        return found > 0 ? END_DONE : END_USAGE;
    if (chosen->options & DRIVES)
        host_signals_count();
    return given.json && (chosen->options & AT_END) == AT_END ? run_for_programs(chosen, &given)
                                                              : chosen->run(&given);
}
