#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/data.h"
#include "shared/files.h"
#include "shared/keys.h"
#include "router.h"

enum { MOST_RETRIES = 100, MOST_RUNS = 1000, MOST_SLOTS = 1000, MOST_DAYS = 36500 };

/* ---- paths ---- */

static int32_t read_path(const settings *read, const char *key, const char *standard,
                         const char **path, wfsm_error *error)
{
    *path = standard;
    return wfsm_table_path(wfsm_settings_root(read->file), key, path, error);
}

static int32_t make_absolute(const settings *read, const char *given, const char *key,
                             char **path, wfsm_error *error)
{
    char text[400];

    *path = realpath(given, NULL);
    if (*path)
        return WFSM_OK;
    (void)snprintf(text, sizeof text, "expected an existing folder, found \"%.300s\"", given);
    return wfsm_table_fail(wfsm_settings_root(read->file), key, text, error);
}

static int32_t make_folder(const char *path, wfsm_error *error)
{
    host_error why;

    if (host_folder_make(path, &why) == 0)
        return WFSM_OK;
    return wfsm_error_set(error, WFSM_IO, why.message);
}

/* The documents in the folder of the configuration, else the installed ones. */
static void find_machines(settings *read)
{
    char *beside = host_path_join(read->machines, "aigentflow.json");
    int there = beside && access(beside, F_OK) == 0;

    free(beside);
    if (there)
        return;
    read->installed = host_data_path("aigentflow", "");
    if (read->installed)
        read->machines = read->installed;
}

static int32_t read_paths(settings *read, wfsm_error *error)
{
    const char *project, *worktrees;
    int32_t status = read_path(read, "project", ".", &project, error);

    if (status == WFSM_OK)
        status = read_path(read, "worktrees", "worktrees", &worktrees, error);
    read->store = "aigentflow.db";
    if (status == WFSM_OK)
        status = host_store_key(wfsm_settings_root(read->file), &read->store, error);
    if (status == WFSM_OK)
        status = read_path(read, "logs", "logs", &read->logs, error);
    if (status == WFSM_OK)
        status = read_path(read, "machines", "{dir}", &read->machines, error);
    if (status == WFSM_OK && !wfsm_table_has(wfsm_settings_root(read->file), "machines"))
        find_machines(read);
    if (status == WFSM_OK)
        status = make_absolute(read, project, "project", &read->project, error);
    if (status == WFSM_OK)
        status = make_folder(worktrees, error);
    if (status == WFSM_OK)
        status = make_absolute(read, worktrees, "worktrees", &read->worktrees, error);
    return status;
}

/* ---- the project and the pool ---- */

static int32_t read_project(settings *read, wfsm_error *error)
{
    const char *slash = strrchr(read->project, '/');
    wfsm_table *root = wfsm_settings_root(read->file);
    int32_t status;

    read->project_id = slash && slash[1] ? slash + 1 : "project";
    read->max_retries = 3;
    read->max_agent_runs = 30;
    read->keep_days = 7;
    status = wfsm_table_string(root, "project_id", &read->project_id, error);
    if (status == WFSM_OK && !*read->project_id)
        status = wfsm_table_fail(root, "project_id", "expected a name", error);
    if (status == WFSM_OK)
        status =
            wfsm_table_int(root, "max_retries", 0, MOST_RETRIES, &read->max_retries, error);
    if (status == WFSM_OK)
        status =
            wfsm_table_int(root, "max_agent_runs", 1, MOST_RUNS, &read->max_agent_runs, error);
    if (status == WFSM_OK)
        status = wfsm_table_int(root, "keep_days", 0, MOST_DAYS, &read->keep_days, error);
    return status == WFSM_OK ? host_workspace_key(root, &read->is_shared, error) : status;
}

/* *table stays NULL if there is no table of this name. */
static int32_t open_table(const settings *read, const char *name, wfsm_table **table,
                          wfsm_error *error)
{
    *table = NULL;
    return wfsm_table_table(wfsm_settings_root(read->file), name, table, error);
}

static int32_t read_context(settings *read, wfsm_error *error)
{
    const char *const *stack = NULL;
    int32_t has_ui = 0, has_backend = 0;
    wfsm_table *table;
    json_t *list = json_array();
    int32_t status = open_table(read, "context", &table, error);

    read->project_context = json_object();
    json_object_set_new(read->project_context, "techStack", list);
    if (status == WFSM_OK && table)
        status = wfsm_table_strings(table, "tech_stack", &stack, NULL, error);
    if (status == WFSM_OK && table)
        status = wfsm_table_bool(table, "has_ui", &has_ui, error);
    if (status == WFSM_OK && table)
        status = wfsm_table_bool(table, "has_backend", &has_backend, error);
    for (; stack && *stack; stack++)
        json_array_append_new(list, json_string(*stack));
    json_object_set_new(read->project_context, "hasUI", json_boolean(has_ui));
    json_object_set_new(read->project_context, "hasBackend", json_boolean(has_backend));
    return status;
}

static int32_t read_pool(settings *read, wfsm_error *error)
{
    static const char *const keys[][2] = {
        {"max_concurrent", "maxConcurrent"},
        {"competitive_design_count", "competitiveDesignCount"},
        {"max_agents_per_feature", "maxAgentsPerFeature"}};
    static const int64_t standard[] = {15, 15, 4};
    wfsm_table *table;
    size_t index;
    int64_t value;
    int32_t status = open_table(read, "pool", &table, error);

    read->pool = json_object();
    for (index = 0; index < 3; index++) {
        value = standard[index];
        if (status == WFSM_OK && table)
            status = wfsm_table_int(table, keys[index][0], 1, MOST_SLOTS, &value, error);
        json_object_set_new(read->pool, keys[index][1], json_integer(value));
    }
    return status;
}

/* ---- agents ---- */

int settings_has_agent(const settings *read, const char *wanted)
{
    const char *name;
    size_t index;

    for (index = 0; (name = wfsm_agents_name(read->agents, index)); index++)
        if (strcmp(name, wanted) == 0)
            return 1;
    return 0;
}

static int is_known(const char *name)
{
    return is_agent_type(name) || strcmp(name, "default") == 0 || strcmp(name, "router") == 0 ||
           strcmp(name, "task_analyzer") == 0;
}

static int32_t check_names(const settings *read, const char *path, wfsm_error *error)
{
    const char *name;
    char text[400];
    size_t index;

    for (index = 0; (name = wfsm_agents_name(read->agents, index)); index++)
        if (!is_known(name)) {
            (void)snprintf(text, sizeof text,
                           "%s: [agents.%.100s]: expected one of the 13 agent types, router, "
                           "task_analyzer or default",
                           path, name);
            return wfsm_error_set(error, WFSM_SEMANTIC, text);
        }
    return WFSM_OK;
}

static int is_model(const settings *read, const char *name)
{
    size_t length;
    const char *text = wfsm_agents_describe(read->agents, name, &length);
    json_t *agent = text ? json_loadb(text, length, 0, NULL) : NULL;
    const char *type = json_string_value(json_object_get(agent, "type"));
    int is = type && strcmp(type, "http") == 0;

    json_decref(agent);
    return is;
}

static int32_t rename_agent(const settings *read, const char *name, const char *to,
                            wfsm_error *error)
{
    int32_t status = wfsm_agents_copy(read->agents, name, to, error);

    return status == WFSM_OK ? wfsm_agents_remove(read->agents, name, error) : status;
}

static int32_t fill_type(const settings *read, const char *type, const char *path,
                         wfsm_error *error)
{
    char text[400];

    if (settings_has_agent(read, type))
        return WFSM_OK;
    if (settings_has_agent(read, "default"))
        return wfsm_agents_copy(read->agents, "default", type, error);
    (void)snprintf(text, sizeof text, "%s: [agents.%s] is missing, and so is [agents.default]",
                   path, type);
    return wfsm_error_set(error, WFSM_SEMANTIC, text);
}

/* If the router is a model, rules decide first, and ask it. A program decides alone. */
static int32_t fill_agents(const settings *read, const char *path, wfsm_error *error)
{
    int32_t status = WFSM_OK;
    size_t index;

    for (index = 0; status == WFSM_OK && index < AGENT_TYPES; index++)
        status = fill_type(read, agent_types[index], path, error);
    if (status == WFSM_OK && settings_has_agent(read, "default"))
        status = wfsm_agents_remove(read->agents, "default", error);
    if (status == WFSM_OK && is_model(read, "router"))
        status = rename_agent(read, "router", ROUTER_MODEL, error);
    return status;
}

static int32_t read_file(settings *read, wfsm_error *error)
{
    int32_t status = read_paths(read, error);

    if (status == WFSM_OK)
        status = read_project(read, error);
    if (status == WFSM_OK)
        status = read_context(read, error);
    if (status == WFSM_OK)
        status = read_pool(read, error);
    if (status == WFSM_OK)
        status = wfsm_agents_load(read->agents, read->file, error);
    return status == WFSM_OK ? wfsm_settings_check(read->file, error) : status;
}

int32_t settings_read(settings *read, const char *path, wfsm_error *error)
{
    int32_t status;

    memset(read, 0, sizeof *read);
    status = wfsm_agents_new(&read->agents, error);
    if (status == WFSM_OK)
        status = wfsm_settings_open(&read->file, path, error);
    if (status == WFSM_OK)
        status = read_file(read, error);
    if (status == WFSM_OK)
        status = check_names(read, path, error);
    return status == WFSM_OK ? fill_agents(read, path, error) : status;
}

void settings_clear(settings *read)
{
    wfsm_agents_free(read->agents);
    json_decref(read->pool);
    json_decref(read->project_context);
    free(read->project);
    free(read->worktrees);
    free(read->installed);
    wfsm_settings_free(read->file);
    memset(read, 0, sizeof *read);
}
