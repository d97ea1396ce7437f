/* One invocation of one agent, in a store in memory. */
#ifndef WFSM_DOCTOR_ATTEMPT_H
#define WFSM_DOCTOR_ATTEMPT_H

#include <jansson.h>
#include <stdbool.h>
#include <wfsm/agents.h>

/* Runs the agent "attempt" of a collection of its own, and frees the collection. The files of the run are
 * in FOLDER/runs. *outcome is the context behind it: {"output": its answer or null, "failure":
 * {"class", "message"} or null}; the caller's. False, and an error. */
bool doctor_attempt(wfsm_agents *agents, const char *folder, const json_t *input,
                    json_t **outcome, wfsm_error *error);

/* A new folder for attempts, among the temporary files. False, and an error. */
enum { DOCTOR_FOLDER_SIZE = 256 };
bool doctor_folder_make(char folder[DOCTOR_FOLDER_SIZE], wfsm_error *error);
/* Removes it, with all that is in it. */
void doctor_folder_remove(const char *folder);

#endif
