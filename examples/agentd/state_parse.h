/* The fields of STATE.yaml, read with libyaml. */
#ifndef AGENTD_STATE_PARSE_H
#define AGENTD_STATE_PARSE_H

#include "state_file.h"

/* One mapping of plain values, each key once and none missing; -1 and NAME:LINE: what was
 * expected. The digest is not compared. */
int state_parse(const char *name, const char *text, size_t length, state *read,
                host_error *error);

#endif
