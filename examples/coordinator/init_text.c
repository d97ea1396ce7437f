#include "init_text.h"

#include <stdio.h>
#include <string.h>

#include "shared/kinds.h"

const char *const role_names[ROLES] = {"coder", "reviewer", "tester"};
const char *const ignored_lines[] = {"/coordinator.db", "/coordinator.db-*", "/logs/",
                                     "/worktrees/", NULL};

static const char head[] =
    "# The coordinator's configuration. `coordinator --help` explains the commands.\n"
    "#\n"
    "# {dir} is the folder of this file. Other relative paths are taken from the folder in\n"
    "# which the coordinator is started. Times are milliseconds.\n"
    "\n"
    "# How many rounds (entries of the state build) a run may take.\n"
    "max_rounds = 5\n"
    "\n"
    "# The one SQLite file that holds every task; made when it is missing.\n"
    "store = \"coordinator.db\"\n"
    "\n"
    "# The folder for what agents and commands write, files for each attempt.\n"
    "logs = \"logs\"\n"
    "\n"
    "# Each task has a workspace of its own in this folder: a git worktree, or a copy of a\n"
    "# project that is in no repository. \"shared\": agents work in the project itself, one\n"
    "# task at a time.\n"
    "workspace = \"own\"\n"
    "worktrees = \"worktrees\"\n"
    "\n"
    "# `coordinator clean` removes worktrees, branches and logs of tasks that ended so many\n"
    "# days ago.\n"
    "keep_days = 14\n"
    "\n"
    "# The commands that the tester names. The coordinator runs them in the workspace, as the\n"
    "# user who started it.\n"
    "[commands]\n"
    "timeout_ms = 600000\n"
    "max_output_bytes = 1048576\n";

static const char coding[] = "\n"
                             "[agents.%s]\n"
                             "kind = \"%s\"\n%s"
                             "access = \"%s\"\n"
                             "prompt = \"{dir}/prompts/%s.md\"\n"
                             "timeout_ms = %s\n";

static const char other[] =
    "\n"
    "# A program of your own: it is run without a shell, gets the invocation as one JSON object\n"
    "# on standard input, and answers with one on standard output. Put its command line here.\n"
    "[agents.%s]\n"
    "command = [\"my-%s\"]\n"
    "timeout_ms = %s\n";

static int add_agent(host_text *text, const char *role, const char *kind)
{
    char part[1024];
    int is_coder = strcmp(role, "coder") == 0;
    const char *limit = is_coder ? "1800000" : "900000";

    if (strcmp(kind, "command") == 0)
        (void)snprintf(part, sizeof part, other, role, role, limit);
    else
        (void)snprintf(part, sizeof part, coding, role, kind, host_kind_model(kind),
                       is_coder ? "write" : "read", role, limit);
    return host_text_add(text, part, strlen(part));
}

int init_text_make(host_text *text, const char *const kinds[ROLES])
{
    int index, failed = host_text_add(text, head, strlen(head));

    for (index = 0; index < ROLES && !failed; index++)
        failed = add_agent(text, role_names[index], kinds[index]);
    return failed;
}
