/* What a person decides on: what was changed for a task, or for a feature of it, as a diff. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include "tasks.h"

/* At a terminal in a pager, with colours. Nothing if nobody knows what was changed. `root` is the task that a
 * feature is of. */
void subject_show(const task *found, const task *root);

#endif
