/* Who owns an instance. */
#ifndef HOST_OWNER_H
#define HOST_OWNER_H

#include <wfsm/agents.h>

/* "process 42 on HOST"; "somebody else" when the store cannot tell. */
void host_owner_of(wfsm_store *store, const char *id, char text[WFSM_OWNER_TEXT_SIZE]);
/* 0: nobody owns the instance, or its process has ended. 1: a process is at work on it, as far as is known. */
int host_owner_is_at_work(const char *owner);

#endif
