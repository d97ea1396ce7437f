/* engine/unknown_agents.c: names of agents that this engine does not have. Another engine may have
 * such an agent, or the host adds it soon. After a minute, the name is probably misspelt. */
#include "engine/unknown_agents.h"

#include <stdio.h>

#include "engine/engine.h"

enum { PATIENCE_MS = 60000 };

/* Without memory the name is not watched. It is found again when its entry is settled again. */
void wf_unknown_agent_seen(wfsm_engine *engine, const wf_name *name)
{
    uint32_t count = engine->unknown_names.count;
    wf_unknown_agent *list;

    if (wf_names_find(&engine->unknown_names, name->text, name->length) != WF_NONE)
        return;
    list = wf_grow(&engine->allocator, engine->unknown, &engine->unknown_capacity,
                   (size_t)count + 1, sizeof *list);
    if (!list)
        return;
    engine->unknown = list;
    if (wf_names_add(&engine->unknown_names, name->text, name->length) == WF_NONE)
        return;
    list[count] = (wf_unknown_agent){.since = engine->now};
}

static bool waits_for(const wf_job *job, const wf_name *name)
{
    return job->handler == WF_NONE && job->state == WF_JOB_WAITING &&
           strcmp(job->machine->agents.list[job->agent].text, name->text) == 0;
}

/* A job that waits for the agent, or NULL. */
static const wf_job *find_job(const wfsm_engine *engine, const wf_name *name)
{
    for (wf_link *at = engine->entries.next; at != &engine->entries; at = at->next) {
        for (const wf_job *job = WF_OWNER_OF(at, wf_entry, all)->jobs; job; job = job->next) {
            if (waits_for(job, name))
                return job;
        }
    }
    return NULL;
}

static void tell(wfsm_engine *engine, const wf_name *name, const wf_job *job)
{
    char id[WF_INVOCATION_ID_BYTES], message[600];
    wf_member members[3];
    wf_value diagnostic;
    wfsm_call call;

    wf_job_id(job, id);
    snprintf(
        message, sizeof message,
        "the invocation \"%.250s\" waits for the agent \"%.250s\", which nobody has had for "
        "a minute; is the name misspelt?",
        id, name->text);
    wf_member_set(&members[0], "severity", 8, wf_string_z("warning"));
    wf_member_set(&members[1], "rule", 4, wf_string_z("unknown-agent"));
    wf_member_set(&members[2], "message", 7, wf_string_z(message));
    diagnostic = wf_object(members, 3);
    wf_call_init(&call, WF_CALL_OBSERVER, &engine->allocator);
    call.name = name->text;
    call.instance = job->entry->id;
    call.id = id;
    call.now = engine->now;
    call.input.value = &diagnostic;
    engine->diagnose(engine->diagnose_user, &call);
    wf_call_fini(&call);
}

/* If nobody waits for the agent any more, its minute begins again. */
void wf_unknown_agents_tell(wfsm_engine *engine)
{
    for (uint32_t i = 0; engine->diagnose && i < engine->unknown_names.count; i++) {
        const wf_name *name = &engine->unknown_names.list[i];
        const wf_job *job;

        if (engine->unknown[i].told || engine->now - engine->unknown[i].since < PATIENCE_MS)
            continue;
        job = find_job(engine, name);
        engine->unknown[i].told = job != NULL;
        engine->unknown[i].since = engine->now;
        if (job)
            tell(engine, name, job);
    }
}
