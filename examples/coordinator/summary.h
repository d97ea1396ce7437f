/* A task in a few words: for --json, and for the end of a run. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "settings.h"
#include "task.h"

/* A new object; NULL and an error. README.md lists its keys. */
json_t *summary_make(wfsm_store *store, const task *found, const char *id, wfsm_error *error);
/* The same on a line of stdout. An exit code. */
int summary_print(wfsm_store *store, const task *found, const char *id, wfsm_error *error);
/* What was changed, how long it took, what it cost, and how to look further: for people. */
int summary_show(wfsm_store *store, const task *found, const char *id, wfsm_error *error);

#endif
