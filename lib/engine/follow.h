/* engine/follow.h: the jobs of an entry follow the ledger of its instance. */
#ifndef WF_ENGINE_FOLLOW_H
#define WF_ENGINE_FOLLOW_H

#include "engine/entries.h"

/* After each input, and when something that the jobs depend on has changed. After NO_MEMORY the
 * entry is behind, and follows when it is settled. */
int32_t wf_jobs_follow(wfsm_engine *engine, wf_entry *entry);
/* When something is due for the entry: wf_jobs_follow() does this, and it is needed again after an
 * agent has been started. */
void wf_entry_set_timer(wfsm_engine *engine, wf_entry *entry);
#endif
