/* engine/agents.c: agents are registered, and their four callbacks called. */
#include <string.h>

#include "base/utf8.h"
#include "base/sized.h"
#include "engine/engine.h"

/* Machines whose last agent this was may now claim at once, and jobs find their
 * handler. */
void wf_engine_look_again(wfsm_engine *engine)
{
    for (size_t i = 0; i < engine->machine_count; i++) {
        wf_known *known = &engine->machines[i];

        known->complete = wf_machine_is_complete(engine, known->machine);
    }
    for (wf_link *at = engine->entries.next; at != &engine->entries; at = at->next)
        wf_run_soon(engine, WF_OWNER_OF(at, wf_entry, all));
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
    wf_engine_look_again(engine);
    return WFSM_OK;
}

int32_t wfsm_engine_add_agent_full(wfsm_engine *engine, const char *name,
                                   const wfsm_agent *agent, wfsm_error *error)
{
    wfsm_agent checked;
    int32_t status;

    if (!wf_id_valid(name))
        return wf_fail(error, WFSM_INVALID,
                       "the name of an agent is not 1 to 255 bytes of UTF-8");
    if (wf_is_person(&(wf_name){.text = name}))
        return wf_fail(error, WFSM_INVALID,
                       "\"%s\" is a person: approvals are posted, there is nothing to call",
                       name);
    if (wf_child_machine(name))
        return wf_fail(error, WFSM_INVALID,
                       "\"machine:\" is the beginning of the names of child workflows");
    if (!wf_struct_check(&checked, sizeof checked, agent, WF_SIZE_UP_TO(wfsm_agent, probe)) ||
        !checked.start)
        return wf_fail(error, WFSM_INVALID, "an agent needs its size and a start");
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

static const wfsm_agent *agent_of(const wfsm_engine *engine, const wf_job *job)
{
    return job->child || job->handler == WF_NONE ? NULL : &engine->agents[job->handler];
}

static void fill_ledger(wfsm_engine *engine, const wf_job *job)
{
    const wf_invocation *found = wf_job_invocation(job);
    const wf_invoke *invoke = &job->machine->invokes[job->invoke];
    wfsm_call *call = &engine->call;

    call->timeout = invoke->timeout;
    call->claimed = found ? found->claimed : 0;
    call->input.value = found ? &found->input : NULL;
    call->schema.value = invoke->output ? wf_schema_source(invoke->output) : &engine->null;
}

static wfsm_call *fill(wfsm_engine *engine, const wf_job *job)
{
    const wfsm_machine *machine = job->machine;
    wfsm_call *call = &engine->call;

    wf_call_clear(call);
    wf_job_id(job, engine->call_id);
    call->allowed = 1U << WF_ANSWER_DONE | 1U << WF_ANSWER_FAILED;
    call->name = machine->agents.list[job->agent].text;
    call->instance = job->entry->id;
    call->id = engine->call_id;
    call->state = machine->states[machine->invokes[job->invoke].state].path.text;
    call->now = engine->now;
    call->attempt = (int32_t)job->attempt;
    fill_ledger(engine, job);
    return call;
}

static void swap(wf_buffer *a, wf_buffer *b)
{
    wf_buffer c = *a;

    *a = *b;
    *b = c;
}

/* Kept until it is committed: the agent is not asked again. */
static void keep_answer(wfsm_engine *engine, wf_job *job)
{
    wfsm_call *call = &engine->call;

    job->answer = call->answer;
    job->failure_class = call->failure_class;
    job->retry_after = call->retry_after;
    swap(&job->text, &call->text);
    swap(&job->signature, &call->signature);
    swap(&job->usage, &call->usage);
    wf_job_set(engine, job, WF_JOB_ANSWERED);
}

/* What a start or a poll left behind. */
static void take_answer(wfsm_engine *engine, wf_job *job, int32_t status)
{
    wfsm_call *call = &engine->call;

    if (status != WFSM_OK) {
        call->answer = WF_ANSWER_FAILED;
        call->failure_class = WF_CLASS_OTHER;
        wf_buffer_clear(&call->text);
        wf_buffer_text(&call->text, "the agent's function returned ");
        wf_buffer_text(&call->text, wfsm_status_name(status));
    }
    if (call->answer != WF_ANSWER_NONE)
        keep_answer(engine, job);
    else if (call->alive)
        job->beat = engine->now;
}

void wf_agent_watch(wfsm_engine *engine, wf_job *job)
{
    const wfsm_agent *agent = agent_of(engine, job);

    job->beat = engine->now;
    job->round = engine->round;
    if (agent && agent->poll)
        wf_link_append(&engine->polled, &job->polled);
}

void wf_agent_start(wfsm_engine *engine, wf_job *job)
{
    const wfsm_agent *agent = agent_of(engine, job);
    wfsm_call *call = fill(engine, job);

    if (!agent) { /* claimed under this name by another process: let others have it */
        call->answer = WF_ANSWER_GONE;
        keep_answer(engine, job);
        return;
    }
    wf_job_set(engine, job, WF_JOB_WORKING);
    wf_agent_watch(engine, job);
    take_answer(engine, job, agent->start(agent->user, call));
}

void wf_agent_poll(wfsm_engine *engine, wf_job *job)
{
    const wfsm_agent *agent = agent_of(engine, job);
    wfsm_call *call = fill(engine, job);

    take_answer(engine, job, agent->poll(agent->user, call));
}

/* Without a probe there is nothing that could be reattached to. */
static int unprobed(const wf_job *job)
{
    return job->machine->invokes[job->invoke].on_unknown == WF_REATTACH ? WF_ANSWER_GONE
                                                                        : WF_ANSWER_UNSURE;
}

void wf_agent_probe(wfsm_engine *engine, wf_job *job)
{
    const wfsm_agent *agent = agent_of(engine, job);
    wfsm_call *call = fill(engine, job);

    call->allowed |= 1U << WF_ANSWER_GONE | 1U << WF_ANSWER_UNSURE;
    if (!agent || !agent->probe)
        call->answer = unprobed(job);
    else if (agent->probe(agent->user, call) != WFSM_OK)
        call->answer = WF_ANSWER_UNSURE;
    keep_answer(engine, job);
}

void wf_agent_cancel(wfsm_engine *engine, wf_job *job)
{
    const wfsm_agent *agent = agent_of(engine, job);
    wfsm_call *call = fill(engine, job);

    call->allowed = 0;
    if (agent && agent->cancel)
        agent->cancel(agent->user, call);
    wf_job_set(engine, job, WF_JOB_OVER);
}
