#include "owner.h"

#include <stdio.h>

void host_owner_of(wfsm_store *store, const char *id, char text[WFSM_OWNER_TEXT_SIZE])
{
    wfsm_head head = {.size = sizeof head};

    if (wfsm_store_head(store, id, &head, NULL) == WFSM_OK)
        (void)wfsm_owner_describe(head.owner, text);
    else
        (void)snprintf(text, WFSM_OWNER_TEXT_SIZE, "somebody else");
}

int host_owner_is_at_work(const char *owner)
{
    int32_t state = wfsm_owner_state(owner);

    return state != WFSM_OWNER_NONE && state != WFSM_OWNER_GONE;
}
