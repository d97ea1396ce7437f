#include "doctor.h"

#include "wfsm/doctor.h"

enum { LONGEST_TRY = 120000 };

int host_doctor(wfsm_agents *agents, wfsm_error *error)
{
    const char *name;
    size_t index;
    int is_well = 1;

    for (index = 0; (name = wfsm_agents_name(agents, index)); index++) {
        doctor_diagnosis diagnosis;
        int done = doctor_try(agents, name, LONGEST_TRY, &diagnosis, error);
        if (done) {
            doctor_print(name, doctor_kind(agents, name), &diagnosis);
            is_well = is_well && !doctor_is_ill(&diagnosis);
        }
        doctor_clear(&diagnosis);
        if (!done)
            return -1;
    }
    return is_well;
}
