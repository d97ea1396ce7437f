/* aigentflow init: writes what a project needs to be worked on. Nothing is overwritten. */
#include "aigentflow.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/data.h"
#include "shared/doctor.h"
#include "shared/kinds.h"
#include "shared/setup.h"
#include "shared/starters.h"
#include "shared/text.h"
#include "wfsm/shown.h"

/* Who is asked for, and which agents that is. */
static const struct {
    const char *role, *access;
    const char *agents[5];
} parts[] = {
    {"developer",
     "write",
     {"frontend_developer", "backend_developer", "bug_fixer", "merge_resolver", NULL}},
    {"tester", "write", {"tester", NULL}},
    {"reviewer", "read", {"reviewer", NULL}},
    {"adviser (all other agents)", "read", {"default", NULL}},
};
enum { PARTS = sizeof parts / sizeof *parts, MOST_PART = 1024 };

static const char *const ignored_lines[] = {"/aigentflow.db", "/aigentflow.db-*", "/logs/",
                                            "/worktrees/", NULL};

static const char head[] =
    "# aigentflow's configuration. `aigentflow --help` explains the commands.\n"
    "#\n"
    "# {dir} is the folder of this file. Other relative paths are taken from the folder in\n"
    "# which aigentflow is started. Times are milliseconds.\n"
    "\n"
    "# The project. Each task has a git worktree of it, or a copy, in the folder `worktrees`, and so\n"
    "# has each feature of an epic; {worktree} below stands for that. What is made there is brought to\n"
    "# the project when the task is completed. With \"shared\" it is made in the project itself.\n"
    "project = \".\"\n"
    "worktrees = \"worktrees\"\n"
    "workspace = \"own\"\n"
    "\n"
    "# The one SQLite file that holds every task, and the folder for what agents write.\n"
    "store = \"aigentflow.db\"\n"
    "logs = \"logs\"\n"
    "\n"
    "# Fixes after failed tests before a person is asked, and how often agents are put to work.\n"
    "max_retries = 3\n"
    "max_agent_runs = 30\n"
    "\n"
    "# `aigentflow clean` removes worktrees, branches and logs of what ended so many days ago.\n"
    "keep_days = 7\n";

/* ---- which programs ---- */

static int ask_all(const char *kinds[PARTS])
{
    const char *usual = host_kind_installed();
    int index;

    for (index = 0; index < (int)PARTS; index++) {
        kinds[index] = host_kind_ask(parts[index].role, usual);
        if (!kinds[index])
            return END_USAGE;
        usual = kinds[index];
    }
    return END_FINE;
}

static int choose(const arguments *given, const char *kinds[PARTS])
{
    int index, asks = !given->agent && !given->yes;

    if (asks && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
        return ask_all(kinds);
    if (asks) {
        print_error("there is no terminal to ask at: expected --yes, or --agent claude, codex, "
                    "gemini or command");
        return END_USAGE;
    }
    for (index = 0; index < (int)PARTS; index++)
        kinds[index] = given->agent ? given->agent : host_kind_installed();
    return END_FINE;
}

/* ---- the configuration ---- */

static int add(host_text *text, const char *more)
{
    return host_text_add(text, more, strlen(more));
}

static int add_agent(host_text *text, const char *name, const char *kind, const char *access)
{
    char part[MOST_PART];

    if (strcmp(kind, "command") == 0)
        (void)snprintf(part, sizeof part,
                       "\n# A program of your own: doc/process-agents.md says what it gets.\n"
                       "[agents.%s]\ncommand = [\"my-%s\"]\n",
                       name, name);
    else
        (void)snprintf(part, sizeof part,
                       "\n[agents.%s]\nkind = \"%s\"\n%saccess = \"%s\"\n"
                       "prompt = \"{dir}/prompts/agent.md\"\nfolder = \"{worktree}\"\n"
                       "timeout_ms = 1800000\n",
                       name, kind, host_kind_model(kind), access);
    return add(text, part);
}

/* Commits what agents have left in the worktree of a feature, and merges the features. */
static int add_git_agent(host_text *text)
{
    char *program = host_data_path("aigentflow", "agents/git_agent.py");
    int failed = 0;

    if (program)
        failed = add(text, "\n# Commits and merges the features of an epic.\n"
                           "[agents.git_agent]\ncommand = [\"python3\", \"-B\", \"") ||
                 add(text, program) || add(text, "\"]\n");
    free(program);
    return failed;
}

static int make_text(host_text *text, const char *const kinds[PARTS])
{
    int index, number, failed = add(text, head);

    for (index = 0; index < (int)PARTS; index++)
        for (number = 0; !failed && parts[index].agents[number]; number++)
            failed =
                add_agent(text, parts[index].agents[number], kinds[index], parts[index].access);
    return failed ? failed : add_git_agent(text);
}

static int write_configuration(const arguments *given)
{
    const char *kinds[PARTS];
    host_text text = {.data = NULL};
    host_error why = {"out of memory"};
    int is_there = access(given->config, F_OK) == 0, code = END_FINE, done;

    if (!is_there)
        code = choose(given, kinds);
    if (code != END_FINE)
        return code;
    done = is_there ? 0 : make_text(&text, kinds);
    if (done == 0)
        done = host_setup_write(given->config, text.data, text.length, &why);
    if (is_there)
        host_kind_unused(given->agent, given->config);
    host_text_free(&text);
    return done == 0 ? END_FINE : host_failed(&why);
}

/* ---- the end ---- */

static int examine(const arguments *given)
{
    settings with;
    wfsm_error *error = wfsm_error_new(NULL);
    int is_well = -1;

    shown_printf("\n");
    if (settings_read(&with, given->config, error) == WFSM_OK)
        is_well = host_doctor(with.agents);
    if (is_well < 0)
        print_error("%s", wfsm_error_message(error));
    else
        shown_printf("\n%s\n    aigentflow run \"…\"\n",
                     is_well ? "Next:" : "When that is done (`aigentflow doctor`):");
    settings_clear(&with);
    wfsm_error_free(error);
    return is_well < 0 ? END_USAGE : is_well ? END_FINE : END_OTHER;
}

static int init(const arguments *given)
{
    host_error why;
    int code = write_configuration(given);

    if (code != END_FINE)
        return code;
    if (host_setup_starters(starter_texts, "aigentflow", given->config, &why) != 0 ||
        host_setup_ignore(ignored_lines, &why) != 0)
        return host_failed(&why);
    return examine(given);
}

int cmd_init(const arguments *given, const settings *unread)
{
    int aside = given->json ? host_setup_aside() : -1, code = init(given);

    (void)unread;
    if (given->json)
        host_setup_tell(aside, given->config, code == END_FINE);
    return code;
}
