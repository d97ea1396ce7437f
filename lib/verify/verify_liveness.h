/* verify/verify_liveness.h: what the whole graph tells. Both add notices; false when out of
 * memory. */
#ifndef WF_TOOLS_VERIFY_LIVENESS_H
#define WF_TOOLS_VERIFY_LIVENESS_H

#include "verify/verify_explore.h"

/* What goes round for ever; good for a part of the graph, too. */
bool wf_find_rounds(wf_exploration *self);
/* What was not found: only when everything was tried. */
bool wf_find_missing(wf_exploration *self);
#endif
