/* agentd doctor: what a change needs, one line each, with what to do. */
#include "agentd.h"
#include "place.h"
#include "shared/checkup.h"

static void check_roles(host_checkup *made, const place *at)
{
    host_error why;
    agent_role role;

    for (role = 0; role <= ROLE_REVIEWER; role++)
        if (agentd_config_need(&at->config, role, &why) != 0)
            host_checkup_say(made, agent_role_name(role), why.message,
                             "write it into agentd/config.toml");
}

static int examine(host_checkup *made, place *at, wfsm_error *error)
{
    host_error why;
    host_needs needs;
    wfsm_agents *agents = NULL; /* of a missing role, check_roles() says more */

    at->configured = 1;
    if (agentd_config_read(&at->config, at->config_path, &why) != 0) {
        host_checkup_bad_config(made, "agentd", at->config_path, why.message);
        return END_USAGE;
    }
    if (wfsm_agents_name(at->config.agents, 0))
        agents = at->config.agents;
    needs = (host_needs){.config = at->config_path,
                         .project = at->config.is_shared ? NULL : at->in.root,
                         .logs = at->runs,
                         .agents = agents};
    if (host_checkup_needs(made, &needs, error) < 0)
        return library_failed("the agents", error);
    check_roles(made, at);
    return made->is_ill ? END_PERSON : END_DONE;
}

int cmd_doctor(const arguments *given)
{
    host_checkup made = {.is_json = given->json};
    wfsm_error *error = wfsm_error_new(NULL);
    place at;
    int code = place_find(&at);

    if (code == END_DONE)
        code = examine(&made, &at, error);
    place_clear(&at);
    wfsm_error_free(error);
    return code;
}
