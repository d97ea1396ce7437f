/* engine/machines.c: the machines that an engine knows: those that its host added, and those of
 * the instances that it loaded. */
#include "engine/machines.h"

#include <string.h>

#include "engine/engine.h"
#include "engine/ids.h"

wf_known *wf_known_find(const wfsm_engine *engine, const char *fingerprint)
{
    for (size_t i = 0; i < engine->machine_count; i++) {
        wf_known *known = &engine->machines[i];

        if (strcmp(known->machine->fingerprint, fingerprint) == 0)
            return known;
    }
    return NULL;
}

wfsm_machine *wf_machines_find(const wfsm_engine *engine, const char *fingerprint)
{
    const wf_known *known = wf_known_find(engine, fingerprint);

    return known ? known->machine : NULL;
}

wfsm_machine *wf_machines_newest(const wfsm_engine *engine, const char *id)
{
    for (size_t i = engine->machine_count; i-- > 0;) {
        const wf_known *known = &engine->machines[i];

        if (known->named && strcmp(wfsm_machine_id(known->machine), id) == 0)
            return known->machine;
    }
    return NULL;
}

static bool is_known(const wfsm_engine *engine, const wf_name *agent)
{
    const char *child = wf_child_machine(agent->text);

    if (child)
        return wf_machines_newest(engine, child) != NULL;
    return wf_is_person(agent) ||
           wf_names_find(&engine->agent_names, agent->text, agent->length) != WF_NONE;
}

static bool is_complete(const wfsm_engine *engine, const wfsm_machine *machine)
{
    for (uint32_t i = 0; i < machine->agents.count; i++) {
        if (!is_known(engine, &machine->agents.list[i]))
            return false;
    }
    return true;
}

int32_t wf_machines_keep(wfsm_engine *engine, wfsm_machine *machine, bool named,
                         wfsm_error *error)
{
    wf_known *known = wf_known_find(engine, machine->fingerprint);
    wf_known *list;

    if (known) {
        known->named |= named;
        return WFSM_OK;
    }
    list = wf_grow(&engine->allocator, engine->machines, &engine->machine_capacity,
                   engine->machine_count + 1, sizeof *list);
    if (!list)
        return wf_no_memory(error);
    engine->machines = list;
    list[engine->machine_count] = (wf_known){.machine = wfsm_machine_ref(machine),
                                             .named = named,
                                             .complete = is_complete(engine, machine)};
    engine->machine_count++;
    return WFSM_OK;
}

void wf_machines_complete(wfsm_engine *engine)
{
    for (size_t i = 0; i < engine->machine_count; i++) {
        wf_known *known = &engine->machines[i];

        known->complete = is_complete(engine, known->machine);
    }
}
