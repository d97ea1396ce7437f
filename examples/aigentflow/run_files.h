/* The files that agents leave in the folder of logs, by the id of their instance or invocation
 * (doc/process-agents.md). */
#ifndef RUN_FILES_H
#define RUN_FILES_H

#include <stddef.h>

enum { RUN_NAME_SIZE = 800 };

/* How an id is written in the names of files. */
void run_name(const char *id, char name[RUN_NAME_SIZE]);
/* 1 for a file of an invocation of this instance; not for those of its features. */
int run_is_of(const char *file, const char *instance);
/* Deletes all files of an instance. Returns how many. */
size_t run_files_delete(const char *folder, const char *instance);
/* The newest log of an instance that is not empty: its path, malloc'ed; NULL if there is none. */
char *run_newest_log(const char *folder, const char *instance);

#endif
