/* What a person sees: each commit as it happens, in the words of seed 004, and how a task
 * stands at the end of a run. */
#ifndef SHOW_H
#define SHOW_H

#include <wfsm/call.h>

#include <wfsm/agents.h>
#include "tasks.h"

typedef struct show {
    wfsm_progress *progress;
    int verbose; /* transitions in the words of the log */
    const char *root;        /* the task that is driven, or NULL; borrowed */
    const json_t *features;  /* of its epic, or NULL; borrowed */
} show;

/* Observer of the engine; user is a show. */
int32_t show_commit(void *user, wfsm_call *call);

/* Where a run has come to, and the exit code for it. */
int show_end(const task *ended, const task_list *features);
/* A task, and the features of an epic, in some lines. */
void show_task(const task *shown, const task_list *features);

#endif
