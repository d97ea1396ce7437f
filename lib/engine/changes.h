/* engine/changes.h: what others have done to the instances of this engine. */
#ifndef WF_ENGINE_CHANGES_H
#define WF_ENGINE_CHANGES_H

#include "engine/entries.h"

/* The exchange has returned the head of an instance that the store calls this engine's. Perhaps on another
 * thread; nothing else uses the table and these entries meanwhile. */
void wf_changes_see(const wfsm_engine *engine, const wfsm_head *head);
/* The exchange is over. If it has returned the heads, those that were not among them may be lost. */
void wf_changes_settle(wfsm_engine *engine);
#endif
