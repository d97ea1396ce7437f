/* The paths of the project's files; see tree.h. */
#ifndef AGENTD_TREE_FILES_H
#define AGENTD_TREE_FILES_H

#include <jansson.h>

#include "place.h"

/* A new object with a null for each path, or NULL and an error. */
json_t *tree_paths(const place *at, host_error *error);

#endif
