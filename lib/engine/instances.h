/* engine/instances.h: instances are started. */
#ifndef WF_ENGINE_INSTANCES_H
#define WF_ENGINE_INSTANCES_H

#include "engine/entries.h"

/* Starts an instance that this engine owns. parent NULL: it is no child. */
int32_t wf_entry_start(wfsm_engine *engine, wfsm_machine *machine, const char *id,
                       const char *input, size_t length, const wf_parent *parent,
                       wfsm_error *error);
/* As wfsm_engine_start(), inside a call that has entered. */
int32_t wf_engine_start(wfsm_engine *engine, const char *machine, const char *id,
                        const char *input, size_t length, wfsm_error *error);
#endif
