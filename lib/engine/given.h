/* engine/given.h: what the host says about an invocation. */
#ifndef WF_ENGINE_GIVEN_H
#define WF_ENGINE_GIVEN_H

#include <stdbool.h>
#include <wfsm/engine.h>

/* One of the four. */
typedef struct wf_given {
    const char *invocation;
    const wfsm_result *result; /* or NULL */
    const wfsm_failure *failure; /* or NULL */
    bool retry;
    const char *message; /* of a cancellation */
    int32_t *outcome;
} wf_given;

/* Makes it an input of the open round. */
int32_t wf_give(wfsm_engine *engine, const wf_given *given, wfsm_error *error);
#endif
