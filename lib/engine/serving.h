/* engine/serving.h: the documents that an engine serves: of machines that the host added, in whatever
 * version, if everything that the document names is registered here. */
#ifndef WF_ENGINE_SERVING_H
#define WF_ENGINE_SERVING_H

#include "engine/machines.h"

/* Judges all machines that the engine knows: sets `served` of each. */
void wf_serving_judge(wfsm_engine *engine);
/* Loads the document of the fingerprint if it is not known, and judges it. *known is NULL if it cannot be
 * used: then it is not tried again. */
int32_t wf_serving_learn(wfsm_engine *engine, const char *fingerprint, wf_known **known,
                         wfsm_error *error);
/* False only if it is known not to be served. */
bool wf_serving_may(const wfsm_engine *engine, const char *fingerprint);
#endif
