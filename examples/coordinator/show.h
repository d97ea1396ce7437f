/* Output for people: each commit as it happens, and the outcome of a run. */
#ifndef SHOW_H
#define SHOW_H

#include <wfsm/call.h>

#include "task.h"

/* An observer for the engine; user is a wfsm_progress. */
int32_t show_commit(void *user, wfsm_call *call);
/* Handles effects. The only one, task_received, is printed as a line. */
int32_t show_effect(void *user, wfsm_call *call);

/* "outcome: …" and what is known about it, on stdout. */
void show_outcome(const task *shown, const char *id);
/* The exit code for the outcome of a run that is over. */
int outcome_code(const task *shown);

#endif
