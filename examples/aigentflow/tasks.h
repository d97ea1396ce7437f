/* The tasks of the project and their features, from the store. */
#ifndef TASKS_H
#define TASKS_H

#include "aigentflow.h"
#include "shared/stored.h"

typedef struct task {
    host_stored stored;
    char id[HOST_STATE_SIZE];
    char root[HOST_STATE_SIZE]; /* the task that it is a feature of; itself otherwise */
    char state[HOST_STATE_SIZE]; /* one of the 18; of a feature, its status */
} task;

typedef struct task_list {
    task *all;
    size_t count;
} task_list;

typedef int (*task_test)(const task *one);

/* Each of these returns an exit code, and prints an error to stderr. */

/* One task by its id. Must be cleared after a failure, too. A task of another project is
 * refused. */
int task_read(task *read, wfsm_store *store, const settings *with, const char *id);
void task_clear(task *read);

/* Tasks, and on request their features, in the order of their ids. `test` (may be NULL) selects
 * them. */
int tasks_read(task_list *list, wfsm_store *store, const settings *with, int features,
               task_test test);
/* The features of one task. */
int tasks_of(task_list *list, wfsm_store *store, const settings *with, const char *root);
void tasks_clear(task_list *list);

/*
 * The task that a command line means: by its id, by id and feature, or, without both, the only
 * one that passes `test`. If there is none, prints `nothing` and returns END_OTHER.
 */
int task_find(task *found, wfsm_store *store, const settings *with, const arguments *given,
              task_test test, const char *nothing);

/* The metadata of its context, as workspace.h describes them, and the place of its workspace. NULL: it has none. */
json_t *task_metadata(const task *one);
json_t *task_place(const task *one);
/* The state that a path is in, as task.state has it. */
void task_state(const char *path, char state[HOST_STATE_SIZE]);
/* 1 for an instance of a feature. */
int task_is_feature(const task *one);
const char *task_feature(const task *one);
int task_awaits(const task *one);
/* 1: a person must approve, reject or answer. */
int task_asks(const task *one);
/* 1: and it is an answer that is asked for. */
int task_asks_input(const task *one);
int task_is_unfinished(const task *one);
/* 1: it is completed, and what was made is not in the project. */
int task_is_left(const task *one);
int task_is_in_project(const task *one);

#endif
