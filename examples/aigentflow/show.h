/* Output for people: each commit as it happens, in the terms of seed 004, and the state of a
 * task at the end of a run. */
#ifndef SHOW_H
#define SHOW_H

#include <wfsm/call.h>
#include <wfsm/engine.h>

#include <wfsm/agents.h>
#include "tasks.h"

typedef struct show {
    wfsm_progress *progress;
    wfsm_engine *engine; /* that is observed; borrowed */
    int verbose; /* transitions in the format of the log */
    const char *root;        /* the task that is driven, or NULL; borrowed */
    const json_t *features;  /* of its epic, or NULL; borrowed */
} show;

/* An observer for the engine; user is a show. */
int32_t show_commit(void *user, wfsm_call *call);

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
