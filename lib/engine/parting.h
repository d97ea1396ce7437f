/* engine/parting.h: instances are given up to the engines whose shards they are in. */
#ifndef WF_ENGINE_PARTING_H
#define WF_ENGINE_PARTING_H

#include <wfsm/engine.h>

/* Gives up instances that wfsm_engine_share() has taken, and that are in shards of others by now, or are of
 * documents that this engine does not serve; `most` of them, and none that anything is done for. The next
 * exchange tells the store. */
int32_t wf_part(wfsm_engine *engine, size_t most, size_t *count, wfsm_error *error);
#endif
