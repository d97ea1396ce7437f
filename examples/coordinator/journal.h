/* Reading records of the journal (doc/records.md). */
#ifndef JOURNAL_H
#define JOURNAL_H

#include <jansson.h>

#include "task.h"

/* The event of the transition that a record is about, or the kind of its input. */
const char *journal_event(const json_t *record);
/* The table of an instance's records on stdout. */
/* Each record as an object on a line: revision, at, event, from, to, and what it set. */
int32_t journal_print_json(wfsm_store *store, const char *id, wfsm_error *error);
int32_t journal_print(wfsm_store *store, const char *id, wfsm_error *error);

#endif
