/* evidence.h: the check of what `wfsm evidence` exports. */
#ifndef WFSM_EVIDENCE_H
#define WFSM_EVIDENCE_H

#include <jansson.h>
#include "wfsm/cli.h"

enum { EVIDENCE_FORMAT = 1 };

/* Prints what is wrong, or a line that says what was checked. True if nothing is wrong. keys and
 * head may be NULL. */
bool evidence_check(const char *path, const cli_text *text, const json_t *keys,
                    const char *head);
#endif
