#include "wait.h"

enum { PATIENCE_MS = 60000 };

void host_wait(wfsm_agents *agents, const wfsm_engine *engine, int64_t longest)
{
    int64_t left = wfsm_engine_deadline(engine) - wfsm_agents_now();

    (void)wfsm_agents_wait(agents, left < longest ? left : longest);
}

void host_drain(wfsm_agents *agents)
{
    (void)wfsm_agents_drain(agents, PATIENCE_MS);
}
