/* What a person wants, read and checked before anything is stored. */
#ifndef PROMPT_H
#define PROMPT_H

#include <jansson.h>

#include "aigentflow.h"

/* The task in words: the operand of run, or the file; malloc'ed. NULL after saying why: empty,
 * too long, not UTF-8. */
char *prompt_read(const arguments *given);

/*
 * The epic of a file, {"epicId"?, "features": [{"featureId", "name", …}], "parallelFeatures"?},
 * with what may be left out filled in. NULL after saying why: features with the same id, too
 * many of them, and what else is not as it should be.
 */
json_t *epic_read(const char *path);

#endif
