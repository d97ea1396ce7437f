/* What became of one command, as JSON. */
#ifndef HK_COMMAND_RESULT_H
#define HK_COMMAND_RESULT_H

#include <jansson.h>

#include "process.h"

/* The result of a child that has ended; NULL when out of memory. `argv` is borrowed. */
json_t *hk_command_result(hk_child *child, json_t *argv);
/* Did it end by itself, with 0? */
int hk_command_passed(const json_t *result);

#endif
