/* engine/instances.h: instances are started. */
#ifndef WF_ENGINE_INSTANCES_H
#define WF_ENGINE_INSTANCES_H

#include "engine/entries.h"

/* Whether a start says all that it must. */
int32_t wf_start_check(const wfsm_start *what, wfsm_error *error);
/* Starts an instance as an input of the open round. As wf_entry_start(). */
int32_t wf_round_start(wfsm_engine *engine, const wfsm_start *what, int32_t *answer,
                       wfsm_error *error);
/* As wfsm_engine_start(), inside a call that has entered. */
int32_t wf_engine_start(wfsm_engine *engine, const wfsm_start *what, wfsm_error *error);
#endif
