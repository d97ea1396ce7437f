/* engine/entry_inputs.h: the inputs that the jobs of an entry call for. */
#ifndef WF_ENGINE_ENTRY_INPUTS_H
#define WF_ENGINE_ENTRY_INPUTS_H

#include "engine/entries.h"

/* True if a job has an input for the next round: the answer of an agent, or a child workflow that
 * is to be started, looked for, or stopped. */
bool wf_entry_asks(const wf_entry *entry);
/* Makes these inputs. Before that the instance is loaded again if need be, and its jobs follow the
 * ledger. The entry may be freed. */
void wf_entry_inputs(wfsm_engine *engine, wf_entry *entry);
#endif
