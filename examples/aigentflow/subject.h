/* Shows a person the work of a task, or of one of its features, before he decides on it. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include "tasks.h"

/* Prints the diff; at a terminal with colours and in a pager. Prints nothing if there is no workspace. `root` is the
 * task that `found` is a feature of, or the task itself. */
void subject_show(const settings *with, const task *found, const task *root);

#endif
