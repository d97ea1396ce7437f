/* What `init` of a host writes into a project. Files that exist stay as they are. */
#ifndef HOST_SETUP_H
#define HOST_SETUP_H

#include <stddef.h>

#include "error.h"
#include "starters.h"

/* Writes a file unless it is there, and says which. */
int host_setup_write(const char *path, const char *text, size_t length, host_error *error);
/* Writes the starters of a host beside its configuration, the prompts in a folder there. Documents that are
 * installed are left out. `all` ends with a NULL name. */
int host_setup_starters(const starter_text *all, const char *host, const char *config,
                        host_error *error);
/* Adds the lines that .gitignore of the current folder lacks; NULL at the end. */
int host_setup_ignore(const char *const *lines, host_error *error);

/* With --json, messages for people go to standard error until the end of `init`. Returns standard output, put
 * aside; -1: that cannot be done. */
int host_setup_aside(void);
/* Brings it back, and prints {"config": FILE, "ready": whether all is well}. */
void host_setup_tell(int aside, const char *config, int ready);

#endif
