/* A task in a few words: who is at work, what was merged, how long it took, what it has cost and may
 * cost, and where to look further. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "tasks.h"

/* For programs, to be added to what is said of the task: {"work": [{"agent", "feature", "since"}], "took",
 * "usage", "budget": {"used", "limit"}}. New; NULL and an error. */
json_t *summary_make(wfsm_store *store, const task *shown, const task_list *features,
                     wfsm_error *error);
/* For people. An exit code. */
int summary_show(wfsm_store *store, const task *shown, const task_list *features);

#endif
