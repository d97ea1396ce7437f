#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_ITERATIONS = 100,
    MOST_DAYS = 36500,
    MOST_MS = 24 * 60 * 60 * 1000,
    MOST_BYTES = 1 << 30
};

static const char *const role_names[AGENT_ROLES] = {"proposer", "challenger", "implementer",
                                                    "reviewer"};
static const char *const standard_sections[] = {"Why", "What Changes", "Impact", NULL};

const char *agent_role_name(agent_role role)
{
    return role_names[role];
}

static int32_t read_version(wfsm_table *root, wfsm_error *error)
{
    int64_t version = AGENTD_CONFIG_VERSION;
    char text[100];
    int32_t status = wfsm_table_int(root, "version", INT64_MIN, INT64_MAX, &version, error);

    if (status != WFSM_OK || version == AGENTD_CONFIG_VERSION)
        return status;
    (void)snprintf(text, sizeof text,
                   "expected %d, the version that this agentd reads, found %lld",
                   (int)AGENTD_CONFIG_VERSION, (long long)version);
    return wfsm_table_fail(root, "version", text, error);
}

/* *table stays NULL if there is no table of this name. */
static int32_t open_table(const agentd_config *read, const char *name, wfsm_table **table,
                          wfsm_error *error)
{
    *table = NULL;
    return wfsm_table_table(wfsm_settings_root(read->file), name, table, error);
}

static int32_t read_workspace(agentd_config *read, wfsm_table *table, wfsm_error *error)
{
    const char *kind = "own";
    int32_t status = wfsm_table_string(table, "workspace", &kind, error);

    read->is_shared = strcmp(kind, "shared") == 0;
    if (status != WFSM_OK || read->is_shared || strcmp(kind, "own") == 0)
        return status;
    return wfsm_table_fail(table, "workspace", "expected \"own\" or \"shared\"", error);
}

static int32_t read_workflow(agentd_config *read, wfsm_error *error)
{
    wfsm_table *table;
    int32_t status = open_table(read, "workflow", &table, error);

    read->planning_iterations = read->implementation_iterations = 2;
    read->sequential_implementation = 1;
    if (status == WFSM_OK && table)
        status = wfsm_table_int(table, "planning_iterations", 0, MOST_ITERATIONS,
                                &read->planning_iterations, error);
    if (status == WFSM_OK && table)
        status = wfsm_table_int(table, "implementation_iterations", 0, MOST_ITERATIONS,
                                &read->implementation_iterations, error);
    if (status == WFSM_OK && table)
        status = wfsm_table_bool(table, "sequential_implementation",
                                 &read->sequential_implementation, error);
    if (status == WFSM_OK && table)
        status = read_workspace(read, table, error);
    return status;
}

/* A heading is one line without blanks around it. */
static int is_section(const char *name)
{
    size_t length = strlen(name);

    return length > 0 && length <= 200 && name[0] != '#' && !strchr(" \t", name[0]) &&
           !strchr(" \t:#", name[length - 1]) && !strpbrk(name, "\r\n");
}

static int32_t read_sections(agentd_config *read, wfsm_error *error)
{
    static const char key[] = "required_sections";
    char text[400];
    wfsm_table *table;
    size_t index;
    int32_t status = open_table(read, "proposal", &table, error);

    read->required_sections = standard_sections;
    if (status == WFSM_OK && table)
        status = wfsm_table_strings(table, key, &read->required_sections, NULL, error);
    for (index = 0; status == WFSM_OK && read->required_sections[index]; index++)
        if (!is_section(read->required_sections[index])) {
            (void)snprintf(text, sizeof text,
                           "expected the words of a heading, without '#', ':' at the end, and "
                           "blanks around them, found '%.200s'",
                           read->required_sections[index]);
            status = wfsm_table_fail(table, key, text, error);
        }
    return status;
}

static int32_t read_command(wfsm_table *table, const char *key, const char *const **command,
                            wfsm_error *error)
{
    int32_t status = wfsm_table_strings(table, key, command, NULL, error);

    if (status != WFSM_OK || !*command || !(*command)[0] || (*command)[0][0])
        return status;
    return wfsm_table_fail(table, key, "expected a program, found an empty text", error);
}

static int32_t read_checks(agentd_config *read, wfsm_error *error)
{
    int64_t output = 1 << 20;
    wfsm_table *table;
    int32_t status = open_table(read, "checks", &table, error);

    read->check_timeout = 30 * 60 * 1000;
    if (status == WFSM_OK && table)
        status = read_command(table, "test", &read->test, error);
    if (status == WFSM_OK && table)
        status = read_command(table, "scan", &read->scan, error);
    if (status == WFSM_OK && table)
        status = wfsm_table_int(table, "timeout_ms", 1, MOST_MS, &read->check_timeout, error);
    if (status == WFSM_OK && table)
        status = wfsm_table_int(table, "max_output_bytes", 1, MOST_BYTES, &output, error);
    if (status == WFSM_OK && table)
        status = wfsm_table_strings(table, "pass_env", &read->check_env, NULL, error);
    if (status == WFSM_OK && table)
        status = wfsm_table_strings(table, "ignore", &read->ignored, NULL, error);
    read->check_output = (size_t)output;
    return status;
}

static int is_role(const char *name)
{
    int role;

    for (role = 0; role < AGENT_ROLES; role++)
        if (strcmp(role_names[role], name) == 0)
            return 1;
    return 0;
}

/* Checks names first: an unknown table is the error, not something inside it. */
static int32_t check_role_names(const agentd_config *read, wfsm_error *error)
{
    wfsm_table *table;
    const char *name;
    size_t index;
    int32_t status = open_table(read, "agents", &table, error);

    for (index = 0; status == WFSM_OK && (name = wfsm_table_key(table, index)); index++)
        if (!is_role(name))
            status = wfsm_table_fail(
                table, name, "expected proposer, challenger, implementer or reviewer", error);
    return status;
}

static int32_t read_all(agentd_config *read, wfsm_error *error)
{
    int32_t status = wfsm_agents_new(&read->agents, error);

    if (status == WFSM_OK)
        status = wfsm_settings_open(&read->file, read->path, error);
    if (status == WFSM_OK)
        status = read_version(wfsm_settings_root(read->file), error);
    read->keep_days = 14;
    if (status == WFSM_OK)
        status = wfsm_table_int(wfsm_settings_root(read->file), "keep_days", 0, MOST_DAYS,
                                &read->keep_days, error);
    if (status == WFSM_OK)
        status = read_workflow(read, error);
    if (status == WFSM_OK)
        status = read_sections(read, error);
    if (status == WFSM_OK)
        status = read_checks(read, error);
    if (status == WFSM_OK)
        status = check_role_names(read, error);
    if (status == WFSM_OK)
        status = wfsm_agents_load(read->agents, read->file, error);
    return status == WFSM_OK ? wfsm_settings_check(read->file, error) : status;
}

static int fail_to_read(const char *path, const wfsm_error *why, host_error *error)
{
    (void)host_fail_wfsm(error, why);
    if (access(path, F_OK) == 0 || errno != ENOENT)
        return -1;
    return host_fail(error, "%s: No such file; `agentd init` writes one", path);
}

int agentd_config_read(agentd_config *read, const char *path, host_error *error)
{
    wfsm_error *why = wfsm_error_new(NULL);
    int done = -1;

    memset(read, 0, sizeof *read);
    read->path = path;
    if (!why)
        return host_fail(error, "out of memory");
    if (read_all(read, why) == WFSM_OK)
        done = 0;
    else
        (void)fail_to_read(path, why, error);
    wfsm_error_free(why);
    return done;
}

void agentd_config_clear(agentd_config *read)
{
    wfsm_agents_free(read->agents);
    wfsm_settings_free(read->file);
    memset(read, 0, sizeof *read);
}

/* An agent's settings as JSON; NULL if there is no such agent. */
static json_t *describe(const agentd_config *from, agent_role role)
{
    size_t length;
    const char *text = wfsm_agents_describe(from->agents, role_names[role], &length);

    return text ? json_loadb(text, length, 0, NULL) : NULL;
}

static int same_agent(const agentd_config *from, agent_role one, agent_role other)
{
    static const char *const keys[] = {"type",     "command", "prompt",
                                       "base_url", "model",   "system"};
    json_t *left = describe(from, one), *right = describe(from, other);
    size_t index;
    int same = left && right;

    for (index = 0; same && index < sizeof keys / sizeof *keys; index++) {
        const json_t *a = json_object_get(left, keys[index]);
        const json_t *b = json_object_get(right, keys[index]);
        same = a == b || json_equal(a, b);
    }
    json_decref(left);
    json_decref(right);
    return same;
}

/* The kernel limits an argument to 128 KiB, and every user of the machine can read it. */
static int has_prompt_argument(const agentd_config *from, agent_role role)
{
    json_t *is = describe(from, role), *word;
    size_t index;
    int found = 0;

    json_array_foreach(json_object_get(is, "command"), index,
                       word) if (strstr(json_string_value(word), "{prompt}")) found = 1;
    json_decref(is);
    return found;
}

int agentd_config_need(const agentd_config *from, agent_role role, host_error *error)
{
    if (!wfsm_agents_describe(from->agents, role_names[role], NULL))
        return host_fail(error, "%s: [agents.%s] is missing: say which program or model it is",
                         from->path, role_names[role]);
    if (has_prompt_argument(from, role))
        return host_fail(error,
                         "%s: [agents.%s] command: a prompt may be too long for an argument; "
                         "without {prompt} it comes on standard input",
                         from->path, role_names[role]);
    if (role == ROLE_CHALLENGER && same_agent(from, role, ROLE_PROPOSER))
        return host_fail(error,
                         "%s: [agents.challenger] is the proposer again: a proposal is "
                         "challenged by another agent, or with another prompt",
                         from->path);
    return 0;
}
