/* engine/entry_acts.h: what follows from the committed state of an entry. */
#ifndef WF_ENGINE_ENTRY_ACTS_H
#define WF_ENGINE_ENTRY_ACTS_H

#include "engine/entries.h"

/* Starts, probes and cancels agents, and delivers effects, until the entry calls for nothing more
 * or the round may make no more calls. */
void wf_entry_act(wfsm_engine *engine, wf_entry *entry);
#endif
