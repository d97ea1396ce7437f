/* Programs of the system whose output agentd reads: diff, git. They are found in the absolute
 * folders of PATH only, because the project's folder may have a program of that name. */
#ifndef AGENTD_PROGRAM_H
#define AGENTD_PROGRAM_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "shared/error.h"

/* 1: `file` has the program's path. */
int program_find(const char *name, char *file, size_t room);

typedef struct program {
    FILE *out; /* what it writes */
    pid_t child;
} program;

/* Starts words[0] with these arguments; the list ends with NULL. Its errors come with its
 * output if `errors` is true, else they are dropped. -1 and an error: nothing runs. */
int program_start(program *run, const char *const *words, int errors, host_error *error);
/* Drops the rest of the output and waits for the end. The exit status; -1 after a signal. */
int program_end(program *run);

/* Starts it, reads at most `limit` bytes of output and waits. The output is malloc'ed and has a
 * NUL behind its *length bytes. -1 and an error, also if it does not end with 0. */
int program_read(const char *const *words, size_t limit, char **text, size_t *length,
                 host_error *error);

#endif
