#include "doctor.h"

#include "checkup.h"

int host_doctor(wfsm_agents *agents, wfsm_error *error)
{
    host_checkup made = {.is_json = 0};

    if (!wfsm_agents_name(agents, 0))
        return 1;
    return host_checkup_agents(&made, agents, error) == 0 ? !made.is_ill : -1;
}
