/* agentd init: makes the folder agentd with the files that people edit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agentd.h"
#include "config.h"
#include "durable.h"
#include "ids.h"
#include "skills.h"
#include "shared/doctor.h"
#include "shared/files.h"
#include "shared/kinds.h"
#include "shared/setup.h"
#include "shared/text.h"
#include "wfsm/shown.h"

static const char ignored[] =
    "# What agentd keeps for itself: its store, logs of agents, workspaces.\n"
    "/.state/\n/.archiving/\n/.worktrees/\n";

enum { CONFIG_MOST = 1 << 20 };

static int make_folder(const project *in, const char *below)
{
    host_error why;
    char *path = project_path(in, below, &why);
    int done = path ? durable_folder(path, &why) : -1;

    free(path);
    return done == 0 ? END_DONE : host_failed(&why, END_STORE);
}

/* An existing file stays as it is. */
static int make_file(const project *in, const char *below, const char *text)
{
    host_error why;
    char *path = project_path(in, below, &why);
    int done = path ? 0 : -1;

    if (path && access(path, F_OK) == 0) {
        shown_printf("%s: exists already\n", below);
    } else if (path) {
        done = durable_write(path, text, strlen(text), &why);
        if (done == 0)
            shown_printf("%s: written\n", below);
    }
    free(path);
    return done == 0 ? END_DONE : host_failed(&why, END_STORE);
}

/* Writes a malloc'ed text, and makes the folders above it. */
static int make_given(const project *in, const char *below, char *text, const host_error *why)
{
    char *folder = text ? strndup(below, (size_t)(strrchr(below, '/') - below)) : NULL;
    int code = folder ? make_folder(in, folder) : host_failed(why, END_STORE);

    if (code == END_DONE)
        code = make_file(in, below, text);
    free(folder);
    free(text);
    return code;
}

static int make_prompts(const project *in)
{
    host_error why = {"out of memory"};
    int number, code = END_DONE;

    for (number = 0; code == END_DONE && number < PROMPT_FILES; number++)
        code = make_given(in, prompt_file_path(number), prompt_file_text(number, &why), &why);
    return code;
}

static int make_skills(const project *in)
{
    host_error why = {"out of memory"};
    int number, code = END_DONE;

    for (number = 0; code == END_DONE && number < SKILL_FILES; number++)
        code = make_given(in, skill_file_path(number), skill_file_text(number, &why), &why);
    return code;
}

/* ---- who does the work ---- */

static const char *const roles[] = {"proposer", "challenger", "implementer", "reviewer"};
enum { ROLES = sizeof roles / sizeof *roles };

/* 0: nobody has said which programs; -1: nobody answers. */
static int choose(const arguments *given, const char *kinds[ROLES])
{
    int asks = !given->agent && !given->yes, index;
    const char *kind = given->agent ? given->agent : host_kind_installed();

    if (asks && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
        return 0;
    for (index = 0; index < (int)ROLES; index++) {
        if (asks)
            kind = host_kind_ask(roles[index], kind);
        if (!kind)
            return -1;
        kinds[index] = kind;
    }
    return 1;
}

static int add_agent(host_text *text, const char *role, const char *kind)
{
    char part[512];
    int writes = strcmp(role, "implementer") == 0;

    if (strcmp(kind, "command") == 0)
        (void)snprintf(part, sizeof part, "\n[agents.%s]\ncommand = [\"my-%s\"]\n", role, role);
    else
        (void)snprintf(part, sizeof part,
                       "\n[agents.%s]\nkind = \"%s\"\n%saccess = \"%s\"\n"
                       "prompt = \"{dir}/prompts/%s.md\"\ntimeout_ms = %s\n",
                       role, kind, host_kind_model(kind), writes ? "write" : "read", role,
                       writes ? "7200000" : "1800000");
    return host_text_add(text, part, strlen(part));
}

static int make_configuration(const project *in, const char *const kinds[ROLES], int chosen)
{
    static const char begins[] = "\n# What `agentd init` was told:\n";
    host_text text = {.data = NULL};
    int index, code = END_STORE;
    int failed = host_text_add(&text, agentd_config_text, strlen(agentd_config_text));

    if (chosen && !failed)
        failed = host_text_add(&text, begins, strlen(begins));
    for (index = 0; chosen && index < (int)ROLES && !failed; index++)
        failed = add_agent(&text, roles[index], kinds[index]);
    if (!failed)
        code = make_file(in, "agentd/config.toml", text.data);
    host_text_free(&text);
    return code;
}

/* Written by an `init` that was told of no agents, and not edited since. */
static int is_bare(const char *path)
{
    char *text = NULL;
    size_t length;
    int is_same = host_file_read(path, CONFIG_MOST, &text, &length, NULL) == 0 &&
                  strcmp(text, agentd_config_text) == 0;

    free(text);
    return is_same;
}

/* A bare one makes place for the agents that are told now. */
static int is_configured(const project *in, const arguments *given)
{
    char *path = project_path(in, "agentd/config.toml", NULL);
    int is_there = path && access(path, F_OK) == 0;

    if (is_there && (given->agent || given->yes) && is_bare(path))
        is_there = unlink(path) != 0;
    free(path);
    return is_there;
}

static int configure(const project *in, const arguments *given)
{
    const char *kinds[ROLES];
    int is_there = is_configured(in, given), chosen = is_there ? 0 : choose(given, kinds);
    int code = chosen < 0 ? END_USAGE : make_configuration(in, kinds, chosen);

    if (is_there)
        host_kind_unused(given->agent, "agentd/config.toml");
    return code;
}

/* Says which of them are missing, or cannot be used. */
static int has_all_roles(const agentd_config *read)
{
    host_error why;
    agent_role role;
    int all = 1;

    for (role = 0; role <= ROLE_REVIEWER; role++)
        if (agentd_config_need(read, role, &why) != 0) {
            shown_printf("%s: failed: %s\n", agent_role_name(role), why.message);
            all = 0;
        }
    return all;
}

/* A configuration without agents says nothing yet. *named: whether there is one. */
static int examine(const project *in, int *named)
{
    host_error why;
    agentd_config read = {0};
    char *path = project_path(in, "agentd/config.toml", &why);
    int is_well = 1;

    *named = 0;
    if (path && agentd_config_read(&read, path, &why) == 0) {
        *named = wfsm_agents_name(read.agents, 0) != NULL;
        is_well = host_doctor(read.agents);
        if (*named && !has_all_roles(&read))
            is_well = 0;
    }
    agentd_config_clear(&read);
    free(path);
    return is_well ? END_DONE : END_PERSON;
}

static int make_all(const project *in, const arguments *given)
{
    static const char *const folders[] = {"agentd/changes", "agentd/specs", "agentd/archive"};
    size_t index;
    int code = END_DONE;

    for (index = 0; code == END_DONE && index < sizeof folders / sizeof *folders; index++)
        code = make_folder(in, folders[index]);
    if (code == END_DONE)
        code = configure(in, given);
    if (code == END_DONE)
        code = make_file(in, "agentd/.gitignore", ignored);
    return code == END_DONE ? make_prompts(in) : code;
}

static void tell_next(int named, int is_well)
{
    if (!named)
        shown_printf("Next: name the agents in agentd/config.toml (or: agentd init --agent "
                     "KIND), then: agentd doctor\n");
    else
        shown_printf("%s: agentd plan ID \"…\"\n",
                     is_well ? "Next" : "When that is done (agentd doctor tries it again)");
}

static int init(const arguments *given, int *ready)
{
    project in;
    host_error why;
    int code = END_DONE, named = 0;

    if (project_at(&in, ".", &why) != 0)
        code = host_failed(&why, END_STORE);
    if (code == END_DONE)
        code = make_all(&in, given);
    if (code == END_DONE && given->skills)
        code = make_skills(&in);
    if (code == END_DONE)
        code = examine(&in, &named);
    if (code == END_DONE || code == END_PERSON)
        tell_next(named, code == END_DONE);
    *ready = code == END_DONE && named;
    project_clear(&in);
    return code;
}

int cmd_init(const arguments *given)
{
    int ready = 0, aside = given->json ? host_setup_aside() : -1;
    int code = init(given, &ready);

    if (given->json)
        host_setup_tell(aside, "agentd/config.toml", ready);
    return code;
}
