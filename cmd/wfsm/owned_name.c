/* An owner's name, as libwfsm-agents makes it. It tells on this machine whether the process has ended. */
#include <wfsm/agents.h>
#include "wfsm/owned.h"

_Static_assert(OWNED_NAME_BYTES >= WFSM_OWNER_SIZE, "room for a name");

void owned_name(char name[OWNED_NAME_BYTES])
{
    (void)wfsm_session_name(name);
}

bool owned_is_gone(const char *owner)
{
    return wfsm_owner_state(owner) == WFSM_OWNER_GONE;
}
