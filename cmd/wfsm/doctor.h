/* Trying an agent of a file: does its program run, and does it answer? */
#ifndef WFSM_DOCTOR_H
#define WFSM_DOCTOR_H

#include <stdbool.h>
#include <wfsm/agents.h>

/* The state of one agent. `version` and `message` are malloc'ed, or NULL. */
typedef struct doctor_diagnosis {
    const char *state;  /* static: "ok", "missing", "version", "auth", "quota", "network",
                           "permission", "context", "failed" or "not tried" */
    char *version;      /* the program's own words */
    char *message;      /* the agent's own error message */
    const char *advice; /* static: what to do; NULL: nothing */
} doctor_diagnosis;

/* Tries the agent `name` of a collection that is not registered. timeout_ms: for each of its two
 * attempts. False, and an error: the attempt itself was not possible. */
bool doctor_try(wfsm_agents *agents, const char *name, int64_t timeout_ms,
                doctor_diagnosis *diagnosis, wfsm_error *error);
void doctor_clear(doctor_diagnosis *diagnosis);

/* "claude", "codex", "gemini", "http" or "command". */
const char *doctor_kind(wfsm_agents *agents, const char *name);
/* One line on stdout. */
void doctor_print(const char *name, const char *kind, const doctor_diagnosis *diagnosis);
/* Is there something to do? */
bool doctor_is_ill(const doctor_diagnosis *diagnosis);

#endif
