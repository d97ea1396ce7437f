/* The changes that have a folder in agentd/changes or agentd/archive: in a clone, the store has none. */
#ifndef AGENTD_LISTED_H
#define AGENTD_LISTED_H

#include <jansson.h>

#include "place.h"

/* Adds the names of folders that can be ids and are not in the sorted list yet, and sorts it. -1 when out
 * of memory. */
int listed_add(const place *at, json_t *ids);

#endif
