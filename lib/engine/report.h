/* engine/report.h: failures within a round. */
#ifndef WF_ENGINE_REPORT_H
#define WF_ENGINE_REPORT_H

#include "engine/entries.h"

/* Keeps a failure, described by engine->failed, as the result of wfsm_engine_run(). Only the
 * first is kept. A conflict is not reported, because loading the instance again resolves it. */
void wf_round_failed(wfsm_engine *engine, int32_t status);
/* Reports a failure and puts the entry off; entry may be NULL. */
void wf_entry_failed(wfsm_engine *engine, wf_entry *entry, int32_t status);
#endif
