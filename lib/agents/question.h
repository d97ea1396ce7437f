/* What an agent program is asked: the invocation in words, as JSON and as a prompt. */
#ifndef HK_QUESTION_H
#define HK_QUESTION_H

#include <stddef.h>
#include <stdint.h>

#include <wfsm/call.h>

#include "agent_config.h"

/* NUL-terminated copies of what a call says, and what follows from it. */
typedef struct hk_question {
    char *input, *schema;   /* JSON */
    char *prompt;           /* filled; NULL without one */
    char *json;             /* the whole invocation, one line */
    const char *text;       /* what goes to stdin: one of the above, or "" */
    size_t length;
    char attempt[16];
    char claimed[32];
    int32_t number;         /* of the attempt */
    const char *id, *instance, *state; /* the call's */
} hk_question;

/* Reads the call; it must be cleared after failure, too. */
int hk_question_make(hk_question *question, wfsm_call *call, const hk_agent_config *config,
                     hk_error *error);
void hk_question_clear(hk_question *question);

#endif
