#include "checks_agent.h"

#include <string.h>

static int32_t start(void *user, wfsm_call *call)
{
    static const char none[] = "{\"passed\":true,\"results\":[]}";

    (void)user;
    return wfsm_call_done(call, none, strlen(none));
}

int32_t checks_agent_add(checks_agent *agent, wfsm_engine *engine, wfsm_error *error)
{
    return wfsm_engine_add_agent(engine, "checks", start, agent, error);
}

void checks_agent_end(checks_agent *agent)
{
    (void)agent;
}
