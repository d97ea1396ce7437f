#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/data.h"
#include "shared/keys.h"

enum {
    MOST_DAYS = 36500,
    MOST_ROUNDS = 1000,
    MOST_MS = 24 * 60 * 60 * 1000,
    MOST_BYTES = 1 << 30
};

/* The machine document invokes these three by name. */
static const char *const agent_names[] = {"coder", "reviewer", "tester"};
enum { AGENTS = sizeof agent_names / sizeof *agent_names };

static int32_t read_commands(settings *read, wfsm_error *error)
{
    wfsm_table *table = NULL;
    int32_t status;

    read->command_timeout = 10 * 60 * 1000;
    read->command_output = 1 << 20;
    status = wfsm_table_table(wfsm_settings_root(read->file), "commands", &table, error);
    if (status == WFSM_OK && table)
        status = wfsm_table_int(table, "timeout_ms", 1, MOST_MS, &read->command_timeout, error);
    if (status == WFSM_OK && table)
        status = wfsm_table_int(table, "max_output_bytes", 1, MOST_BYTES, &read->command_output,
                                error);
    if (status == WFSM_OK && table)
        status = wfsm_table_strings(table, "pass_env", &read->command_env, NULL, error);
    return status;
}

static int has_agent(const wfsm_agents *agents, const char *wanted)
{
    const char *name;
    size_t index;

    for (index = 0; (name = wfsm_agents_name(agents, index)); index++)
        if (strcmp(name, wanted) == 0)
            return 1;
    return 0;
}

static int32_t check_agents(const wfsm_agents *agents, const char *path, wfsm_error *error)
{
    char text[400];
    size_t index;

    for (index = 0; index < AGENTS; index++)
        if (!has_agent(agents, agent_names[index])) {
            (void)snprintf(text, sizeof text,
                           "%s: [agents.%s] is missing: a coder, a reviewer and a tester are "
                           "needed",
                           path, agent_names[index]);
            return wfsm_error_set(error, WFSM_SEMANTIC, text);
        }
    if (!wfsm_agents_name(agents, AGENTS))
        return WFSM_OK;
    (void)snprintf(text, sizeof text,
                   "%s: [agents]: expected a coder, a reviewer and a tester, and nobody else",
                   path);
    return wfsm_error_set(error, WFSM_SEMANTIC, text);
}

static int32_t read_agents(settings *read, const char *path, wfsm_error *error)
{
    int32_t status = settings_agents(read, &read->agents, error);

    if (status == WFSM_OK)
        status = wfsm_settings_check(read->file, error);
    return status == WFSM_OK ? check_agents(read->agents, path, error) : status;
}

/* The document in the folder of the configuration, else the installed one. */
static void find_machine(settings *read)
{
    if (access(read->machine, F_OK) == 0)
        return;
    read->installed = host_data_path("coordinator", "coordinator.json");
    if (read->installed)
        read->machine = read->installed;
}

static int32_t read_root(settings *read, wfsm_error *error)
{
    wfsm_table *root = wfsm_settings_root(read->file);
    int32_t status;

    read->max_rounds = 5;
    read->keep_days = 14;
    read->store = "coordinator.db";
    read->logs = "logs";
    read->worktrees = "worktrees";
    read->machine = "{dir}/coordinator.json";
    status = wfsm_table_int(root, "max_rounds", 1, MOST_ROUNDS, &read->max_rounds, error);
    if (status == WFSM_OK)
        status = wfsm_table_int(root, "keep_days", 0, MOST_DAYS, &read->keep_days, error);
    if (status == WFSM_OK)
        status = host_store_key(root, &read->store, error);
    if (status == WFSM_OK)
        status = wfsm_table_path(root, "logs", &read->logs, error);
    if (status == WFSM_OK)
        status = wfsm_table_path(root, "worktrees", &read->worktrees, error);
    if (status == WFSM_OK)
        status = host_workspace_key(root, &read->is_shared, error);
    if (status == WFSM_OK)
        status = wfsm_table_path(root, "machine", &read->machine, error);
    if (status == WFSM_OK && !wfsm_table_has(root, "machine"))
        find_machine(read);
    return status;
}

int32_t settings_read(settings *read, const char *path, wfsm_error *error)
{
    int32_t status;

    memset(read, 0, sizeof *read);
    status = wfsm_settings_open(&read->file, path, error);
    if (status == WFSM_OK)
        status = read_root(read, error);
    if (status == WFSM_OK)
        status = read_commands(read, error);
    return status == WFSM_OK ? read_agents(read, path, error) : status;
}

int32_t settings_agents(const settings *from, wfsm_agents **agents, wfsm_error *error)
{
    int32_t status = wfsm_agents_new(agents, error);

    return status == WFSM_OK ? wfsm_agents_load(*agents, from->file, error) : status;
}

void settings_clear(settings *read)
{
    wfsm_agents_free(read->agents);
    wfsm_settings_free(read->file);
    free(read->installed);
    memset(read, 0, sizeof *read);
}
