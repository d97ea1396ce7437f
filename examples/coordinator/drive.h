/* Drives a task that was started or taken over to its end; for `run` and `resume`. */
#ifndef DRIVE_H
#define DRIVE_H

#include "session.h"
#include "task.h"

/* Drives it in its place, prints the outcome, and returns its exit code. */
int drive_in(session *self, const json_t *place);
/* Takes over a task of the store and drives it. */
int drive_stored(const settings *with, const char *id, const task *found);

#endif
