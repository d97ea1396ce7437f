/* A change that is there, and that the store does not know: in a clone of the project, or when
 * the store was lost. Its STATE.yaml says where it stands. */
#ifndef AGENTD_REBUILD_H
#define AGENTD_REBUILD_H

#include "work.h"

/* Reads STATE.yaml of the change, or of the archived one. 1: *read is what it says; 0: there is
 * none; -1 and an error: it is not as agentd wrote it. */
int rebuild_read(const place *at, const char *id, state *read, host_error *error);

/* Makes the store's record from STATE.yaml and says so; the change is then known. Nothing
 * happens if there is no such file, or if somebody has edited it. Returns an exit code;
 * END_REFUSED, and an error, if CHALLENGE.md or REVIEW.md has another verdict. */
int rebuild(work *self);

#endif
