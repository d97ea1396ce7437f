/* engine/registration.c: what the host registers with an engine: machines, agents, functions
 * and callbacks. */
#include <string.h>

#include "base/sized.h"
#include "base/utf8.h"
#include "engine/engine.h"
#include "engine/enter.h"
#include "engine/ids.h"
#include "engine/machines.h"

/* An evicted one has no effects, and no work for an agent. */
static void ask(wfsm_engine *engine, wf_entry *entry)
{
    if (!wf_entry_is_evicted(entry))
        wf_ask_soon(engine, entry);
}

static void settle_all(wfsm_engine *engine)
{
    for (wf_link *at = engine->entries.next; at != &engine->entries; at = at->next)
        ask(engine, WF_OWNER_OF(at, wf_entry, all));
}

/* After an agent or a machine was added: steps of a machine that is complete now may claim
 * at once, and jobs find their agent when their entry is settled. */
static void look_again(wfsm_engine *engine)
{
    wf_machines_complete(engine);
    settle_all(engine);
}

int32_t wfsm_engine_add_machine(wfsm_engine *engine, wfsm_machine *machine, wfsm_error *error)
{
    int32_t status;

    if (!machine)
        return wf_fail(error, WFSM_INVALID, "no machine");
    status = wf_engine_enter(engine, error);
    if (status != WFSM_OK)
        return status;
    status = wf_machines_keep(engine, machine, true, error);
    look_again(engine);
    wf_engine_leave(engine);
    return status;
}

static int32_t add(wfsm_engine *engine, const char *name, const wfsm_agent *agent,
                   wfsm_error *error)
{
    size_t length = strlen(name);
    uint32_t count = engine->agent_names.count;
    wfsm_agent *agents;

    if (wf_names_find(&engine->agent_names, name, length) != WF_NONE)
        return wf_fail(error, WFSM_EXISTS, "there is an agent \"%s\" already", name);
    agents = wf_grow(&engine->allocator, engine->agents, &engine->agent_capacity,
                     (size_t)count + 1, sizeof *agents);
    if (!agents)
        return wf_no_memory(error);
    engine->agents = agents;
    if (wf_names_add(&engine->agent_names, name, length) == WF_NONE)
        return wf_no_memory(error);
    agents[count] = *agent;
    look_again(engine);
    return WFSM_OK;
}

int32_t wfsm_engine_add_agent_full(wfsm_engine *engine, const char *name,
                                   const wfsm_agent *agent, wfsm_error *error)
{
    wfsm_agent checked;
    int32_t status;

    if (!wf_id_valid(name))
        return wf_fail(error, WFSM_INVALID,
                       "the name of an agent must be 1 to 255 bytes of UTF-8");
    if (wf_is_person(&(wf_name){.text = name}))
        return wf_fail(error, WFSM_INVALID,
                       "\"%s\" is a person: approvals are posted, there is nothing to call",
                       name);
    if (wf_child_machine(name))
        return wf_fail(error, WFSM_INVALID,
                       "the name of an agent must not begin with \"machine:\", which names "
                       "child workflows");
    if (!wf_struct_check(&checked, sizeof checked, agent, WF_SIZE_UP_TO(wfsm_agent, probe)) ||
        !checked.start)
        return wf_fail(error, WFSM_INVALID, "an agent needs its size and a start callback");
    status = wf_engine_enter(engine, error);
    if (status != WFSM_OK)
        return status;
    status = add(engine, name, &checked, error);
    wf_engine_leave(engine);
    return status;
}

int32_t wfsm_engine_add_agent(wfsm_engine *engine, const char *name, wfsm_callback start,
                              void *user, wfsm_error *error)
{
    wfsm_agent agent = {.size = sizeof agent, .user = user, .start = start};

    return wfsm_engine_add_agent_full(engine, name, &agent, error);
}

int32_t wfsm_engine_add_guard(wfsm_engine *engine, const char *name, wfsm_callback guard,
                              void *user, wfsm_error *error)
{
    int32_t status = wf_engine_enter(engine, error);

    if (status != WFSM_OK)
        return status;
    status = wfsm_functions_add_guard(engine->functions, name, guard, user, error);
    wf_engine_leave(engine);
    return status;
}

int32_t wfsm_engine_add_action(wfsm_engine *engine, const char *name, wfsm_callback action,
                               void *user, wfsm_error *error)
{
    int32_t status = wf_engine_enter(engine, error);

    if (status != WFSM_OK)
        return status;
    status = wfsm_functions_add_action(engine->functions, name, action, user, error);
    wf_engine_leave(engine);
    return status;
}

/* One that is evicted gets the observer when it is loaded. */
static int32_t observe(wf_entry *entry, wfsm_callback observer, void *user)
{
    return wf_entry_is_evicted(entry) ? WFSM_OK
                                      : wfsm_instance_observe(entry->instance, observer, user);
}

int32_t wfsm_engine_observe(wfsm_engine *engine, wfsm_callback observer, void *user,
                            wfsm_error *error)
{
    int32_t status = wf_engine_enter(engine, error);

    if (status != WFSM_OK)
        return status;
    engine->observer = observer;
    engine->observer_user = user;
    for (wf_link *at = engine->entries.next; at != &engine->entries && status == WFSM_OK;
         at = at->next)
        status = observe(WF_OWNER_OF(at, wf_entry, all), observer, user);
    wf_engine_leave(engine);
    return status == WFSM_OK ? status : wf_fail(error, status, "the observer cannot be set");
}

int32_t wfsm_engine_on_lost(wfsm_engine *engine, wfsm_callback lost, void *user,
                            wfsm_error *error)
{
    int32_t status = wf_engine_enter(engine, error);

    if (status != WFSM_OK)
        return status;
    engine->lost = lost;
    engine->lost_user = user;
    wf_engine_leave(engine);
    return WFSM_OK;
}

int32_t wfsm_engine_on_effect(wfsm_engine *engine, wfsm_callback deliver, void *user,
                              wfsm_error *error)
{
    int32_t status = wf_engine_enter(engine, error);

    if (status != WFSM_OK)
        return status;
    engine->deliver = deliver;
    engine->deliver_user = user;
    settle_all(engine);
    wf_engine_leave(engine);
    return WFSM_OK;
}

int32_t wfsm_engine_on_diagnostic(wfsm_engine *engine, wfsm_callback tell, void *user,
                                  wfsm_error *error)
{
    int32_t status = wf_engine_enter(engine, error);

    if (status != WFSM_OK)
        return status;
    engine->diagnose = tell;
    engine->diagnose_user = user;
    wf_engine_leave(engine);
    return WFSM_OK;
}
