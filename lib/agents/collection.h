/* The collection behind wfsm/agents.h: named agents, and what they share once they are
 * registered on an engine. */
#ifndef WFA_COLLECTION_H
#define WFA_COLLECTION_H

#include "agent_config.h"
#include "commands.h"
#include "http_agent.h"
#include "process_agent.h"

typedef struct wfa_member {
    struct wfa_member *next;
    char *name;
    int copied;  /* what the configuration points to belongs to another member */
    int removed; /* kept for the copies that borrow from it */
    wfa_agent_config config;
    wfa_commands commands; /* of WFA_AGENT_COMMANDS */
    wfa_process_agent *process; /* when registered: one of these two, or neither */
    wfa_http_agent *http;
} wfa_member;

struct wfsm_agents {
    wfa_member *members; /* in the order in which they were added */
    char *described;     /* what wfsm_agents_describe() has given out */
    int registered;      /* wfsm_agents_register() was called */
    wfa_children *children;
    wfa_process_host process_host;
    wfa_http_host http_host;
    char *runs, *folder;
};

/* The member of this name that was not removed; NULL. */
wfa_member *wfa_collection_find(const wfsm_agents *agents, const char *name);
/* A new member at the end of the list, with a copy of the name. NULL and an error: the name is
 * taken or no name, the collection is registered, or there is no memory. */
wfa_member *wfa_collection_add(wfsm_agents *agents, const char *name, wfa_error *error);
/* Takes the last member out again, and frees it. */
void wfa_collection_drop_last(wfsm_agents *agents);

#endif
