/* Drives a task that was started or taken over to its end; for `run` and `resume`. */
#ifndef DRIVE_H
#define DRIVE_H

#include "session.h"

/* Drives it, prints the outcome, and returns its exit code. */
int drive(session *self);
/* Takes over a task of the store and drives it. */
int drive_stored(const settings *with, const char *id, const char *workspace);

#endif
