/* STATE.yaml, kept as the store says. */
#ifndef AGENTD_STATE_SYNC_H
#define AGENTD_STATE_SYNC_H

#include "change.h"
#include "place.h"

/* Writes it unless it says already what is true. With `tell`, a file that was lost, or edited
 * by hand, is spoken of. An exit code. */
int state_sync(const place *at, const change *known, int tell);
/* Only looks: 1 and one line about it when the file is not as it should be. */
int state_look(const place *at, const change *known, host_error *what);

#endif
