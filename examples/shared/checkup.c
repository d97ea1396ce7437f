#include "checkup.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "program.h"
#include "wfsm/doctor.h"
#include "wfsm/shown.h"

enum { LONGEST_TRY = 120000, MOST_OUTPUT = 4096, LEAST_MIB = 500 };

static void print_json(json_t *made)
{
    if (made)
        shown_json(made, stdout, JSON_COMPACT);
    shown_printf("\n");
    (void)fflush(stdout);
    json_decref(made);
}

void host_checkup_say(host_checkup *self, const char *check, const char *found,
                      const char *advice)
{
    const char *state = advice ? "failed" : "ok";

    self->is_ill = self->is_ill || advice;
    if (self->is_json)
        print_json(json_pack("{s:s, s:s, s:s, s:s?}", "check", check, "state", state, "found",
                             found, "advice", advice));
    else
        shown_printf("%s: %s: %s%s%s\n", check, state, found, advice ? "; " : "",
                     advice ? advice : "");
}

static void say_bad_config(host_checkup *self, const host_needs *needs)
{
    char advice[64], found[PATH_MAX + 64];

    (void)snprintf(advice, sizeof advice, "`%s init` writes one", needs->host);
    (void)snprintf(found, sizeof found, "there is no %s", needs->config);
    if (access(needs->config, F_OK) == 0)
        host_checkup_say(self, "configuration", needs->wrong, "correct it");
    else
        host_checkup_say(self, "configuration", found, advice);
}

/* ---- git ---- */

/* What git prints, on one line; malloc'ed, NULL if it fails. */
static char *ask_git(const char *const *words)
{
    char *text = NULL;
    size_t length;

    if (program_read(words, MOST_OUTPUT, &text, &length, NULL) != 0)
        return NULL;
    text[strcspn(text, "\r\n")] = '\0';
    return text;
}

static int is_old(const char *version)
{
    int major = 0, minor = 0;

    (void)sscanf(version, "git version %d.%d", &major, &minor);
    return major < 2 || (major == 2 && minor < 38);
}

static void say_repository(host_checkup *self, const char *version, const char *project)
{
    const char *words[] = {"git", "-C", project, "rev-parse", "--verify", "-q", "HEAD", NULL};
    char *head = ask_git(words), found[MOST_OUTPUT];

    (void)snprintf(found, sizeof found, "%.100s; %s", version,
                   head ? "the project is a repository"
                        : "no commit has the project yet, so workspaces are copies of it");
    host_checkup_say(self, "git", found, NULL);
    free(head);
}

/* Git, which the workspaces in a project need; and whether it knows the project. */
static void check_git(host_checkup *self, const char *project)
{
    const char *words[] = {"git", "--version", NULL};
    char *version = ask_git(words);

    if (!version)
        host_checkup_say(self, "git", "it is not installed",
                         "install git 2.38 or later, for the workspaces of tasks");
    else if (is_old(version))
        host_checkup_say(self, "git", version,
                         "install git 2.38 or later, which can merge "
                         "without touching files");
    else
        say_repository(self, version, project);
    free(version);
}

/* ---- the disk ---- */

/* The nearest folder that exists. */
static void find_existing(char path[PATH_MAX])
{
    char *slash;

    while (access(path, F_OK) != 0 && (slash = strrchr(path, '/')) && slash > path)
        *slash = '\0';
    if (access(path, F_OK) != 0)
        (void)snprintf(path, PATH_MAX, ".");
}

/* Whether the host may write there, and has room. A folder that is not there yet is that above,
 * which is tried once. */
static void check_disk(host_checkup *self, const char *folder)
{
    char path[PATH_MAX], whole[PATH_MAX], found[PATH_MAX + 64];
    struct statvfs is;
    unsigned long long free_mib;

    (void)snprintf(path, sizeof path, "%s", folder);
    find_existing(path);
    if (realpath(path, whole))
        memcpy(path, whole, sizeof path);
    if (strcmp(path, self->disk) == 0)
        return;
    memcpy(self->disk, path, sizeof path);
    if (access(path, W_OK | X_OK) != 0 || statvfs(path, &is) != 0) {
        (void)snprintf(found, sizeof found, "%s: %s", path, strerror(errno));
        host_checkup_say(self, "disk", found, "let your user write there");
        return;
    }
    free_mib = (unsigned long long)is.f_bavail * is.f_frsize >> 20;
    (void)snprintf(found, sizeof found, "%s: %llu MiB are free", path, free_mib);
    host_checkup_say(
        self, "disk", found,
        free_mib < LEAST_MIB ? "make room: workspaces, logs and the store are there" : NULL);
}

/* ---- agents ---- */

static void say_agent(host_checkup *self, const char *name, const char *kind,
                      const doctor_diagnosis *is)
{
    self->is_ill = self->is_ill || doctor_is_ill(is);
    if (!self->is_json)
        doctor_print(name, kind, is);
    else
        print_json(json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:s?}", "check", name, "kind", kind,
                             "state", is->state, "version", is->version, "found", is->message,
                             "advice", is->advice));
}

/* Agents that differ in nothing that matters are tried once, and each has its line. */
static int try_agents(host_checkup *self, wfsm_agents *agents, const json_t *names,
                      wfsm_error *error)
{
    const char *first = json_string_value(json_array_get(names, 0));
    doctor_diagnosis diagnosis;
    int done = doctor_try(agents, first, LONGEST_TRY, &diagnosis, error);
    size_t index;

    for (index = 0; done && index < json_array_size(names); index++)
        say_agent(self, json_string_value(json_array_get(names, index)),
                  doctor_kind(agents, first), &diagnosis);
    doctor_clear(&diagnosis);
    return done ? 0 : -1;
}

/* What of an agent makes a difference to the attempt: its prompt does not, because the attempt has its own. */
static char *describe(wfsm_agents *agents, const char *name)
{
    static const char *const others[] = {"prompt", "system", "access", "timeout_ms"};
    const char *text = wfsm_agents_describe(agents, name, NULL);
    size_t index;
    json_t *is = text ? json_loads(text, 0, NULL) : NULL;
    char *made;

    for (index = 0; index < sizeof others / sizeof *others; index++)
        (void)json_object_del(is, others[index]);
    made = is ? json_dumps(is, JSON_SORT_KEYS | JSON_COMPACT) : NULL;
    json_decref(is);
    return made;
}

/* The agents by description, so that each is tried once: lists of names. */
static json_t *group(wfsm_agents *agents)
{
    json_t *groups = json_object();
    const char *name;
    size_t index;

    for (index = 0; groups && (name = wfsm_agents_name(agents, index)); index++) {
        char *is = describe(agents, name);
        if (is && !json_object_get(groups, is))
            json_object_set_new(groups, is, json_array());
        if (is)
            json_array_append_new(json_object_get(groups, is), json_string(name));
        free(is);
    }
    return groups;
}

void host_checkup_agents(host_checkup *self, wfsm_agents *agents)
{
    json_t *groups = group(agents), *names;
    wfsm_error *error = wfsm_error_new(NULL);
    const char *is;
    int failed = 0;

    json_object_foreach(groups, is, names) if (!failed) failed =
        try_agents(self, agents, names, error);
    if (failed)
        host_checkup_say(self, "agents", wfsm_error_message(error), "correct that first");
    if (json_object_size(groups) == 0)
        host_checkup_say(self, "agents", "the configuration names none",
                         "say which program or model each role is");
    wfsm_error_free(error);
    json_decref(groups);
}

int host_checkup_needs(host_checkup *self, const host_needs *needs)
{
    if (needs->wrong) {
        say_bad_config(self, needs);
        return CHECKUP_BAD_CONFIG;
    }
    host_checkup_say(self, "configuration", needs->config, NULL);
    if (needs->project)
        check_git(self, needs->project);
    if (needs->worktrees)
        check_disk(self, needs->worktrees);
    check_disk(self, needs->logs);
    if (needs->agents)
        host_checkup_agents(self, needs->agents);
    return self->is_ill ? CHECKUP_ILL : CHECKUP_WELL;
}
