#include "commands_agent.h"

static json_t *find(void *user, const json_t *input, wfa_error *error)
{
    json_t *commands = json_object_get(input, "commands");
    json_t *asked = NULL;

    (void)user;
    if (json_array_size(commands) > 0)
        asked = json_pack("{s:O*, s:O}", "folder", json_object_get(input, "workspace"),
                          "commands", commands);
    else
        (void)wfa_fail(error, "expected {\"workspace\": FOLDER, \"commands\": [COMMAND, …]}");
    return asked;
}

static json_t *answer(void *user, json_t *results)
{
    (void)user;
    return json_pack("{s:O}", "results", results);
}

int32_t commands_agent_add(commands_agent *agent, wfsm_engine *engine, wfsm_error *error)
{
    agent->commands = (wfa_commands){.name = "commands",
                                     .children = agent->children,
                                     .runs = agent->with->logs,
                                     .timeout_ms = agent->with->command_timeout,
                                     .max_output = (size_t)agent->with->command_output,
                                     .find = find,
                                     .answer = answer};
    return wfa_commands_add(&agent->commands, engine, error);
}

void commands_agent_end(commands_agent *agent)
{
    wfa_commands_end(&agent->commands);
}
