/* Reads and checks the prompt and the epic before anything is stored. */
#ifndef PROMPT_H
#define PROMPT_H

#include <jansson.h>

#include "aigentflow.h"

/* The prompt: the operand of run, or the file; malloc'ed. NULL after printing an error: empty,
 * too long, not UTF-8. */
char *prompt_read(const arguments *given);

/*
 * The epic of a file, {"epicId"?, "features": [{"featureId", "name", …}], "parallelFeatures"?},
 * with the optional members filled in. An epic without an epicId gets the id of the task, which is
 * also the name of folders and branches then. NULL after printing an error: two features with the
 * same id, too many features, or a malformed member.
 */
json_t *epic_read(const char *path, const char *task);

/* 1 to 64 letters, digits, - and _. */
int epic_may_be_called(const char *name);

#endif
