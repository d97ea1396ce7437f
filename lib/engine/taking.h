/* engine/taking.h: many stored instances are taken over with one exchange. */
#ifndef WF_ENGINE_TAKING_H
#define WF_ENGINE_TAKING_H

#include <wfsm/engine.h>

/* Instances that one exchange takes at most. */
enum { WF_TAKE_PAGE = 256 };

/*
 * Takes up to WF_TAKE_PAGE instances, as wf_entry_adopt() takes one, and sets the answer to each. Returns
 * the first answer that is neither OK nor DENIED (others may be as quick), and the error describes it.
 */
int32_t wf_take_page(wfsm_engine *engine, const char *const *ids, size_t count,
                     int32_t *answers, wfsm_error *error);
#endif
