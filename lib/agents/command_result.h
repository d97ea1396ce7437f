/* What became of one command, as JSON. */
#ifndef WFA_COMMAND_RESULT_H
#define WFA_COMMAND_RESULT_H

#include <jansson.h>

#include "process.h"

/* The result of a child that has ended; NULL when out of memory. `argv` is borrowed. */
json_t *wfa_command_result(wfa_child *child, json_t *argv);
/* Did it end by itself, with 0? */
int wfa_command_passed(const json_t *result);

#endif
