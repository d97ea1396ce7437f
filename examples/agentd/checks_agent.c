#include "checks_agent.h"

#include "checks.h"

static json_t *find(void *user, const json_t *input, wfa_error *error)
{
    const place *at = ((const checks_agent *)user)->at;
    json_t *commands = checks_find(&at->in, at->config.test, at->config.scan, error), *asked;

    (void)input;
    if (!commands)
        return NULL;
    asked = json_pack("{s:s, s:o}", "folder", at->in.root, "commands", commands);
    if (!asked)
        (void)wfa_fail(error, "out of memory, or the project's path is no UTF-8");
    return asked;
}

static json_t *answer(void *user, json_t *results)
{
    (void)user;
    return json_pack("{s:b, s:O}", "passed", checks_passed(results), "results", results);
}

int32_t checks_agent_add(checks_agent *agent, wfsm_engine *engine, wfsm_error *error)
{
    agent->commands = (wfa_commands){.name = "checks",
                                     .children = agent->children,
                                     .runs = agent->at->runs,
                                     .timeout_ms = agent->at->config.check_timeout,
                                     .max_output = agent->at->config.check_output,
                                     .all = 1,
                                     .find = find,
                                     .answer = answer,
                                     .user = agent};
    return wfa_commands_add(&agent->commands, engine, error);
}

void checks_agent_end(checks_agent *agent)
{
    wfa_commands_end(&agent->commands);
}
