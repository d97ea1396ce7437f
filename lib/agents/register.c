/* A collection on an engine: registering, waiting, sweeping. */
#include "collection.h"

#include <stdlib.h>
#include <string.h>
#include <wfsm/pool.h>

#include "../base/invariant.h"
#include "../base/sized.h"
#include "files.h"
#include "process_sweep.h"

/* How long a program's end may go unseen while the network is waited for. */
enum { PROGRAM_MS = 50 };

/* ---- registering ---- */

static int copy_text(const char *given, char **to, wfa_error *error)
{
    *to = given ? strdup(given) : NULL;
    return given && !*to ? wfa_no_memory(error) : 0;
}

static int take_options(wfsm_agents *agents, const wfsm_agents_options *given, wfa_error *error)
{
    if (copy_text(given->runs, &agents->runs, error) != 0 ||
        copy_text(given->folder, &agents->folder, error) != 0)
        return -1;
    agents->process_host = (wfa_process_host){
        .children = agents->children, .runs = agents->runs, .folder = agents->folder};
    agents->http_host =
        (wfa_http_host){.store = given->store, .tell = given->tell, .user = given->user};
    return 0;
}

static int need_runs(const wfsm_agents *agents, const wfa_member *member, wfa_error *error)
{
    if (agents->runs)
        return 0;
    return wfa_fail(
        error, "agent %s: expected `runs`, the folder for what programs and commands write",
        member->name);
}

static int prepare_program(wfsm_agents *agents, wfa_member *member, wfa_error *error)
{
    if (need_runs(agents, member, error) != 0)
        return -1;
    return wfa_process_agent_new(&member->process, &member->config, &agents->process_host,
                                 error);
}

static int prepare_model(wfsm_agents *agents, wfa_member *member, wfa_error *error)
{
    if (!agents->http_host.http && wfa_http_new(&agents->http_host.http, error) != 0)
        return -1;
    return wfa_http_agent_new(&member->http, &member->config, &agents->http_host, error);
}

static int prepare_commands(wfsm_agents *agents, wfa_member *member, wfa_error *error)
{
    if (need_runs(agents, member, error) != 0 || wfa_folder_make_own(agents->runs, error) != 0)
        return -1;
    member->commands.children = agents->children;
    member->commands.runs = agents->runs;
    return 0;
}

static int prepare(wfsm_agents *agents, wfa_member *member, wfa_error *error)
{
    switch (member->config.type) {
    case WFA_AGENT_HTTP:
        return prepare_model(agents, member, error);
    case WFA_AGENT_COMMANDS:
        return prepare_commands(agents, member, error);
    case WFA_AGENT_PROCESS:
        break;
    }
    return prepare_program(agents, member, error);
}

static void callbacks_of(wfa_member *member, wfsm_agent *callbacks)
{
    switch (member->config.type) {
    case WFA_AGENT_PROCESS:
        wfa_process_agent_callbacks(member->process, callbacks);
        break;
    case WFA_AGENT_HTTP:
        wfa_http_agent_callbacks(member->http, callbacks);
        break;
    case WFA_AGENT_COMMANDS:
        wfa_commands_callbacks(&member->commands, callbacks);
        break;
    }
}

/* In all engines of the store together, if it can do that. */
static int32_t set_rate(const wfa_member *member, wfsm_engine *engine, wfsm_error *error)
{
    wfsm_pool_rate rate = {.size = sizeof rate,
                           .kind = WFSM_POOL_AGENT,
                           .shared = 1,
                           .name = member->name,
                           .per_ms = member->config.rate_ms,
                           .count = (uint32_t)member->config.rate};
    int32_t status;

    if (rate.count == 0)
        return WFSM_OK;
    status = wfsm_engine_rate(engine, &rate, error);
    if (status != WFSM_DENIED)
        return status;
    rate.shared = 0;
    return wfsm_engine_rate(engine, &rate, error);
}

static int32_t register_member(wfsm_agents *agents, wfa_member *member, wfsm_engine *engine,
                               wfsm_error *error)
{
    wfsm_agent callbacks;
    wfa_error why;
    int32_t status;

    WF_INVARIANT(!member->process && !member->http); /* prepared once */
    if (prepare(agents, member, &why) != 0)
        return wfa_report(&why, error);
    callbacks_of(member, &callbacks);
    status = wfsm_engine_add_agent_full(engine, member->name, &callbacks, error);
    return status == WFSM_OK ? set_rate(member, engine, error) : status;
}

static int32_t register_all(wfsm_agents *agents, wfsm_engine *engine, wfsm_error *error)
{
    wfa_member *at;
    int32_t status = WFSM_OK;

    for (at = agents->members; status == WFSM_OK && at; at = at->next)
        if (!at->removed)
            status = register_member(agents, at, engine, error);
    if (status == WFSM_OK && agents->http_host.store && agents->runs)
        status = wfsm_agents_sweep(agents, NULL, error);
    return status;
}

int32_t wfsm_agents_register(wfsm_agents *agents, wfsm_engine *engine,
                             const wfsm_agents_options *options, wfsm_error *error)
{
    wfsm_agents_options given = {.size = sizeof given};
    wfa_error why;

    if (!agents || !engine ||
        (options && !wf_struct_check(&given, sizeof given, options, sizeof given.size)))
        return wfsm_error_set(error, WFSM_INVALID,
                              "expected agents, an engine and options of this version");
    if (agents->registered)
        return wfsm_error_set(error, WFSM_BUSY, "the agents are registered already");
    agents->registered = 1;
    if (take_options(agents, &given, &why) != 0)
        return wfa_report(&why, error);
    return register_all(agents, engine, error);
}

int32_t wfsm_agents_callbacks(wfsm_agents *agents, const char *name, wfsm_agent *callbacks,
                              wfsm_error *error)
{
    wfa_member *member = agents && name ? wfa_collection_find(agents, name) : NULL;
    wfsm_agent full;

    if (!agents || !name || !agents->registered)
        return wfsm_error_set(error, WFSM_INVALID,
                              "expected agents that are registered, and the name of one");
    if (!member)
        return wfsm_error_set(error, WFSM_NOT_FOUND, "there is no agent of this name");
    callbacks_of(member, &full);
    if (!wf_struct_give(callbacks, &full, sizeof full, WF_SIZE_UP_TO(wfsm_agent, start)))
        return wfsm_error_set(error, WFSM_INVALID, "expected callbacks with their size");
    return WFSM_OK;
}

int32_t wfsm_agents_sweep(wfsm_agents *agents, size_t *stopped, wfsm_error *error)
{
    wfa_error why;

    if (!agents || !agents->http_host.store || !agents->runs)
        return wfsm_error_set(error, WFSM_INVALID,
                              "expected agents that are registered with a store and a folder "
                              "of runs");
    if (wfa_process_sweep(&agents->process_host, agents->http_host.store, stopped, &why) != 0)
        return wfa_report(&why, error);
    return WFSM_OK;
}

/* ---- waiting ---- */

size_t wfsm_agents_working(const wfsm_agents *agents)
{
    const wfa_http *http = agents ? agents->http_host.http : NULL;

    if (!agents)
        return 0;
    return wfa_children_running(agents->children) + (http ? wfa_http_running(http) : 0);
}

int32_t wfsm_agents_wait(wfsm_agents *agents, int64_t milliseconds)
{
    int64_t most = milliseconds > 0 ? milliseconds : 0;
    wfa_http *http = agents ? agents->http_host.http : NULL;
    int ended;

    if (!agents)
        return 0;
    if (most > WFA_MOST_MS)
        most = WFA_MOST_MS;
    if (!http || wfa_http_running(http) == 0)
        return wfa_children_poll(agents->children, most);
    if (wfa_children_running(agents->children) > 0 && most > PROGRAM_MS)
        most = PROGRAM_MS;
    ended = wfa_http_poll(http, most);
    return ended + wfa_children_poll(agents->children, 0);
}

size_t wfsm_agents_drain(wfsm_agents *agents, int64_t milliseconds)
{
    int64_t end = wfsm_agents_now() + (milliseconds < WFA_MOST_MS ? milliseconds : WFA_MOST_MS);

    if (!agents)
        return 0;
    while (wfa_children_running(agents->children) > 0 && wfsm_agents_now() < end)
        (void)wfa_children_poll(agents->children, PROGRAM_MS);
    return wfa_children_running(agents->children);
}
