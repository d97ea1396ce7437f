#include "wait.h"

#include "signals.h"

enum { PATIENCE_MS = 60000, DRAIN_MS = 100 };

void host_wait(wfsm_agents *agents, const wfsm_engine *engine, int64_t longest)
{
    int64_t left = wfsm_engine_deadline(engine) - wfsm_agents_now();

    (void)wfsm_agents_wait(agents, left < longest ? left : longest);
}

void host_drain(wfsm_agents *agents)
{
    (void)wfsm_agents_drain(agents, PATIENCE_MS);
}

void host_end_agents(wfsm_agents *agents)
{
    while (host_signals_asked() == 1 && wfsm_agents_drain(agents, DRAIN_MS) > 0)
        continue;
}
