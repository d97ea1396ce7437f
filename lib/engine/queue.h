/* engine/queue.h: inputs of the host while a round is out. The next round takes them. */
#ifndef WF_ENGINE_QUEUE_H
#define WF_ENGINE_QUEUE_H

#include "engine/given.h"

/* True while a round is out. */
bool wf_queue_is_open(const wfsm_engine *engine);
/* Keep copies of an event, of a stop (event NULL), or of what the host says about an invocation.
 * *outcome, which may be NULL, becomes QUEUED. NOT_FOUND: this engine does not have the instance.
 * INVALID, SYNTAX, LIMIT: the input would be refused for what it says. NO_MEMORY. */
int32_t wf_queue_event(wfsm_engine *engine, const char *id, const wfsm_event *event,
                       int32_t *outcome, wfsm_error *error);
int32_t wf_queue_given(wfsm_engine *engine, const wf_given *given, wfsm_error *error);
/* Makes the inputs, as inputs of the open round. */
void wf_queue_take(wfsm_engine *engine);
/* The round is settled: forgets what is stored. The rest is taken again. */
void wf_queue_settle(wfsm_engine *engine);
/* True if the next round has something to take. */
bool wf_queue_is_due(const wfsm_engine *engine);
void wf_queue_free(wfsm_engine *engine);
#endif
