/* What a person sees: each commit as it happens, and how a run ended. */
#ifndef SHOW_H
#define SHOW_H

#include <wfsm/call.h>

#include "task.h"

/* Observer of the engine; user is an wfsm_progress. */
int32_t show_commit(void *user, wfsm_call *call);
/* Takes effects: task_received, the only one, is a line. */
int32_t show_effect(void *user, wfsm_call *call);

/* "outcome: …" and what is known about it, on stdout. */
void show_outcome(const task *shown, const char *id);
/* The exit code for the outcome of a run that is over. */
int outcome_code(const task *shown);

#endif
