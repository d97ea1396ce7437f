/* engine/serving.c: the documents that an engine serves. */
#include "engine/serving.h"

#include <stdio.h>
#include <string.h>

#include "engine/engine.h"

/* ---- what a document needs ---- */

static bool is_served_here(const wfsm_engine *engine, const char *id)
{
    const wfsm_machine *newest = wf_machines_newest(engine, id);
    const wf_known *known = newest ? wf_known_find(engine, newest->fingerprint) : NULL;

    return known && known->served;
}

static bool has_agent(const wfsm_engine *engine, const wf_name *agent)
{
    const char *child = wf_child_machine(agent->text);

    if (child)
        return is_served_here(engine, child);
    return wf_is_person(agent) ||
           wf_names_find(&engine->agent_names, agent->text, agent->length) != WF_NONE;
}

/* The name of what is missing, and its kind; NULL: nothing is. */
static const char *lacks(const wfsm_engine *engine, const wfsm_machine *machine,
                         const char **kind)
{
    *kind = "agent";
    for (uint32_t i = 0; i < machine->agents.count; i++)
        if (!has_agent(engine, &machine->agents.list[i]))
            return machine->agents.list[i].text;
    return wf_functions_lack(engine->functions, machine, kind);
}

/* One that is not served may be the child of another one, so this is repeated. */
static bool drop_one(wfsm_engine *engine)
{
    const char *kind;

    for (size_t i = 0; i < engine->machine_count; i++) {
        wf_known *known = &engine->machines[i];

        if (known->served && lacks(engine, known->machine, &kind)) {
            known->served = false;
            return true;
        }
    }
    return false;
}

void wf_serving_judge(wfsm_engine *engine)
{
    for (size_t i = 0; i < engine->machine_count; i++) {
        wf_known *known = &engine->machines[i];

        known->served = wf_machines_newest(engine, wfsm_machine_id(known->machine)) != NULL;
    }
    while (drop_one(engine))
        continue;
}

/* ---- documents in the store ---- */

static void tell(wfsm_engine *engine, const wfsm_machine *machine)
{
    const char *kind = NULL, *name = lacks(engine, machine, &kind);
    char message[700];
    wf_member members[3];
    wf_value diagnostic;
    wfsm_call call;

    snprintf(message, sizeof message,
             "leaves %.250s (%.12s) alone: it needs the %s %.250s, which is not here",
             wfsm_machine_id(machine), machine->fingerprint, kind, name ? name : "");
    wf_member_set(&members[0], "severity", 8, wf_string_z("info"));
    wf_member_set(&members[1], "rule", 4, wf_string_z("unserved-document"));
    wf_member_set(&members[2], "message", 7, wf_string_z(message));
    diagnostic = wf_object(members, 3);
    wf_call_init(&call, WF_CALL_OBSERVER, &engine->allocator);
    call.name = wfsm_machine_id(machine);
    call.id = machine->fingerprint;
    call.now = engine->now;
    call.input.value = &diagnostic;
    engine->diagnose(engine->diagnose_user, &call);
    wf_call_fini(&call);
}

static int32_t keep_text(void *user, const wfsm_row *row)
{
    wf_buffer *text = user;

    wf_buffer_add(text, row->text, row->length);
    return text->failed ? WFSM_NO_MEMORY : WFSM_OK;
}

static int32_t load(wfsm_engine *engine, const char *fingerprint, wfsm_error *error)
{
    wfsm_machine *machine = NULL;
    wf_buffer text;
    int32_t status;

    wf_buffer_init(&text, &engine->allocator);
    status = wfsm_store_document(engine->store, fingerprint, keep_text, &text, error);
    if (status == WFSM_OK)
        status = wfsm_machine_load(&machine, text.data, text.length, NULL, &engine->allocator,
                                   error);
    if (status == WFSM_OK)
        status = wf_machines_keep(engine, machine, false, error);
    wfsm_machine_unref(machine);
    wf_buffer_fini(&text);
    return status;
}

/* The store or memory has failed; the document may be fine. */
static bool is_passing(int32_t status)
{
    return status == WFSM_NO_MEMORY || status == WFSM_BUSY || status == WFSM_IO ||
           status == WFSM_STORE_FAILED || status == WFSM_STORE_UNKNOWN;
}

static bool is_bad(const wfsm_engine *engine, const char *fingerprint)
{
    return wf_names_find(&engine->bad_documents, fingerprint, strlen(fingerprint)) != WF_NONE;
}

int32_t wf_serving_learn(wfsm_engine *engine, const char *fingerprint, wf_known **known,
                         wfsm_error *error)
{
    int32_t status = WFSM_OK;

    *known = wf_known_find(engine, fingerprint);
    if (*known || is_bad(engine, fingerprint))
        return WFSM_OK;
    status = load(engine, fingerprint, error);
    if (status != WFSM_OK) {
        if (!is_passing(status))
            wf_names_add(&engine->bad_documents, fingerprint, strlen(fingerprint));
        return status;
    }
    wf_serving_judge(engine);
    *known = wf_known_find(engine, fingerprint);
    if (*known && !(*known)->served && engine->diagnose &&
        wf_machines_newest(engine, wfsm_machine_id((*known)->machine)))
        tell(engine, (*known)->machine);
    return WFSM_OK;
}

bool wf_serving_may(const wfsm_engine *engine, const char *fingerprint)
{
    const wf_known *known = wf_known_find(engine, fingerprint);

    return known ? known->served : !is_bad(engine, fingerprint);
}
