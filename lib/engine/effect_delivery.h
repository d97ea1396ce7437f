/* engine/effect_delivery.h: effects are delivered to the host after their commit. */
#ifndef WF_ENGINE_EFFECT_DELIVERY_H
#define WF_ENGINE_EFFECT_DELIVERY_H

#include "engine/entries.h"

/* Delivers the effects of an entry that are not acknowledged yet. False if some are left for
 * another round; a failure of the store is reported. */
bool wf_effects_deliver(wfsm_engine *engine, wf_entry *entry);
#endif
