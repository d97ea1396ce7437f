/* A command about one task that no other process drives. */
#ifndef ONE_TASK_H
#define ONE_TASK_H

#include "session.h"

typedef int (*one_task_command)(session *self, const arguments *given, const task *found);

/* Finds the task that the command line means, as task_find(). Must be cleared after a failure, too. */
int one_task_find(const arguments *given, const settings *with, task_test test, task *found,
                  const char *nothing);
/* Takes it over in a session of its own, and runs the command. */
int one_task_take(const arguments *given, const settings *with, const task *found,
                  one_task_command does);

#endif
