#include "collection.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 255 };

wfa_member *wfa_collection_find(const wfsm_agents *agents, const char *name)
{
    wfa_member *at = agents->members;

    while (at && (at->removed || strcmp(at->name, name) != 0))
        at = at->next;
    return at;
}

static wfa_member **end_of(wfsm_agents *agents)
{
    wfa_member **at = &agents->members;

    while (*at)
        at = &(*at)->next;
    return at;
}

static int check_name(const wfsm_agents *agents, const char *name, wfa_error *error)
{
    if (!name || !*name || strlen(name) > NAME_MOST)
        return wfa_fail(error, "expected the name of an agent, 1 to %d bytes", NAME_MOST);
    if (agents->registered)
        return wfa_fail_as(error, WFSM_BUSY,
                           "agent %s: the agents are registered on an engine: add it before",
                           name);
    if (wfa_collection_find(agents, name))
        return wfa_fail_as(error, WFSM_EXISTS, "agent %s: there is one of this name", name);
    return 0;
}

wfa_member *wfa_collection_add(wfsm_agents *agents, const char *name, wfa_error *error)
{
    wfa_member *made;

    if (check_name(agents, name, error) != 0)
        return NULL;
    made = calloc(1, sizeof *made);
    if (made)
        made->name = strdup(name);
    if (!made || !made->name) {
        free(made);
        (void)wfa_no_memory(error);
        return NULL;
    }
    *end_of(agents) = made;
    return made;
}

static void free_member(wfa_member *member)
{
    wfa_process_agent_free(member->process);
    wfa_http_agent_free(member->http);
    wfa_commands_end(&member->commands);
    if (!member->copied)
        wfa_agent_config_clear(&member->config);
    free(member->name);
    free(member);
}

void wfa_collection_drop_last(wfsm_agents *agents)
{
    wfa_member **at = &agents->members;

    while ((*at)->next)
        at = &(*at)->next;
    free_member(*at);
    *at = NULL;
}

int32_t wfsm_agents_new(wfsm_agents **agents, wfsm_error *error)
{
    wfsm_agents *made;

    if (!agents)
        return wfsm_error_set(error, WFSM_INVALID, "expected a place for the agents");
    *agents = NULL;
    made = calloc(1, sizeof *made);
    if (made)
        made->children = wfa_children_new();
    if (!made || !made->children) {
        free(made);
        return wfsm_error_set(error, WFSM_NO_MEMORY, "out of memory");
    }
    *agents = made;
    return WFSM_OK;
}

void wfsm_agents_free(wfsm_agents *agents)
{
    wfa_member *next;

    if (!agents)
        return;
    for (; agents->members; agents->members = next) {
        next = agents->members->next;
        free_member(agents->members);
    }
    wfa_http_free(agents->http_host.http);
    wfa_children_free(agents->children);
    free(agents->described);
    free(agents->runs);
    free(agents->folder);
    free(agents);
}

const char *wfsm_agents_name(const wfsm_agents *agents, size_t index)
{
    const wfa_member *at = agents ? agents->members : NULL;

    for (; at; at = at->next) {
        if (at->removed)
            continue;
        if (index == 0)
            return at->name;
        index--;
    }
    return NULL;
}

static int find(const wfsm_agents *agents, const char *name, wfa_member **found,
                wfa_error *error)
{
    *found = agents && name ? wfa_collection_find(agents, name) : NULL;
    if (!agents || !name)
        return wfa_fail(error, "expected agents and the name of one");
    if (!*found)
        return wfa_fail_as(error, WFSM_NOT_FOUND, "agent %s: there is none of this name", name);
    return 0;
}

/* The copy borrows what the first one owns, which stays until the collection is freed. */
int32_t wfsm_agents_copy(wfsm_agents *agents, const char *name, const char *copy,
                         wfsm_error *error)
{
    wfa_member *found, *made;
    wfa_error why;

    if (find(agents, name, &found, &why) != 0)
        return wfa_report(&why, error);
    made = wfa_collection_add(agents, copy, &why);
    if (!made)
        return wfa_report(&why, error);
    made->config = found->config;
    made->config.name = made->name;
    made->commands = found->commands;
    made->copied = 1;
    return WFSM_OK;
}

int32_t wfsm_agents_remove(wfsm_agents *agents, const char *name, wfsm_error *error)
{
    wfa_member *found;
    wfa_error why;

    if (find(agents, name, &found, &why) != 0)
        return wfa_report(&why, error);
    if (agents->registered)
        return wfsm_error_set(error, WFSM_BUSY, "the agents are registered on an engine");
    found->removed = 1;
    return WFSM_OK;
}
