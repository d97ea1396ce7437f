/* One attempt of an invocation as a child process: its command, folder, environment, stdin
 * and files, made from a call and the agent's configuration. */
#ifndef HK_ERRAND_H
#define HK_ERRAND_H

#include "process_agent.h"
#include "question.h"

typedef struct hk_errand {
    hk_question question;
    hk_child_spec spec; /* points into the rest */
    char *folder, *base;
    char **words; /* of the command, filled */
    char **env;
} hk_errand;

/* Must be cleared after failure, too. Borrows from the call. */
int hk_errand_make(hk_errand *job, const hk_agent_config *config, const hk_process_host *host,
                   wfsm_call *call, hk_error *error);
void hk_errand_clear(hk_errand *job);

/* RUNS/INVOCATION.ATTEMPT, malloc'ed; NULL when out of memory. */
char *hk_run_base(const hk_process_host *host, const char *id, int32_t attempt);

#endif
