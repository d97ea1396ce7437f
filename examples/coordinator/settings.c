#include "settings.h"

#include <stdlib.h>
#include <string.h>

#include "agents/fill.h"

enum { MOST_ROUNDS = 1000, MOST_MS = 24 * 60 * 60 * 1000, MOST_BYTES = 1 << 30 };

/* The machine document asks these three by name. */
static const char *const agent_names[] = {"coder", "reviewer", "tester"};
enum { AGENTS = sizeof agent_names / sizeof *agent_names };

static int read_path(settings *read, const char *key, const char *standard, char **path,
                     wfa_error *error)
{
    const wfa_mark marks[] = {{"{dir}", wfa_config_folder(read->config)}, {NULL, NULL}};
    wfa_table *root = wfa_config_root(read->config);
    const char *text;

    if (wfa_table_string(root, key, standard, &text, error) != 0)
        return -1;
    if (!*text)
        return wfa_table_fail(root, key, error, "expected a path, found an empty text");
    *path = wfa_fill(text, marks);
    return *path ? 0 : wfa_fail(error, "out of memory");
}

static int read_commands(settings *read, wfa_error *error)
{
    wfa_table *table;

    read->command_timeout = 10 * 60 * 1000;
    read->command_output = 1 << 20;
    if (wfa_table_table(wfa_config_root(read->config), "commands", &table, error) != 0)
        return -1;
    if (!table)
        return 0;
    if (wfa_table_int(table, "timeout_ms", read->command_timeout, 1, MOST_MS,
                      &read->command_timeout, error) != 0)
        return -1;
    return wfa_table_int(table, "max_output_bytes", read->command_output, 1, MOST_BYTES,
                         &read->command_output, error);
}

static int has_agent(const settings *read, const char *name)
{
    size_t index;

    for (index = 0; index < read->agent_count; index++)
        if (strcmp(read->agents[index].name, name) == 0)
            return 1;
    return 0;
}

static int check_agents(const settings *read, const char *path, wfa_error *error)
{
    size_t index;

    for (index = 0; index < AGENTS; index++)
        if (!has_agent(read, agent_names[index]))
            return wfa_fail(error,
                            "%s: [agents.%s] is missing: a coder, a reviewer and a tester "
                            "are needed",
                            path, agent_names[index]);
    if (read->agent_count == AGENTS)
        return 0;
    return wfa_fail(error,
                    "%s: [agents]: expected a coder, a reviewer and a tester, and "
                    "nobody else",
                    path);
}

static int read_all(settings *read, const char *path, wfa_error *error)
{
    wfa_table *root = wfa_config_root(read->config);

    if (wfa_table_int(root, "max_rounds", 5, 1, MOST_ROUNDS, &read->max_rounds, error) != 0 ||
        read_path(read, "store", "coordinator.db", &read->store, error) != 0 ||
        read_path(read, "logs", "logs", &read->logs, error) != 0 ||
        read_path(read, "machine", "{dir}/coordinator.json", &read->machine, error) != 0 ||
        read_commands(read, error) != 0 ||
        wfa_agents_read(read->config, &read->agents, &read->agent_count, error) != 0 ||
        wfa_config_check(read->config, error) != 0)
        return -1;
    return check_agents(read, path, error);
}

int settings_read(settings *read, const char *path, wfa_error *error)
{
    memset(read, 0, sizeof *read);
    if (wfa_config_open(&read->config, path, error) != 0)
        return -1;
    return read_all(read, path, error);
}

void settings_clear(settings *read)
{
    wfa_agents_free(read->agents, read->agent_count);
    free(read->store);
    free(read->logs);
    free(read->machine);
    wfa_config_close(read->config);
    memset(read, 0, sizeof *read);
}
