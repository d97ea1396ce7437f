/* The calls that add agents to a collection. */
#include "collection.h"

#include "../base/sized.h"
#include "agents_toml.h"

static int32_t no_agents(wfsm_error *error)
{
    return wfsm_error_set(error, WFSM_INVALID, "expected agents and options of this version");
}

/* Reports an error in an option of this agent, and removes the agent that was being added. */
static int32_t refuse(wfsm_agents *agents, const char *name, const wfa_option_error *wrong,
                      wfsm_error *error)
{
    wfa_error why;

    if (!wrong->key)
        (void)wfa_no_memory(&why);
    else
        (void)wfa_fail(&why, "agent %s: %s: %s", name, wrong->key, wrong->why.message);
    wfa_collection_drop_last(agents);
    return wfa_report(&why, error);
}

int32_t wfsm_agents_add_process(wfsm_agents *agents, const char *name,
                                const wfsm_process_options *options, wfsm_error *error)
{
    wfsm_process_options given;
    wfa_option_error wrong;
    wfa_member *member;
    wfa_error why;

    if (!agents || !wf_struct_check(&given, sizeof given, options,
                                    WF_SIZE_UP_TO(wfsm_process_options, command)))
        return no_agents(error);
    member = wfa_collection_add(agents, name, &why);
    if (!member)
        return wfa_report(&why, error);
    member->config.name = member->name;
    if (wfa_process_config_make(&member->config, &given, &wrong) == 0)
        return WFSM_OK;
    return refuse(agents, name, &wrong, error);
}

int32_t wfsm_agents_add_http(wfsm_agents *agents, const char *name,
                             const wfsm_http_options *options, wfsm_error *error)
{
    wfsm_http_options given;
    wfa_option_error wrong;
    wfa_member *member;
    wfa_error why;

    if (!agents || !wf_struct_check(&given, sizeof given, options,
                                    WF_SIZE_UP_TO(wfsm_http_options, model)))
        return no_agents(error);
    member = wfa_collection_add(agents, name, &why);
    if (!member)
        return wfa_report(&why, error);
    member->config.name = member->name;
    if (wfa_http_config_make(&member->config, &given, &wrong) == 0)
        return WFSM_OK;
    return refuse(agents, name, &wrong, error);
}

int32_t wfsm_agents_add_commands(wfsm_agents *agents, const char *name,
                                 const wfsm_commands_options *options, wfsm_error *error)
{
    wfsm_commands_options given = {.size = sizeof given};
    wfa_option_error wrong;
    wfa_member *member;
    wfa_error why;

    if (!agents ||
        (options && !wf_struct_check(&given, sizeof given, options, sizeof given.size)))
        return no_agents(error);
    member = wfa_collection_add(agents, name, &why);
    if (!member)
        return wfa_report(&why, error);
    member->config.name = member->name;
    member->config.type = WFA_AGENT_COMMANDS;
    if (wfa_commands_make(&member->commands, &member->config, &given, &wrong) == 0)
        return WFSM_OK;
    return refuse(agents, name, &wrong, error);
}

/* ---- files ---- */

static const wfa_member *last_of(const wfsm_agents *agents)
{
    const wfa_member *at = agents->members;

    while (at && at->next)
        at = at->next;
    return at;
}

static void drop_behind(wfsm_agents *agents, const wfa_member *last)
{
    while (last_of(agents) != last)
        wfa_collection_drop_last(agents);
}

static int read_member(wfsm_agents *agents, wfsm_settings *settings, wfsm_table *all,
                       const char *name, wfsm_error *error)
{
    wfsm_table *table = NULL;
    wfa_member *member;
    wfa_error why;

    if (wfsm_table_table(all, name, &table, error) != WFSM_OK)
        return -1;
    member = wfa_collection_add(agents, name, &why);
    if (!member) {
        (void)wfsm_table_fail(all, name, why.message, error);
        return -1;
    }
    member->config.name = member->name;
    if (wfa_toml_read_agent(settings, table, &member->config, error) == 0)
        return 0;
    wfa_collection_drop_last(agents);
    return -1;
}

static int32_t read_members(wfsm_agents *agents, wfsm_settings *settings, wfsm_error *error)
{
    const wfa_member *last = last_of(agents);
    wfsm_table *all = NULL;
    const char *name;
    size_t index;

    if (wfsm_table_table(wfsm_settings_root(settings), "agents", &all, error) != WFSM_OK)
        return wfsm_error_status(error);
    for (index = 0; (name = wfsm_table_key(all, index)); index++) {
        if (read_member(agents, settings, all, name, error) == 0)
            continue;
        drop_behind(agents, last);
        return wfsm_error_status(error);
    }
    return WFSM_OK;
}

/* The error carries the status, so there is one in any case. */
int32_t wfsm_agents_load(wfsm_agents *agents, wfsm_settings *settings, wfsm_error *error)
{
    wfsm_error *own = error ? NULL : wfsm_error_new(NULL);
    int32_t status = WFSM_NO_MEMORY;

    if (!agents || !settings)
        status = no_agents(error);
    else if (error || own)
        status = read_members(agents, settings, error ? error : own);
    wfsm_error_free(own);
    return status;
}

int32_t wfsm_agents_load_toml(wfsm_agents *agents, const char *path, wfsm_error *error)
{
    const wfa_member *last = agents ? last_of(agents) : NULL;
    wfsm_settings *settings = NULL;
    int32_t status;

    if (!agents || !path)
        return no_agents(error);
    status = wfsm_settings_open(&settings, path, error);
    if (status == WFSM_OK)
        status = wfsm_agents_load(agents, settings, error);
    if (status == WFSM_OK)
        status = wfsm_settings_check(settings, error);
    if (status != WFSM_OK)
        drop_behind(agents, last);
    wfsm_settings_free(settings);
    return status;
}
