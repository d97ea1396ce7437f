/* engine/adoption.h: stored instances are taken over. */
#ifndef WF_ENGINE_ADOPTION_H
#define WF_ENGINE_ADOPTION_H

#include <wfsm/engine.h>

/* Takes an instance over unless its owner lives (DENIED). OK if this engine has it already. */
int32_t wf_entry_adopt(wfsm_engine *engine, const char *id, wfsm_error *error);
#endif
