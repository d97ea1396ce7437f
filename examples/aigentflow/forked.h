/* A task that was forked from another has its name, and the worktrees of its epic, until it is given
 * its own. */
#ifndef FORKED_H
#define FORKED_H

#include <jansson.h>

#include "settings.h"

/* What is to be patched in the context of the task of this id: new; NULL if it has its own. */
json_t *forked_patch(const json_t *context, const settings *with, const char *id);

#endif
