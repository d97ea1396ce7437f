/* engine/agent_calls.c: the four callbacks of an agent. Each leaves the job in its next
 * state. */
#include "engine/agent_calls.h"

#include "engine/engine.h"

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

/* The answer is kept until it is committed, so that the agent is not asked again. */
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

/* After a start or a poll. */
static void take_answer(wfsm_engine *engine, wf_job *job, int32_t status)
{
    wfsm_call *call = &engine->call;

    if (status != WFSM_OK && !call->unusable) {
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
        wf_link_append(&engine->polled, &job->link);
}

void wf_agent_start(wfsm_engine *engine, wf_job *job)
{
    const wfsm_agent *agent = agent_of(engine, job);
    wfsm_call *call = fill(engine, job);

    WF_INVARIANT(job->state == WF_JOB_CLAIMED);
    if (!agent) { /* another process claimed it under this engine's name: release it */
        call->answer = WF_ANSWER_GONE;
        keep_answer(engine, job);
        return;
    }
    engine->tally.attempts++;
    wf_job_set(engine, job, WF_JOB_WORKING);
    wf_agent_watch(engine, job);
    take_answer(engine, job, agent->start(agent->user, call));
}

void wf_agent_poll(wfsm_engine *engine, wf_job *job)
{
    const wfsm_agent *agent = agent_of(engine, job);
    wfsm_call *call = fill(engine, job);

    WF_INVARIANT(job->state == WF_JOB_WORKING);
    take_answer(engine, job, agent->poll(agent->user, call));
}

/* Without a probe there is nothing to reattach to. */
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
    else if (agent->probe(agent->user, call) != WFSM_OK && !call->unusable)
        call->answer = WF_ANSWER_UNSURE;
    keep_answer(engine, job);
}

void wf_agent_cancel(wfsm_engine *engine, wf_job *job)
{
    const wfsm_agent *agent = agent_of(engine, job);
    wfsm_call *call = fill(engine, job);

    WF_INVARIANT(job->state == WF_JOB_WORKING || job->state == WF_JOB_WITHDRAWN);
    call->allowed = 0;
    if (agent && agent->cancel)
        agent->cancel(agent->user, call);
    wf_job_set(engine, job, WF_JOB_OVER);
}
