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

static int read_all(place *at, host_error *why)
{
    return place_look(at, why) == END_DONE ? place_read(at, why) : -1;
}

int cmd_doctor(const arguments *given)
{
    host_checkup made = {.is_json = given->json};
    host_error why;
    place at;
    int is_read = read_all(&at, &why) == 0;
    /* Of a missing role, check_roles() says more. */
    int has_agents = wfsm_agents_name(at.config.agents, 0) != NULL;
    int code = host_checkup_needs(
        &made, &(host_needs){.host = "agentd",
                             .config = at.config_path ? at.config_path : "agentd/config.toml",
                             .wrong = is_read ? NULL : why.message,
                             .project = at.config.is_shared ? NULL : at.in.root,
                             .logs = at.runs,
                             .agents = has_agents ? at.config.agents : NULL});

    if (is_read)
        check_roles(&made, &at);
    place_clear(&at);
    return code == CHECKUP_WELL && made.is_ill ? CHECKUP_ILL : code;
}
