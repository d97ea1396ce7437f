/* What became of one command, as JSON. */
#ifndef COMMAND_RESULT_H
#define COMMAND_RESULT_H

#include <jansson.h>

#include "hostkit/process.h"

/* The result of a child that has ended; NULL when out of memory. `argv` is borrowed. */
json_t *command_result(hk_child *child, json_t *argv);
/* Did it end by itself, with 0? */
int command_passed(const json_t *result);

#endif
