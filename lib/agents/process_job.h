/* One attempt of an invocation as a child process: its command, folder, environment, stdin
 * and files, made from a call and the agent's configuration. */
#ifndef WFA_PROCESS_JOB_H
#define WFA_PROCESS_JOB_H

#include "process_agent.h"
#include "invocation.h"

typedef struct wfa_process_job {
    wfa_invocation invocation;
    wfa_child_spec spec; /* points into the rest */
    char *folder, *base;
    char **words; /* of the command, filled */
    char **env;
} wfa_process_job;

/* Must be cleared after failure, too. Borrows from the call. */
int wfa_process_job_make(wfa_process_job *job, const wfa_agent_config *config,
                         const wfa_process_host *host, wfsm_call *call, wfa_error *error);
void wfa_process_job_clear(wfa_process_job *job);

/* RUNS/INVOCATION.ATTEMPT, malloc'ed; NULL when out of memory. */
char *wfa_run_base(const wfa_process_host *host, const char *id, int32_t attempt);

#endif
