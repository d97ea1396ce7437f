/* engine/machines.c: the machines that an engine knows, its host's and those it has
 * loaded. */
#include <string.h>

#include "engine/engine.h"

wfsm_machine *wf_engine_machine(const wfsm_engine *engine, const char *fingerprint)
{
    for (size_t i = 0; i < engine->machine_count; i++) {
        wfsm_machine *machine = engine->machines[i].machine;

        if (strcmp(machine->fingerprint, fingerprint) == 0)
            return machine;
    }
    return NULL;
}

bool wf_machine_is_complete(const wfsm_engine *engine, const wfsm_machine *machine)
{
    for (uint32_t i = 0; i < machine->agents.count; i++) {
        const wf_name *name = &machine->agents.list[i];

        const char *child = wf_child_machine(name->text);
        bool known = child
                         ? wf_engine_newest(engine, child) != NULL
                         : wf_is_person(name) || wf_names_find(&engine->agent_names, name->text,
                                                               name->length) != WF_NONE;

        if (!known)
            return false;
    }
    return true;
}

int32_t wf_engine_keep_machine(wfsm_engine *engine, wfsm_machine *machine, bool named,
                               wfsm_error *error)
{
    wf_known *list = engine->machines;

    for (size_t i = 0; i < engine->machine_count; i++) {
        if (strcmp(list[i].machine->fingerprint, machine->fingerprint) == 0) {
            list[i].named |= named;
            return WFSM_OK;
        }
    }
    list = wf_grow(&engine->allocator, list, &engine->machine_capacity,
                   engine->machine_count + 1, sizeof *list);
    if (!list)
        return wf_no_memory(error);
    engine->machines = list;
    list[engine->machine_count] =
        (wf_known){wfsm_machine_ref(machine), named, wf_machine_is_complete(engine, machine)};
    engine->machine_count++;
    return WFSM_OK;
}

int32_t wfsm_engine_add_machine(wfsm_engine *engine, wfsm_machine *machine, wfsm_error *error)
{
    int32_t status;

    if (!machine)
        return wf_fail(error, WFSM_INVALID, "no machine");
    status = wf_engine_enter(engine, error);
    if (status != WFSM_OK)
        return status;
    status = wf_engine_keep_machine(engine, machine, true, error);
    wf_engine_look_again(engine);
    wf_engine_leave(engine);
    return status;
}

wfsm_machine *wf_engine_newest(const wfsm_engine *engine, const char *id)
{
    for (size_t i = engine->machine_count; i-- > 0;) {
        const wf_known *known = &engine->machines[i];

        if (known->named && strcmp(wfsm_machine_id(known->machine), id) == 0)
            return known->machine;
    }
    return NULL;
}
