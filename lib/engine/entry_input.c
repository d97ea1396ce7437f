/* engine/entry_input.c: what comes before and after every input of an instance. */
#include "engine/entry_input.h"

#include "engine/engine.h"
#include "engine/machines.h"

void wf_input_begin(wfsm_engine *engine, wf_entry *entry, const wf_job *freeing)
{
    wf_grant grant = wf_grants_begin(engine, wfsm_instance_machine(entry->instance), freeing);

    WF_INVARIANT(engine->busy && engine->inputs <= engine->bounds.inputs);
    engine->inputs -= engine->inputs > 0;
    wf_instance_set_grant(entry->instance, &grant);
}

int32_t wf_input_migrates(wfsm_engine *engine, wf_entry *entry, wfsm_machine **machine,
                          wfsm_error *error)
{
    int32_t status = wf_machines_keep(engine, *machine, false, error);
    wf_grant grant;

    if (status != WFSM_OK)
        return status;
    *machine = wf_machines_find(engine, wfsm_machine_fingerprint(*machine));
    grant = wf_grants_begin(engine, *machine, NULL);
    wf_instance_set_grant(entry->instance, &grant);
    return WFSM_OK;
}

void wf_input_end(wfsm_engine *engine, wf_entry *entry)
{
    wf_link_append(&engine->stepped, &entry->stepped);
}
