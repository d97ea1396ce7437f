/* Starts one program in a process group of its own: the fork and exec below process.c. */
#ifndef WFA_PROCESS_SPAWN_H
#define WFA_PROCESS_SPAWN_H

#include <sys/types.h>

#include "agent_error.h"

typedef struct wfa_spawn {
    const char *const *argv; /* ends with NULL; argv[0] is looked up in PATH */
    char **environment; /* the whole of it, ends with NULL; its PATH counts, but not what in
                                it is relative to `folder` */
    const char *folder; /* where it works, or NULL for the host's own folder */
    int files[3]; /* its stdin, stdout and stderr */

    /* Called when the process exists and has run nothing of `argv` yet. A failure, or
     * the host's death, before this returns 0 means that `argv` never runs: what is
     * written down here is known before any work is done. */
    int (*record)(void *user, pid_t pid, wfa_error *error);
    void *user;
} wfa_spawn;

/* 0 and *pid, which leads its group and is the caller's to reap; or -1 with an error
 * that names the program or the folder, and no process is left. The child gets the
 * three files and nothing else that is open here, default signals and no mask. */
int wfa_spawn_run(const wfa_spawn *spawn, pid_t *pid, wfa_error *error);

/* The environment of a program: of the host's own what every program needs and the variables that
 * `pass` names; PATH without what is relative. `extra` ("NAME=value") is added, or takes the place of
 * what has the same name. Both end with NULL, or are NULL. One malloc'ed block that borrows the texts:
 * it is to be freed before they change. NULL when out of memory. */
char **wfa_environment(const char *const *extra, const char *const *pass);

/* The file of a program: the name itself if it has a slash, otherwise the first file of this name in
 * an absolute folder of the environment's PATH. malloc'ed; NULL and errno. */
char *wfa_program_path(const char *name, char *const *environment);

#endif
