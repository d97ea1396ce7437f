/* The files in the folder `logs` that belong to a task: .in, .out, .log and .run of each attempt of
 * its agents and commands. Their names begin with the id of the invocation, ID/REVISION/NUMBER, in
 * which '/' is '+' and other characters are %XX. */
#ifndef LOGS_H
#define LOGS_H

#include <stddef.h>

typedef struct log_list {
    char **names; /* in the order in which the work began */
    size_t count;
} log_list;

/* -1: the folder cannot be read. Names that were cut, of very long ids, are not found. */
int logs_read(log_list *list, const char *folder, const char *id);
void logs_clear(log_list *list);

#endif
