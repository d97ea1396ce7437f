/* What `wfsm agents doctor` says, at the end of a host's `init`. */
#ifndef HOST_DOCTOR_H
#define HOST_DOCTOR_H

#include <wfsm/agents.h>

/* Tries all agents of a collection that is not registered, and prints a line for each. 1: all is
 * well; 0: something is to be done. */
int host_doctor(wfsm_agents *agents);

#endif
