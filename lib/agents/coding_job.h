/* One attempt of a coding agent: its command, and what became of it. */
#ifndef WFA_CODING_JOB_H
#define WFA_CODING_JOB_H

#include <wfsm/call.h>

#include "agent_config.h"
#include "process.h"

/* What the command of an attempt is made of; all borrowed. */
typedef struct wfa_coding_attempt {
    const wfa_agent_config *config; /* of a coding agent */
    const char *schema;             /* JSON; "null": none */
    const char *base;               /* where the attempt's files are */
    const char *base_before; /* where those of the attempt before are; NULL: it is the first */
} wfa_coding_attempt;

/* The command of the configuration and the flags of its kind behind it; malloc'ed, as its words
 * are, and ending with NULL. Continues the session that the attempt before has left. Writes the
 * schema to BASE.schema if it is needed. NULL and an error. */
char **wfa_coding_command(const wfa_coding_attempt *attempt, wfa_error *error);

/* Tells the usage, and the answer or the failure, of a child that has ended by itself. */
int32_t wfa_coding_tell(const wfa_agent_config *config, wfa_child *child, wfsm_call *call);
/* The usage of a child that was ended because its time was over. 1: its last words say what it has
 * waited for, which is told as the failure; 0: they do not. */
int wfa_coding_tell_timeout(const wfa_agent_config *config, wfa_child *child, wfsm_call *call,
                            int32_t *status);
/* 1: it has left a whole answer, which is told; 0: it has not. */
int wfa_coding_tell_answer(const wfa_agent_config *config, wfa_child *child, wfsm_call *call,
                           int32_t *status);

#endif
