/* Who owns an instance, for people. */
#ifndef HOST_OWNER_H
#define HOST_OWNER_H

#include <wfsm/agents.h>

/* "process 42 on HOST"; "somebody else" when the store cannot tell. */
void host_owner_of(wfsm_store *store, const char *id, char text[WFSM_OWNER_TEXT_SIZE]);

#endif
