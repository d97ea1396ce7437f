#include "commands_agent.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "shared/worktree.h"

/* What is tested is the change, without what the reviewer and the tester have left there. */
static int put_back(const json_t *place, const json_t *input)
{
    json_t *change;

    if (host_worktree_is_shared(place))
        return 0;
    change = host_worktree_prepare(place, json_object_get(input, "change"), NULL);
    json_decref(change);
    return change ? 0 : -1;
}

/* The input names the change and the commands. The workspace is that of the session: the input of a
 * fork has that of its source. */
static char *make_plan(const json_t *place, const char *text, size_t length)
{
    json_t *input = text ? json_loadb(text, length, 0, NULL) : NULL, *plan;
    json_t *commands = json_object_get(input, "commands");
    char *made = NULL;

    if (json_array_size(commands) > 0 && put_back(place, input) == 0) {
        plan = json_pack("{s:s, s:O}", "folder", host_worktree_folder(place), "commands",
                         commands);
        made = plan ? json_dumps(plan, JSON_COMPACT) : NULL;
        json_decref(plan);
    }
    json_decref(input);
    return made;
}

static int32_t plan(void *user, wfsm_call *call, const char **json, size_t *length,
                    wfsm_error *error)
{
    commands_agent *agent = user;
    const char *text = wfsm_call_input(call, length);

    free(agent->plan);
    agent->plan = make_plan(agent->place, text, *length);
    if (!agent->plan)
        return wfsm_error_set(
            error, WFSM_SEMANTIC,
            "expected {\"commands\": [COMMAND, …]}, and the workspace as it was reviewed");
    *json = agent->plan;
    *length = strlen(agent->plan);
    return WFSM_OK;
}

static int32_t answer(void *user, wfsm_call *call, const char *results, size_t length)
{
    json_t *list = json_loadb(results, length, 0, NULL);
    json_t *made = json_pack("{s:o}", "results", list);
    char *text = made ? json_dumps(made, JSON_COMPACT) : NULL;
    int32_t status = text ? wfsm_call_done(call, text, strlen(text)) : WFSM_NO_MEMORY;

    (void)user;
    free(text);
    json_decref(made);
    return status;
}

int32_t commands_agent_add(commands_agent *agent, wfsm_agents *agents, wfsm_error *error)
{
    wfsm_commands_options options = {.size = sizeof options,
                                     .timeout_ms = agent->with->command_timeout,
                                     .max_output_bytes = (uint64_t)agent->with->command_output,
                                     .plan = plan,
                                     .answer = answer,
                                     .user = agent,
                                     .pass_env = agent->with->command_env};

    return wfsm_agents_add_commands(agents, "commands", &options, error);
}

void commands_agent_clear(commands_agent *agent)
{
    free(agent->plan);
    agent->plan = NULL;
}
