/* forked.h: a command of wfsm in a process of its own, for servers: a document or a store can neither stop
 * the server nor block it. The server has one thread, and no store open. */
#ifndef WFSM_FORKED_H
#define WFSM_FORKED_H

#include <sys/types.h>
#include "wfsm/cli.h"

/* Starts it: words end with NULL, the first one is the command's name. `input` is its standard input, or NULL.
 * It writes to out[1] and errors[1], which stay open here. -1 with errno set. */
pid_t forked_start(const char *const *words, const char *input, const int out[2],
                   const int errors[2]);
/* The same as a new program, for a process that has a store open: it reads nothing, and writes to the same output. */
pid_t forked_program(const char *const *words);
/* Waits for its end. Its exit code; 128 if a signal ended it. */
int forked_code(pid_t process);
/* A new file with this text, in the folder for temporary files, whose name is to be freed; NULL: it cannot be
 * made. */
char *forked_file(const char *text, size_t length);
#endif
