/* Programs of the system whose output a host reads: diff, git. They are found in the absolute
 * folders of PATH only, because the project's folder may have a program of that name. */
#ifndef HOST_PROGRAM_H
#define HOST_PROGRAM_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "error.h"

/* 1: `file` has the program's path. */
int program_find(const char *name, char *file, size_t room);

typedef struct program {
    FILE *out; /* what it writes */
    pid_t child;
} program;

/* PROGRAM_ERRORS: its errors come with its output; else they are dropped. PROGRAM_APART: it is a
 * session of its own without input, so that it ends its work when the host is killed. */
enum { PROGRAM_ERRORS = 1, PROGRAM_APART = 2 };

/* Starts words[0] with these arguments; the list ends with NULL. -1 and an error: nothing runs. */
int program_start(program *run, const char *const *words, int how, host_error *error);
/* Reads at most `limit` bytes of output and waits for the end. The exit status, with malloc'ed
 * output that has a NUL behind its *length bytes; -1 and an error after a signal or too much
 * output. */
int program_finish(program *run, const char *name, size_t limit, char **text, size_t *length,
                   host_error *error);
/* Drops the rest of the output and waits for the end. The exit status; -1 after a signal. */
int program_end(program *run);

/* Starts it, reads at most `limit` bytes of output and waits. The output is malloc'ed and has a
 * NUL behind its *length bytes. -1 and an error, also if it does not end with 0. */
int program_read(const char *const *words, size_t limit, char **text, size_t *length,
                 host_error *error);

#endif
