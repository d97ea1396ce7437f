/* What a change has taken so far: at the end of a command, and in `status --json`. */
#ifndef AGENTD_SUMMARY_H
#define AGENTD_SUMMARY_H

#include "work.h"

/* Lines below a result: the files that were changed, how long it took, what agents have used, and where to
 * look further. What cannot be read is left out. */
void summary_show(const work *self);
/* {"took", "attempts", "usage"}, or NULL and an error. */
json_t *summary_make(wfsm_store *store, const change *now, wfsm_error *error);

#endif
