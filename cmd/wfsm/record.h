/* record.h: a record of a journal as text. */
#ifndef WFSM_RECORD_H
#define WFSM_RECORD_H

#include <jansson.h>
#include "wfsm/cli.h"

/* The string of a key, "" if there is none. */
const char *record_string(const json_t *object, const char *key);
/* "event submit", "failure task/3/1 network", "fork task c1": the kind of the input and what
 * tells it from others. */
void record_input(cli_text *text, const json_t *record);
/* What a change makes of a value (doc/records.md), as a new value. A record itself is the change of
 * its context. */
json_t *record_changed(const json_t *value, const json_t *change);
/* The strings of a list, joined. */
void record_joined(cli_text *text, const json_t *list, const char *between);
#endif
