#include "process_agent.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coding_job.h"
#include "process_job.h"
#include "files.h"
#include "json_answer.h"
#include "said_failure.h"
#include "text_buffer.h"

typedef struct run {
    struct run *next;
    wfa_child *child;
    char id[]; /* of the invocation */
} run;

struct wfa_process_agent {
    const wfa_agent_config *config;
    const wfa_process_host *host;
    run *runs;
};

int wfa_process_agent_new(wfa_process_agent **agent, const wfa_agent_config *config,
                          const wfa_process_host *host, wfa_error *error)
{
    *agent = NULL;
    if (config->type != WFA_AGENT_PROCESS)
        return wfa_fail(error, "agents.%s: expected a program, not an HTTP agent",
                        config->name);
    if (wfa_folder_make_own(host->runs, error) != 0)
        return -1;
    *agent = calloc(1, sizeof **agent);
    if (!*agent)
        return wfa_no_memory(error);
    (*agent)->config = config;
    (*agent)->host = host;
    return 0;
}

static void drop_run(wfa_process_agent *agent, run *entry)
{
    run **at = &agent->runs;

    while (*at != entry)
        at = &(*at)->next;
    *at = entry->next;
    wfa_child_forget(entry->child);
    free(entry);
}

void wfa_process_agent_free(wfa_process_agent *agent)
{
    if (!agent)
        return;
    while (agent->runs)
        drop_run(agent, agent->runs);
    free(agent);
}

static run *find_run(const wfa_process_agent *agent, const wfsm_call *call)
{
    const char *id = wfsm_call_id(call);
    run *entry = agent->runs;

    while (entry && id && strcmp(entry->id, id) != 0)
        entry = entry->next;
    return entry;
}

static run *add_run(wfa_process_agent *agent, const char *id)
{
    run *entry = calloc(1, sizeof *entry + strlen(id) + 1);

    if (!entry)
        return NULL;
    memcpy(entry->id, id, strlen(id) + 1);
    entry->next = agent->runs;
    agent->runs = entry;
    return entry;
}

/* Messages are stored as JSON: paths and what a parser quotes may be no UTF-8. */
static int32_t failed(wfsm_call *call, const char *class, const char *message)
{
    json_t *checked = json_string(message);
    char plain[sizeof((wfa_error *)0)->message];
    size_t index;

    (void)snprintf(plain, sizeof plain, "%s", message);
    for (index = 0; !checked && plain[index]; index++)
        if ((unsigned char)plain[index] >= 0x80)
            plain[index] = '?';
    json_decref(checked);
    return wfsm_call_failed(call, class, plain);
}

/* 1 and the answer told; 0 and an error. */
static int tell_answer(const wfa_process_agent *agent, wfa_child *child, wfsm_call *call,
                       int32_t *status, wfa_error *error)
{
    const char *text, *answer;
    size_t length, answer_length;

    if (agent->config->coding)
        return wfa_coding_tell_answer(agent->config, child, call, status);
    text = wfa_child_output(child, &length, error);
    if (!text)
        return 0;
    if (wfa_answer_find(text, length, agent->config->answer, &answer, &answer_length, error) !=
        0)
        return 0;
    *status = wfsm_call_done(call, answer, answer_length);
    return 1;
}

/* A failure that the program has said, or that of its exit code. */
static int32_t tell_code(const wfa_process_agent *agent, wfa_child *child, wfsm_call *call)
{
    size_t length = 0;
    const char *text = wfa_child_output(child, &length, NULL);
    const char *class = wfa_agent_exit_class(agent->config, wfa_child_code(child));
    char message[sizeof((wfa_error *)0)->message];
    wfa_said_failure said;
    int32_t status;

    wfa_said_failure_read(&said, text, length, agent->config->answer);
    (void)snprintf(message, sizeof message, "%.400s%s%.500s", said.said ? said.message : "",
                   said.said && *said.message ? "; " : "", wfa_child_message(child));
    if (said.said) {
        wfa_text_make_plain(message, strlen(message));
        class = said.failure_class;
        if (said.retry_after >= 0)
            (void)wfsm_call_retry_after(call, said.retry_after);
    }
    status = failed(call, class, message);
    wfa_said_failure_clear(&said);
    return status;
}

static int32_t tell_exit(const wfa_process_agent *agent, wfa_child *child, wfsm_call *call)
{
    char message[sizeof((wfa_error *)0)->message];
    wfa_error why;
    int32_t status;

    if (agent->config->coding)
        return wfa_coding_tell(agent->config, child, call);
    if (wfa_child_code(child) != 0)
        return tell_code(agent, child, call);
    if (tell_answer(agent, child, call, &status, &why))
        return status;
    (void)snprintf(message, sizeof message, "%.500s, see %s", why.message,
                   wfa_child_out(child));
    return failed(call, "schema", message);
}

/* How it ended is not known; a whole answer is taken for success. */
static int32_t tell_unseen(const wfa_process_agent *agent, wfa_child *child, wfsm_call *call,
                           int probing)
{
    wfa_error why;
    int32_t status;

    if (tell_answer(agent, child, call, &status, &why))
        return status;
    if (probing)
        return wfsm_call_gone(call);
    return failed(call, "exit", wfa_child_message(child));
}

static int32_t tell_timeout(const wfa_process_agent *agent, wfa_child *child, wfsm_call *call)
{
    int32_t status;

    if (agent->config->coding && wfa_coding_tell_timeout(agent->config, child, call, &status))
        return status;
    return failed(call, "timeout", wfa_child_message(child));
}

static int32_t tell_end(const wfa_process_agent *agent, wfa_child *child, wfsm_call *call,
                        int probing)
{
    switch (wfa_child_reason(child)) {
    case WFA_END_EXITED:
        return tell_exit(agent, child, call);
    case WFA_END_UNSEEN:
        return tell_unseen(agent, child, call, probing);
    case WFA_END_TIMEOUT:
        return tell_timeout(agent, child, call);
    case WFA_END_OUTPUT_LIMIT:
        return failed(call, "schema", wfa_child_message(child));
    case WFA_END_CANCELED:
        /* An earlier host stopped it when it shut down itself. */
        if (probing)
            return wfsm_call_gone(call);
        return failed(call, "canceled", wfa_child_message(child));
    case WFA_END_NONE:
    case WFA_END_SIGNALED:
    case WFA_END_SPAWN_FAILED:
        break;
    }
    return failed(call, "exit", wfa_child_message(child));
}

/* An end is answered at once. A running program stays in the list and is polled. */
static int32_t tell_if_ended(wfa_process_agent *agent, run *entry, wfsm_call *call, int probing)
{
    int32_t status;

    if (wfa_child_state_of(entry->child) != WFA_CHILD_ENDED)
        return WFSM_OK;
    status = tell_end(agent, entry->child, call, probing);
    drop_run(agent, entry);
    return status;
}

/* Ends what an earlier host, or an earlier attempt, may have left at work. */
static void end_attempt(wfa_process_agent *agent, const char *id, int32_t attempt,
                        int64_t grace_ms)
{
    wfa_child_spec spec = {.grace_ms = grace_ms};
    wfa_child *child = NULL;
    char *base = wfa_run_base(agent->host, id, attempt);

    spec.base = base;
    if (base && wfa_child_adopt(agent->host->children, &spec, &child, NULL) == 0 && child) {
        wfa_child_cancel(child);
        wfa_child_forget(child);
    }
    free(base);
}

static int32_t start_job(wfa_process_agent *agent, const wfa_process_job *job, wfsm_call *call)
{
    run *entry = add_run(agent, job->invocation.id);
    wfa_error why;

    if (!entry)
        return failed(call, "other", "out of memory");
    if (job->invocation.number > 1) /* it must not disturb this one */
        end_attempt(agent, job->invocation.id, job->invocation.number - 1, 0);
    if (wfa_child_start(agent->host->children, &job->spec, &entry->child, &why) == 0)
        return tell_if_ended(agent, entry, call, 0);
    drop_run(agent, entry);
    return failed(call, "other", why.message);
}

static int32_t start(void *user, wfsm_call *call)
{
    wfa_process_agent *agent = user;
    wfa_error why;
    wfa_process_job job;
    int32_t status;

    if (wfa_process_job_make(&job, agent->config, agent->host, call, &why) == 0)
        status = start_job(agent, &job, call);
    else
        status = failed(call, "other", why.message);
    wfa_process_job_clear(&job);
    return status;
}

static int32_t poll(void *user, wfsm_call *call)
{
    wfa_process_agent *agent = user;
    run *entry = find_run(agent, call);

    if (!entry)
        return failed(call, "other", "this agent does not know the run");
    return tell_if_ended(agent, entry, call, 0);
}

static int32_t cancel(void *user, wfsm_call *call)
{
    wfa_process_agent *agent = user;
    run *entry = find_run(agent, call);

    if (entry) {
        wfa_child_cancel(entry->child);
        drop_run(agent, entry);
    } else if (wfsm_call_id(call)) { /* withdrawn before it was probed */
        end_attempt(agent, wfsm_call_id(call), wfsm_call_attempt(call),
                    agent->config->grace_ms);
    }
    return WFSM_OK;
}

static int32_t find_job(wfa_process_agent *agent, const wfa_process_job *job, wfsm_call *call)
{
    run *entry = add_run(agent, job->invocation.id);

    if (!entry)
        return wfsm_call_unsure(call);
    if (wfa_child_adopt(agent->host->children, &job->spec, &entry->child, NULL) != 0) {
        drop_run(agent, entry);
        return wfsm_call_unsure(call);
    }
    if (entry->child)
        return tell_if_ended(agent, entry, call, 1);
    drop_run(agent, entry);
    return wfsm_call_gone(call);
}

static int32_t probe(void *user, wfsm_call *call)
{
    wfa_process_agent *agent = user;
    wfa_process_job job;
    int32_t status;

    if (find_run(agent, call)) /* asked twice: it is still ours */
        return poll(user, call);
    if (wfa_process_job_make(&job, agent->config, agent->host, call, NULL) == 0)
        status = find_job(agent, &job, call);
    else
        status = wfsm_call_unsure(call);
    wfa_process_job_clear(&job);
    return status;
}

void wfa_process_agent_callbacks(wfa_process_agent *agent, wfsm_agent *callbacks)
{
    *callbacks = (wfsm_agent){.size = sizeof *callbacks,
                              .user = agent,
                              .start = start,
                              .poll = poll,
                              .cancel = cancel,
                              .probe = probe};
}
