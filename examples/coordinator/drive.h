/* From a task that is begun or taken over to its end, as `run` and `resume` do it. */
#ifndef DRIVE_H
#define DRIVE_H

#include "session.h"

/* Drives it, shows how it ended, and returns the exit code of its outcome. */
int drive(session *self);
/* Takes over a task of the store and drives it. */
int drive_stored(const settings *with, const char *id, const char *workspace);

#endif
