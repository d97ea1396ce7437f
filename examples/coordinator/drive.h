/* Drives a task that was started or taken over to its end; for `run` and `resume`. */
#ifndef DRIVE_H
#define DRIVE_H

#include "session.h"
#include "task.h"

/* Drives it in its place, prints the outcome, and returns its exit code. */
int drive_in(session *self, const json_t *place);
/* Takes over a task of the store and drives it. After a restore or a fork its workspace is brought
 * back first. */
int drive_stored(const settings *with, wfsm_store *store, const char *id, const task *found);
/* The same from the state of an earlier revision on. */
int drive_restored(const settings *with, wfsm_store *store, const char *id, const task *found,
                   const wfsm_restore_point *point);
/* The same of a task for which an abort is posted: no agent needs the workspace. */
int drive_aborted(const settings *with, wfsm_store *store, const char *id, const task *found);

#endif
