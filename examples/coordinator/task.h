/* A task as it stands in the store: read, never changed. */
#ifndef TASK_H
#define TASK_H

#include <jansson.h>
#include <wfsm/instance.h>

#include "hostkit/owner.h"
#include "settings.h"

enum { STATE_SIZE = 256 };

typedef struct task {
    json_t *context;
    json_t *invocations;    /* outstanding ones */
    char state[STATE_SIZE]; /* dotted path */
    char owner[HK_OWNER_SIZE];
    uint64_t revision;
    int64_t created, updated;
    int over;     /* the run is over */
    int awaiting; /* over, and waiting for the operator */
} task;

/* Opens the store of the configuration. For reading it must exist, and is not changed. */
typedef enum store_use { STORE_READ, STORE_WRITE, STORE_MAKE } store_use;
int32_t task_store_open(wfsm_store **store, const settings *with, store_use use,
                        wfsm_error *error);

/* Must be cleared after failure, too. */
int32_t task_read(task *read, wfsm_store *store, const char *id, wfsm_error *error);
void task_clear(task *read);

/* A text of the context; "" when there is none. */
const char *task_text(const task *read, const char *key);
json_int_t task_number(const task *read, const char *key);

/* The part of a dotted path before the first dot: one of the seven states. */
void top_state(const char *path, char top[STATE_SIZE]);

/* Ids of tasks, in the order of the store. */
typedef struct task_ids {
    char **list;
    size_t count;
} task_ids;

/* All tasks of the store, or only those whose run goes on. */
int32_t task_ids_read(task_ids *ids, wfsm_store *store, int unfinished, wfsm_error *error);
void task_ids_clear(task_ids *ids);

#endif
