/* What an agent program is asked: the invocation in words, as JSON and as a prompt. */
#ifndef WFA_INVOCATION_H
#define WFA_INVOCATION_H

#include <stddef.h>
#include <stdint.h>

#include <wfsm/call.h>

#include "agent_config.h"

/* NUL-terminated copies of what a call says, and what follows from it. */
typedef struct wfa_invocation {
    char *input, *schema;   /* JSON */
    char *prompt;           /* filled; NULL without one */
    char *json;             /* the whole invocation, one line */
    const char *text;       /* what goes to stdin: one of the above, or "" */
    size_t length;
    char attempt[16];
    char claimed[32];
    int32_t number;         /* of the attempt */
    const char *id, *instance, *state; /* the call's */
} wfa_invocation;

/* Reads the call; it must be cleared after failure, too. */
int wfa_invocation_make(wfa_invocation *invocation, wfsm_call *call,
                        const wfa_agent_config *config, wfa_error *error);
void wfa_invocation_clear(wfa_invocation *invocation);

#endif
