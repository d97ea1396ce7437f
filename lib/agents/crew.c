#include "crew.h"

#include <stdlib.h>

#include "process_sweep.h"

static int added(int32_t status, const wfa_agent_config *config, const wfsm_error *why,
                 wfa_error *error)
{
    if (status == WFSM_OK)
        return 0;
    return wfa_fail(error, "%s: %s", config->name, wfsm_error_message(why));
}

static int open_http(wfa_crew *crew, wfa_error *error)
{
    if (crew->http)
        return 0;
    crew->http_host =
        (wfa_http_host){.store = crew->store, .tell = crew->tell, .user = crew->user};
    if (wfa_http_new(&crew->http, error) != 0)
        return -1;
    crew->http_host.http = crew->http;
    return 0;
}

static int add_model(wfa_crew *crew, const wfa_agent_config *config, wfsm_engine *engine,
                     wfsm_error *why, wfa_error *error)
{
    wfa_http_agent **agent = &crew->http_agents[crew->count];

    if (open_http(crew, error) != 0 ||
        wfa_http_agent_new(agent, config, &crew->http_host, error) != 0)
        return -1;
    return added(wfa_http_agent_add(*agent, engine, why), config, why, error);
}

static int add_program(wfa_crew *crew, const wfa_agent_config *config, wfsm_engine *engine,
                       wfsm_error *why, wfa_error *error)
{
    wfa_process_agent **agent = &crew->process_agents[crew->count];

    if (wfa_process_agent_new(agent, config, &crew->process_host, error) != 0)
        return -1;
    return added(wfa_process_agent_add(*agent, engine, why), config, why, error);
}

static int add_all(wfa_crew *crew, const wfa_agent_config *agents, size_t count,
                   wfsm_engine *engine, wfsm_error *why, wfa_error *error)
{
    size_t index;
    int done = 0;

    for (index = 0; done == 0 && index < count; index++) {
        done = agents[index].type == WFA_AGENT_HTTP
                   ? add_model(crew, &agents[index], engine, why, error)
                   : add_program(crew, &agents[index], engine, why, error);
        crew->count++;
    }
    return done;
}

int wfa_crew_add(wfa_crew *crew, const wfa_agent_config *agents, size_t count,
                 wfsm_engine *engine, wfa_error *error)
{
    wfsm_error *why = wfsm_error_new(NULL);
    int done;

    crew->process_agents = calloc(count + 1, sizeof(wfa_process_agent *));
    crew->http_agents = calloc(count + 1, sizeof(wfa_http_agent *));
    crew->process_host = (wfa_process_host){
        .children = crew->children, .runs = crew->runs, .folder = crew->folder};
    done = crew->process_agents && crew->http_agents && why
               ? add_all(crew, agents, count, engine, why, error)
               : wfa_fail(error, "out of memory");
    wfsm_error_free(why);
    if (done == 0 && crew->store)
        done = wfa_process_sweep(&crew->process_host, crew->store, NULL, error);
    return done;
}

void wfa_crew_end(wfa_crew *crew)
{
    while (crew->count > 0) {
        crew->count--;
        wfa_process_agent_free(crew->process_agents[crew->count]);
        wfa_http_agent_free(crew->http_agents[crew->count]);
    }
    free(crew->process_agents);
    free(crew->http_agents);
    wfa_http_free(crew->http);
    crew->process_agents = NULL;
    crew->http_agents = NULL;
    crew->http = NULL;
}
