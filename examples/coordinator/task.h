/* Tasks of the store. */
#ifndef TASK_H
#define TASK_H

#include "shared/stored.h"
#include "settings.h"

typedef host_stored task;

/* Ids of tasks, in the order of the store. */
typedef struct task_ids {
    char **list;
    size_t count;
} task_ids;

/* All tasks of the store, or only those that have not ended. */
int32_t task_ids_read(task_ids *ids, wfsm_store *store, int unfinished, wfsm_error *error);
void task_ids_clear(task_ids *ids);

#endif
