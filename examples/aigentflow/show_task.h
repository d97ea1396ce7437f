/* Output about a task as it stands in the store, and at the end of a run: for people, or as JSON. */
#ifndef SHOW_TASK_H
#define SHOW_TASK_H

#include "tasks.h"

/* What a person is asked, for the task or feature; nothing if it asks nothing. */
void show_question(const task *shown);
/* What a person can do for a task or a feature that waits. */
void show_commands(const task *one);
/* Prints the state at the end of a run, and returns its exit code. */
int show_end(const task *ended, const task_list *features);
/* The same for programs: one JSON object, with the members of the summary, which it takes over. */
int show_end_json(const task *ended, const task_list *features, json_t *sum);
/* Says that there is no store yet; for programs, prints `none`, which it releases. An exit code. */
int show_no_task(const arguments *given, json_t *none);
/* Prints a value, and takes it over; END_STORE if there is none. */
int show_json(json_t *value);
/* The features of a task, as JSON. New. */
json_t *show_features_json(const task *shown, const task_list *features);
/* Prints a task, and the features of an epic, in some lines. */
void show_task(const task *shown, const task_list *features);

#endif
