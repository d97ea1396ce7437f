/* engine/instances.h: instances are started. */
#ifndef WF_ENGINE_INSTANCES_H
#define WF_ENGINE_INSTANCES_H

#include "engine/entries.h"

/* As wfsm_engine_start(), inside a call that has entered. */
int32_t wf_engine_start(wfsm_engine *engine, const char *machine, const char *id,
                        const char *input, size_t length, wfsm_error *error);
#endif
