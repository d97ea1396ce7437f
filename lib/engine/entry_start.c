/* engine/entry_start.c: the first commit of an instance is part of a round. */
#include "engine/entry_start.h"

#include <string.h>

#include "engine/child_starts.h"
#include "engine/engine.h"
#include "engine/entry_ownership.h"

/* The first commit is made before there is an instance to observe. */
static void observe_start(wfsm_engine *engine, wf_entry *entry)
{
    wfsm_call call;

    if (!engine->observer)
        return;
    wf_call_init(&call, WF_CALL_OBSERVER, &engine->allocator);
    call.name = wfsm_machine_id(wfsm_instance_machine(entry->instance));
    call.instance = entry->id;
    call.now = wfsm_instance_now(entry->instance);
    call.record = wfsm_instance_record(entry->instance, &call.record_length);
    call.log = wfsm_instance_log(entry->instance, &call.log_length);
    engine->observer(engine->observer_user, &call);
    wf_call_fini(&call);
    wfsm_instance_observe(entry->instance, engine->observer, engine->observer_user);
}

int32_t wf_entry_start(wfsm_engine *engine, wfsm_machine *machine, const wfsm_start *what,
                       const wf_parent *parent, int32_t *answer, wfsm_error *error)
{
    const wfsm_start_options options = {.size = sizeof options,
                                        .id = what->id,
                                        .store = engine->store,
                                        .functions = engine->functions,
                                        .input = what->input,
                                        .length = what->length,
                                        .limits = &engine->step_limits};
    wf_ownership by = {.owner = engine->session, .number = ++engine->starts, .parent = parent};
    wf_entry *entry;
    int32_t status;

    if (wf_entries_find(engine, what->id, strlen(what->id)))
        return wf_fail(error, WFSM_EXISTS, "there is an instance \"%s\" already", what->id);
    entry = wf_entry_new(engine, what->id);
    if (!entry)
        return wf_no_memory(error);
    by.grant = wf_grants_begin(engine, machine, NULL);
    status =
        wf_instance_start_owned(&entry->instance, machine, &options, &by, engine->now, error);
    if (status != WFSM_OK) {
        wf_entry_free(engine, entry);
        return status;
    }
    entry->answer = answer;
    wf_start_sent(engine, entry);
    return WFSM_OK;
}

void wf_start_sent(wfsm_engine *engine, wf_entry *entry)
{
    entry->starting = true;
    engine->start_count++;
    wf_link_append(&engine->stepped, &entry->stepped);
}

void wf_start_settle(wfsm_engine *engine, wf_entry *entry)
{
    int32_t refusal = wf_instance_take_refusal(entry->instance);
    wf_job *job = wf_child_starter(engine, entry);

    wf_link_remove(&entry->stepped);
    entry->starting = false;
    engine->start_count--;
    if (entry->answer)
        *entry->answer = refusal;
    entry->answer = NULL;
    if (job)
        wf_child_started(engine, job, refusal);
    engine->uncertain |= refusal == WFSM_STORE_UNKNOWN;
    if (refusal != WFSM_OK) {
        wf_entry_free(engine, entry);
        return;
    }
    observe_start(engine, entry);
    entry->wanted = job != NULL;
    wf_entry_join(engine, entry);
}
