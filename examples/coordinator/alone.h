/* Where agents work in the project itself, one task at a time does. */
#ifndef ALONE_H
#define ALONE_H

#include "settings.h"
#include "task.h"

/* Keeps others out of the project of a shared place, until the descriptor is closed: a new one in
 * *held, -1 for a place that is the task's own. An exit code, after an error was printed. */
int alone_hold(const json_t *place, int *held);
void alone_release(int held);
/* Refuses a project of which another task of the store is not over yet. */
int alone_check(const json_t *place, const char *id, wfsm_store *store, wfsm_error *error);

#endif
