/* engine/adoption.h: stored instances are taken over. */
#ifndef WF_ENGINE_ADOPTION_H
#define WF_ENGINE_ADOPTION_H

#include <stdbool.h>
#include <wfsm/engine.h>

/* Takes an instance over unless its owner lives (DENIED). OK if this engine has it already.
 * `started`: this engine has started it, but did not get the answer, so none of its agents was begun. */
int32_t wf_entry_adopt(wfsm_engine *engine, const char *id, bool started, wfsm_error *error);
#endif
