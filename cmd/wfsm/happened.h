/* happened.h: revisions by the name of what happened. */
#ifndef WFSM_HAPPENED_H
#define WFSM_HAPPENED_H

#include "wfsm/stored.h"

/* The revision before the last one in which `name` happened: work of this agent was asked for, an
 * event of this name was taken, or a state of this path was entered. False after printing that there
 * is none, or that the journal does not have it any more. */
bool happened_before(wfsm_store *store, const stored_head *head, const char *name,
                     uint64_t *revision);
#endif
