/* The files in a folder of runs that belong to an instance: .in, .out, .log and .run of each attempt of
 * its agents and commands. Their names begin with the id of the invocation, ID/REVISION/NUMBER, in
 * which '/' is '+' and other characters are %XX. */
#ifndef HOST_RUN_LOGS_H
#define HOST_RUN_LOGS_H

#include <stddef.h>

typedef struct host_run_logs {
    char **names; /* in the order in which the work began */
    size_t count;
} host_run_logs;

/* `children`: of its child workflows, too. -1: the folder cannot be read. Names that were cut, of very long ids,
 * are not found. */
int host_run_logs_read(host_run_logs *list, const char *folder, const char *id, int children);
void host_run_logs_clear(host_run_logs *list);
/* Deletes them. Returns how many were deleted. */
size_t host_run_logs_delete(const char *folder, const char *id, int children);

#endif
