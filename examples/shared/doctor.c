#include "doctor.h"

#include "checkup.h"

int host_doctor(wfsm_agents *agents)
{
    host_checkup made = {.is_json = 0};

    if (!wfsm_agents_name(agents, 0))
        return 1;
    host_checkup_agents(&made, agents);
    return !made.is_ill;
}
