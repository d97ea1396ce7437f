/* Agents of a TOML text, for the tests of what is read and what is made of it. */
#ifndef TOML_AGENTS_H
#define TOML_AGENTS_H

#include "agents/collection.h"
#include "hosts/workspace.h"

static wfsm_agents *agents;
static wfsm_error *error;

static inline void begin_agents(void)
{
    agents = NULL;
    error = wfsm_error_new(NULL);
}

static inline void end_agents(void)
{
    wfsm_agents_free(agents);
    wfsm_error_free(error);
    agents = NULL;
    error = NULL;
}

/* 0, or -1 and the error. */
static inline int read_agents(const char *text)
{
    wfsm_agents_free(agents);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_agents_new(&agents, error));
    return wfsm_agents_load_toml(agents, write_text("c.toml", text), error) == WFSM_OK ? 0 : -1;
}

static inline size_t agent_count(void)
{
    size_t count = 0;

    while (wfsm_agents_name(agents, count))
        count++;
    return count;
}

static inline const wfa_agent_config *config_at(size_t index)
{
    return &wfa_collection_find(agents, wfsm_agents_name(agents, index))->config;
}

#endif
