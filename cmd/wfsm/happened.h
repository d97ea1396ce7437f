/* happened.h: revisions by the name of what happened. */
#ifndef WFSM_HAPPENED_H
#define WFSM_HAPPENED_H

#include "wfsm/stored.h"

/* The revision before the last one in which `name` happened: work of this agent was asked for, an
 * event of this name was taken, or a state of this path was entered. The journal has the records
 * from `first` to `last`. NOT_FOUND: there is none, or the journal does not have it any more. */
int32_t happened_at(wfsm_store *store, const char *id, uint64_t first, uint64_t last,
                    const char *name, uint64_t *revision, wfsm_error *error);
/* The same, of this instance; false after printing the error. */
bool happened_before(wfsm_store *store, const stored_head *head, const char *name,
                     uint64_t *revision);
#endif
