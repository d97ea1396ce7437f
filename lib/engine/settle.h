/* engine/settle.h: whatever an entry's jobs and effects call for is done. */
#ifndef WF_ENGINE_SETTLE_H
#define WF_ENGINE_SETTLE_H

#include "engine/entries.h"

/* Starts, probes and cancels agents, commits answers and delivers effects until the entry calls
 * for nothing more, or the round may make no more inputs. The entry may be freed. */
void wf_entry_settle(wfsm_engine *engine, wf_entry *entry);
#endif
