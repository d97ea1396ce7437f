/* many.h: commands that do the same to many instances of a store, one after the other. */
#ifndef WFSM_MANY_H
#define WFSM_MANY_H

#include "wfsm/stored.h"

typedef struct many {
    char **ids;
    size_t count, capacity;
} many;

void many_add(many *ids, const char *id);
/* The ids that the query finds; false after printing an error. */
bool many_list(many *ids, wfsm_store *store, const char *path, const wfsm_query *query);
void many_free(many *ids);

/* A count or a time in milliseconds, from 0. False after printing an error. */
bool many_number(const char *option, const char *text, int64_t *number);
/* The archive, which is made if it is not there (unless `only_there`; then *store is NULL);
 * false with the reason said. */
bool many_open_archive(wfsm_store **store, const char *path, bool only_there);
#endif
