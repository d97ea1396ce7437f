/* Keeps STATE.yaml as the store says. */
#ifndef AGENTD_STATE_SYNC_H
#define AGENTD_STATE_SYNC_H

#include "change.h"
#include "place.h"

/* Writes it unless it agrees with the store. With `tell`, prints a line about a file that was
 * lost or edited by hand. Returns an exit code. */
int state_sync(const place *at, const change *known, int tell);
/* Changes nothing. 1 and one line if the file does not agree with the store. */
int state_look(const place *at, const change *known, host_error *what);

#endif
