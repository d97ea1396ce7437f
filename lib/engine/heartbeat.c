/* engine/heartbeat.c: signs of life of agents. They are not committed. An engine that takes an
 * instance over probes its agents instead. */
#include "engine/heartbeat.h"

#include "engine/agent_calls.h"
#include "engine/engine.h"

int64_t wf_job_silent(const wf_job *job)
{
    int64_t heartbeat = job->machine->invokes[job->invoke].heartbeat;

    return heartbeat > 0 && !job->child ? wf_time_after(job->beat, heartbeat) : WFSM_NEVER;
}

static void give_up(wfsm_engine *engine, wf_job *job)
{
    wf_agent_cancel(engine, job);
    job->answer = WF_ANSWER_FAILED;
    job->failure_class = WF_CLASS_TIMEOUT;
    job->retry_after = 0;
    wf_buffer_clear(&job->usage);
    wf_buffer_clear(&job->signature);
    wf_buffer_clear(&job->text);
    wf_buffer_format(&job->text, "no heartbeat for %lld ms",
                     (long long)job->machine->invokes[job->invoke].heartbeat);
    if (job->text.failed)
        wf_buffer_clear(&job->text); /* a failure without a message is better than none */
    wf_job_set(engine, job, WF_JOB_ANSWERED);
    wf_ask_soon(engine, job->entry);
}

void wf_entry_check_heartbeats(wfsm_engine *engine, wf_entry *entry)
{
    for (wf_job *job = entry->jobs; job; job = job->next) {
        if (job->state == WF_JOB_WORKING && wf_job_silent(job) <= engine->now)
            give_up(engine, job);
    }
}
