#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agents/fill.h"
#include "agents/files.h"
#include "router.h"

enum { MOST_RETRIES = 100, MOST_RUNS = 1000, MOST_SLOTS = 1000 };

/* ---- paths ---- */

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

static int make_absolute(char **path, const char *key, wfa_error *error)
{
    char *found = realpath(*path, NULL);

    if (!found)
        return wfa_fail(error, "%s: %s: expected a folder that is there", key, *path);
    free(*path);
    *path = found;
    return 0;
}

static int read_paths(settings *read, wfa_error *error)
{
    if (read_path(read, "project", ".", &read->project, error) != 0 ||
        read_path(read, "worktrees", "worktrees", &read->worktrees, error) != 0 ||
        read_path(read, "store", "aigentflow.db", &read->store, error) != 0 ||
        read_path(read, "logs", "logs", &read->logs, error) != 0 ||
        read_path(read, "machines", "{dir}", &read->machines, error) != 0)
        return -1;
    if (make_absolute(&read->project, "project", error) != 0 ||
        wfa_folder_make(read->worktrees, error) != 0)
        return -1;
    return make_absolute(&read->worktrees, "worktrees", error);
}

/* ---- the project and the pool ---- */

static int read_project(settings *read, wfa_error *error)
{
    const char *slash = strrchr(read->project, '/');
    const char *standard = slash && slash[1] ? slash + 1 : "project";
    wfa_table *root = wfa_config_root(read->config);

    if (wfa_table_string(root, "project_id", standard, &read->project_id, error) != 0)
        return -1;
    if (!*read->project_id)
        return wfa_table_fail(root, "project_id", error, "expected a name");
    if (wfa_table_int(root, "max_retries", 3, 0, MOST_RETRIES, &read->max_retries, error) != 0)
        return -1;
    return wfa_table_int(root, "max_agent_runs", 30, 1, MOST_RUNS, &read->max_agent_runs,
                         error);
}

static int read_context(settings *read, wfa_error *error)
{
    const char *const *stack = NULL;
    int has_ui = 0, has_backend = 0;
    wfa_table *table;
    json_t *list = json_array();

    read->project_context = json_object();
    json_object_set_new(read->project_context, "techStack", list);
    if (wfa_table_table(wfa_config_root(read->config), "context", &table, error) != 0)
        return -1;
    if (table && (wfa_table_strings(table, "tech_stack", &stack, NULL, error) != 0 ||
                  wfa_table_bool(table, "has_ui", 0, &has_ui, error) != 0 ||
                  wfa_table_bool(table, "has_backend", 0, &has_backend, error) != 0))
        return -1;
    for (; stack && *stack; stack++)
        json_array_append_new(list, json_string(*stack));
    json_object_set_new(read->project_context, "hasUI", json_boolean(has_ui));
    json_object_set_new(read->project_context, "hasBackend", json_boolean(has_backend));
    return 0;
}

static int read_pool(settings *read, wfa_error *error)
{
    static const char *const keys[][2] = {
        {"max_concurrent", "maxConcurrent"},
        {"competitive_design_count", "competitiveDesignCount"},
        {"max_agents_per_feature", "maxAgentsPerFeature"}};
    static const int64_t standard[] = {15, 15, 4};
    wfa_table *table;
    size_t index;
    int64_t value;

    read->pool = json_object();
    if (wfa_table_table(wfa_config_root(read->config), "pool", &table, error) != 0)
        return -1;
    for (index = 0; index < 3; index++) {
        value = standard[index];
        if (table && wfa_table_int(table, keys[index][0], value, 1, MOST_SLOTS, &value, error))
            return -1;
        json_object_set_new(read->pool, keys[index][1], json_integer(value));
    }
    return 0;
}

/* ---- agents ---- */

static const wfa_agent_config *configured(const settings *read, const char *name)
{
    size_t index;

    for (index = 0; index < read->agent_count; index++)
        if (strcmp(read->agents[index].name, name) == 0)
            return &read->agents[index];
    return NULL;
}

/* The copy borrows what the configured one owns. */
static void join(settings *read, const wfa_agent_config *agent, const char *name)
{
    wfa_agent_config *joins = &read->crew[read->crew_count++];

    *joins = *agent;
    joins->name = name;
}

static int is_known(const char *name)
{
    return is_agent_type(name) || strcmp(name, "default") == 0 || strcmp(name, "router") == 0 ||
           strcmp(name, "task_analyzer") == 0;
}

static int check_names(const settings *read, const char *path, wfa_error *error)
{
    size_t index;

    for (index = 0; index < read->agent_count; index++)
        if (!is_known(read->agents[index].name))
            return wfa_fail(error,
                            "%s: [agents.%s]: expected one of the 13 agent types, router, "
                            "task_analyzer or default",
                            path, read->agents[index].name);
    return 0;
}

static int gather(settings *read, const char *path, wfa_error *error)
{
    const wfa_agent_config *standard = configured(read, "default"), *agent;
    size_t index;

    for (index = 0; index < AGENT_TYPES; index++) {
        agent = configured(read, agent_types[index]);
        if (!agent && !standard)
            return wfa_fail(error, "%s: [agents.%s] is missing, and so is [agents.default]",
                            path, agent_types[index]);
        join(read, agent ? agent : standard, agent_types[index]);
    }
    agent = configured(read, "task_analyzer");
    if (agent)
        join(read, agent, "task_analyzer");
    agent = configured(read, "router");
    if (agent) /* rules come first, and ask a model; a program decides alone */
        join(read, agent, agent->type == WFA_AGENT_HTTP ? ROUTER_MODEL : "router");
    return 0;
}

static int read_all(settings *read, const char *path, wfa_error *error)
{
    if (read_paths(read, error) != 0 || read_project(read, error) != 0 ||
        read_context(read, error) != 0 || read_pool(read, error) != 0 ||
        wfa_agents_read(read->config, &read->agents, &read->agent_count, error) != 0 ||
        wfa_config_check(read->config, error) != 0 || check_names(read, path, error) != 0)
        return -1;
    return gather(read, path, error);
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
    json_decref(read->pool);
    json_decref(read->project_context);
    free(read->project);
    free(read->worktrees);
    free(read->store);
    free(read->logs);
    free(read->machines);
    wfa_config_close(read->config);
    memset(read, 0, sizeof *read);
}

const wfa_agent_config *settings_agent(const settings *read, const char *name)
{
    size_t index;

    for (index = 0; index < read->crew_count; index++)
        if (strcmp(read->crew[index].name, name) == 0)
            return &read->crew[index];
    return NULL;
}
