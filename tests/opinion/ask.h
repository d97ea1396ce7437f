/* What wfsm_verify() says of a document: as JSON, through the public call only. */
#ifndef TESTS_OPINION_ASK_H
#define TESTS_OPINION_ASK_H

#include <jansson.h>
#include <stdbool.h>
#include <wfsm/wfsm.h>

/*
 * {"verdict", "bound", "states", "properties": {NAME: VERDICT}, "never_entered": [PATH],
 *  "never_taken": [POINTER], "violated": [{"property", "replayed", "script": [STEP]}]}.
 * NULL: it fails. `seconds` of processor time; 0: no limit.
 */
json_t *ask_verify(wfsm_machine *machine, bool punctual, uint64_t states, double seconds,
                   wfsm_error *error);

#endif
