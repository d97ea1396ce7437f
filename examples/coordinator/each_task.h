/* A command for the task that was named, or for all tasks of the store. */
#ifndef EACH_TASK_H
#define EACH_TASK_H

#include "coordinator.h"
#include "task.h"

/* What is done to one task. Its exit code. */
typedef int task_command(const arguments *given, const settings *with, wfsm_store *store,
                         const char *id, wfsm_error *error);

/* Without an id: one task after the other, or only those that have not ended if `unfinished` is set,
 * until a signal asks to stop. Prints `none` (may be NULL) if there is no such task. The worst exit
 * code. */
int each_task(const arguments *given, const settings *with, int unfinished, const char *none,
              task_command *command);

#endif
