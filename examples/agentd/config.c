#include "config.h"

#include <string.h>

#include "agents/http_config.h"

enum { MOST_ITERATIONS = 100, MOST_MS = 24 * 60 * 60 * 1000, MOST_BYTES = 1 << 30 };

static const char *const role_names[AGENT_ROLES] = {"proposer", "challenger", "implementer",
                                                    "reviewer"};
static const char *const standard_sections[] = {"Why", "What Changes", "Impact", NULL};

const char *agent_role_name(agent_role role)
{
    return role_names[role];
}

static int read_version(wfa_table *root, wfa_error *error)
{
    int64_t version;

    if (wfa_table_int(root, "version", AGENTD_CONFIG_VERSION, INT64_MIN, INT64_MAX, &version,
                      error) != 0)
        return -1;
    if (version == AGENTD_CONFIG_VERSION)
        return 0;
    return wfa_table_fail(root, "version", error,
                          "expected %d, the version that this agentd reads, found %lld",
                          (int)AGENTD_CONFIG_VERSION, (long long)version);
}

static int read_workflow(agentd_config *read, wfa_error *error)
{
    wfa_table *table;

    read->planning_iterations = read->implementation_iterations = 2;
    read->sequential_implementation = 1;
    if (wfa_table_table(wfa_config_root(read->config), "workflow", &table, error) != 0)
        return -1;
    if (!table)
        return 0;
    if (wfa_table_int(table, "planning_iterations", 2, 0, MOST_ITERATIONS,
                      &read->planning_iterations, error) != 0 ||
        wfa_table_int(table, "implementation_iterations", 2, 0, MOST_ITERATIONS,
                      &read->implementation_iterations, error) != 0)
        return -1;
    return wfa_table_bool(table, "sequential_implementation", 1,
                          &read->sequential_implementation, error);
}

/* What a heading can be: one line, with nothing around it. */
static int is_section(const char *name)
{
    size_t length = strlen(name);

    return length > 0 && length <= 200 && name[0] != '#' && !strchr(" \t", name[0]) &&
           !strchr(" \t:#", name[length - 1]) && !strpbrk(name, "\r\n");
}

static int read_sections(agentd_config *read, wfa_error *error)
{
    static const char key[] = "required_sections";
    wfa_table *table;
    size_t index;

    read->required_sections = standard_sections;
    if (wfa_table_table(wfa_config_root(read->config), "proposal", &table, error) != 0)
        return -1;
    if (!table || !wfa_table_has(table, key))
        return 0;
    if (wfa_table_strings(table, key, &read->required_sections, NULL, error) != 0)
        return -1;
    for (index = 0; read->required_sections[index]; index++)
        if (!is_section(read->required_sections[index]))
            return wfa_table_fail(table, key, error,
                                  "expected the words of a heading, without '#', ':' at the "
                                  "end, and blanks around them, found '%s'",
                                  read->required_sections[index]);
    return 0;
}

static int read_command(wfa_table *table, const char *key, const char *const **command,
                        wfa_error *error)
{
    if (!wfa_table_has(table, key))
        return 0;
    if (wfa_table_strings(table, key, command, NULL, error) != 0)
        return -1;
    if ((*command)[0] && !(*command)[0][0])
        return wfa_table_fail(table, key, error, "expected a program, found an empty text");
    return 0;
}

static int read_checks(agentd_config *read, wfa_error *error)
{
    int64_t output = 1 << 20;
    wfa_table *table;

    read->check_timeout = 30 * 60 * 1000;
    read->check_output = (size_t)output;
    if (wfa_table_table(wfa_config_root(read->config), "checks", &table, error) != 0)
        return -1;
    if (!table)
        return 0;
    if (read_command(table, "test", &read->test, error) != 0 ||
        read_command(table, "scan", &read->scan, error) != 0 ||
        wfa_table_int(table, "timeout_ms", read->check_timeout, 1, MOST_MS,
                      &read->check_timeout, error) != 0 ||
        wfa_table_int(table, "max_output_bytes", output, 1, MOST_BYTES, &output, error) != 0)
        return -1;
    read->check_output = (size_t)output;
    return 0;
}

/* AGENT_ROLES for a name that is none. */
static int role_named(const char *name)
{
    int role = 0;

    while (role < AGENT_ROLES && strcmp(role_names[role], name) != 0)
        role++;
    return role;
}

/* Names first: what is wrong inside a table that nobody asks for is not the point. */
static int check_role_names(const agentd_config *read, wfa_error *error)
{
    wfa_table *table;
    const char *name;
    size_t index;

    if (wfa_table_table(wfa_config_root(read->config), "agents", &table, error) != 0)
        return -1;
    for (index = 0; table && (name = wfa_table_key(table, index)); index++)
        if (role_named(name) == AGENT_ROLES)
            return wfa_table_fail(table, name, error,
                                  "expected proposer, challenger, implementer or reviewer");
    return 0;
}

static int read_agents(agentd_config *read, wfa_error *error)
{
    size_t index;

    if (check_role_names(read, error) != 0 ||
        wfa_agents_read(read->config, &read->agents, &read->agent_count, error) != 0)
        return -1;
    for (index = 0; index < read->agent_count; index++)
        read->roles[role_named(read->agents[index].name)] = &read->agents[index];
    return 0;
}

int agentd_config_read(agentd_config *read, const char *path, wfa_error *error)
{
    memset(read, 0, sizeof *read);
    read->path = path;
    if (wfa_config_open(&read->config, path, error) != 0 ||
        read_version(wfa_config_root(read->config), error) != 0 ||
        read_workflow(read, error) != 0 || read_sections(read, error) != 0 ||
        read_checks(read, error) != 0 || read_agents(read, error) != 0)
        return -1;
    return wfa_config_check(read->config, error);
}

void agentd_config_clear(agentd_config *read)
{
    wfa_agents_free(read->agents, read->agent_count);
    wfa_config_close(read->config);
    memset(read, 0, sizeof *read);
}

static int same_text(const char *one, const char *other)
{
    return one && other ? strcmp(one, other) == 0 : one == other;
}

static int same_texts(const char *const *one, const char *const *other)
{
    while (*one && same_text(*one, *other)) {
        one++;
        other++;
    }
    return *one == *other;
}

static int same_agent(const wfa_agent_config *one, const wfa_agent_config *other)
{
    if (one->type != other->type || !same_text(one->prompt, other->prompt))
        return 0;
    if (one->type == WFA_AGENT_HTTP)
        return same_text(one->http->url, other->http->url) &&
               same_text(one->http->model, other->http->model) &&
               same_text(one->http->system, other->http->system);
    return same_texts((const char *const *)one->command, (const char *const *)other->command);
}

const wfa_agent_config *agentd_config_agent(const agentd_config *from, agent_role role,
                                            wfa_error *error)
{
    const wfa_agent_config *agent = from->roles[role];
    const wfa_agent_config *proposer = from->roles[ROLE_PROPOSER];

    if (!agent) {
        (void)wfa_fail(error, "%s: [agents.%s] is missing: say which program or model it is",
                       from->path, role_names[role]);
        return NULL;
    }
    if (role == ROLE_CHALLENGER && proposer && same_agent(agent, proposer)) {
        (void)wfa_fail(error,
                       "%s: [agents.challenger] is the proposer again: a proposal is "
                       "challenged by another agent, or with another prompt",
                       from->path);
        return NULL;
    }
    return agent;
}
