#include "checks_agent.h"

#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "workspace.h"

static char *make_plan(const place *at, host_error *error)
{
    project in = {.root = (char *)(uintptr_t)workspace_root(at)};
    json_t *commands = checks_find(&in, at->config.test, at->config.scan, error), *plan;
    char *text;

    if (!commands)
        return NULL;
    plan = json_pack("{s:s, s:o}", "folder", in.root, "commands", commands);
    text = plan ? json_dumps(plan, JSON_COMPACT) : NULL;
    json_decref(plan);
    if (!text)
        (void)host_fail(error, "out of memory, or the project's path is not UTF-8");
    return text;
}

/* Records the files before the tests run: the tests may write files, too, which are no part of the
 * change. */
static int keep_tree(const place *at, wfsm_call *call, host_error *error)
{
    char digest[WFSM_DIGEST_SIZE];
    size_t length;
    const char *text = wfsm_call_input(call, &length);
    json_t *input = text ? json_loadb(text, length, 0, NULL) : NULL;
    const char *id = json_string_value(json_object_get(input, "change"));
    int done = id && change_id_check(id, error) == 0
                   ? workspace_bind(at, id, digest, error)
                   : host_fail(error, "the input names no change");

    json_decref(input);
    return done;
}

static int32_t plan(void *user, wfsm_call *call, const char **json, size_t *length,
                    wfsm_error *error)
{
    checks_agent *agent = user;
    host_error why;

    free(agent->plan);
    agent->plan = NULL;
    if (keep_tree(agent->at, call, &why) == 0)
        agent->plan = make_plan(agent->at, &why);
    if (!agent->plan)
        return wfsm_error_set(error, WFSM_IO, why.message);
    *json = agent->plan;
    *length = strlen(agent->plan);
    return WFSM_OK;
}

int32_t checks_agent_add(checks_agent *agent, wfsm_error *error)
{
    wfsm_commands_options options = {.size = sizeof options,
                                     .timeout_ms = agent->at->config.check_timeout,
                                     .max_output_bytes = agent->at->config.check_output,
                                     .all = 1,
                                     .plan = plan,
                                     .user = agent,
                                     .pass_env = agent->at->config.check_env};

    return wfsm_agents_add_commands(agent->at->config.agents, "checks", &options, error);
}

void checks_agent_clear(checks_agent *agent)
{
    free(agent->plan);
    agent->plan = NULL;
}
