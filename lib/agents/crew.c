#include "crew.h"

#include <stdlib.h>

#include "process_sweep.h"

static int added(int32_t status, const hk_agent_config *config, const wfsm_error *why,
                 hk_error *error)
{
    if (status == WFSM_OK)
        return 0;
    return hk_fail(error, "%s: %s", config->name, wfsm_error_message(why));
}

static int open_http(hk_crew *crew, hk_error *error)
{
    if (crew->http)
        return 0;
    crew->http_host =
        (hk_http_host){.store = crew->store, .tell = crew->tell, .user = crew->user};
    if (hk_http_new(&crew->http, error) != 0)
        return -1;
    crew->http_host.http = crew->http;
    return 0;
}

static int add_model(hk_crew *crew, const hk_agent_config *config, wfsm_engine *engine,
                     wfsm_error *why, hk_error *error)
{
    hk_http_agent **agent = &crew->http_agents[crew->count];

    if (open_http(crew, error) != 0 ||
        hk_http_agent_new(agent, config, &crew->http_host, error) != 0)
        return -1;
    return added(hk_http_agent_add(*agent, engine, why), config, why, error);
}

static int add_program(hk_crew *crew, const hk_agent_config *config, wfsm_engine *engine,
                       wfsm_error *why, hk_error *error)
{
    hk_process_agent **agent = &crew->process_agents[crew->count];

    if (hk_process_agent_new(agent, config, &crew->process_host, error) != 0)
        return -1;
    return added(hk_process_agent_add(*agent, engine, why), config, why, error);
}

static int add_all(hk_crew *crew, const hk_agent_config *agents, size_t count,
                   wfsm_engine *engine, wfsm_error *why, hk_error *error)
{
    size_t index;
    int done = 0;

    for (index = 0; done == 0 && index < count; index++) {
        done = agents[index].type == HK_AGENT_HTTP
                   ? add_model(crew, &agents[index], engine, why, error)
                   : add_program(crew, &agents[index], engine, why, error);
        crew->count++;
    }
    return done;
}

int hk_crew_add(hk_crew *crew, const hk_agent_config *agents, size_t count, wfsm_engine *engine,
                hk_error *error)
{
    wfsm_error *why = wfsm_error_new(NULL);
    int done;

    crew->process_agents = calloc(count + 1, sizeof(hk_process_agent *));
    crew->http_agents = calloc(count + 1, sizeof(hk_http_agent *));
    crew->process_host = (hk_process_host){
        .children = crew->children, .runs = crew->runs, .folder = crew->folder};
    done = crew->process_agents && crew->http_agents && why
               ? add_all(crew, agents, count, engine, why, error)
               : hk_fail(error, "out of memory");
    wfsm_error_free(why);
    if (done == 0 && crew->store)
        done = hk_process_sweep(&crew->process_host, crew->store, NULL, error);
    return done;
}

void hk_crew_end(hk_crew *crew)
{
    while (crew->count > 0) {
        crew->count--;
        hk_process_agent_free(crew->process_agents[crew->count]);
        hk_http_agent_free(crew->http_agents[crew->count]);
    }
    free(crew->process_agents);
    free(crew->http_agents);
    hk_http_free(crew->http);
    crew->process_agents = NULL;
    crew->http_agents = NULL;
    crew->http = NULL;
}
