/* An agent that is the host itself and runs commands, one after the other.
 *
 * A command is {"argv": […], "timeout_ms"?, "kind"?, "skip"?}; its result is that of
 * command_result.h, with the command's "kind". One with "skip", the words why, is not run: its
 * result has "skipped": true, no exit code, and the words as its "reason".
 *
 * A host that was killed can leave a command at work. It is ended before the next attempt, since
 * two at once would disturb each other, and all are run again. */
#ifndef WFA_COMMANDS_H
#define WFA_COMMANDS_H

#include <jansson.h>
#include <wfsm/engine.h>

#include "process.h"

/* Made by the host, with `work` NULL; what it points to is borrowed, and must live until
 * wfa_commands_end(). */
typedef struct wfa_commands {
    const char *name; /* of the agent */
    wfa_children *children;
    const char *runs;   /* the folder for what commands write */
    int64_t timeout_ms; /* of a command without a limit of its own */
    size_t max_output;  /* bytes, of stdout as of stderr */
    int all;            /* also those behind one that failed; 0: up to it */

    /* What an invocation with this input asks for, as a new object {"folder": where they work,
     * "commands": […]}; NULL and an error. */
    json_t *(*find)(void *user, const json_t *input, wfa_error *error);
    /* The answer to it, a new object; NULL when out of memory. */
    json_t *(*answer)(void *user, json_t *results);
    void *user;

    struct wfa_commands_run *work;
} wfa_commands;

int32_t wfa_commands_add(wfa_commands *agent, wfsm_engine *engine, wfsm_error *error);
/* Ends what is at work. After the engine is freed. */
void wfa_commands_end(wfa_commands *agent);

#endif
