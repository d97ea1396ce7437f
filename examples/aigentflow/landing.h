/* What becomes of a completed task: its work is brought to the project.
 *
 * The verdicts are about trees: if what is in the workspace is another one, or the project has moved
 * meanwhile, the task goes back to where the router was asked last, and owes tests and a review. */
#ifndef LANDING_H
#define LANDING_H

#include "session.h"

/* For a task in COMPLETED. *again is 1 if it is at work once more. Returns an exit code. */
int landing_bring(session *self, int *again);

#endif
