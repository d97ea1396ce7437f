/* stored.h: looking into a store. */
#ifndef WFSM_STORED_H
#define WFSM_STORED_H

#include <stdio.h>
#include "wfsm/cli.h"

/* The head of an instance for list and show. A copy, because heads are borrowed. */
typedef struct stored_head {
    char *id, *machine, *fingerprint, *owner, *token, *tags, *attributes;
    uint64_t revision, snapshot_revision, first, effects, acknowledged;
    int32_t status;
    int64_t deadline, created, updated;
} stored_head;

void stored_head_copy(stored_head *copy, const wfsm_head *head);
void stored_head_free(stored_head *head);
/* "running" or "done". */
const char *stored_status(const stored_head *head);

/* An instance that only answers questions, with the document that the store keeps. Its host
 * functions refuse to be asked. */
typedef struct stored_instance {
    wfsm_instance *instance;
    wfsm_machine *machine;
    wfsm_functions *functions;
} stored_instance;

/* Functions for all guards and actions of a machine. Each one fails. */
int32_t stored_functions(wfsm_functions **functions, const wfsm_machine *machine,
                         wfsm_error *error);

/* The store, opened for reading only, or NULL after printing an error. */
wfsm_store *stored_open(const char *path);
/* The same for a command that changes something. */
wfsm_store *stored_open_to_write(const char *path);
/* True if the instance exists. Otherwise prints an error. */
bool stored_find(wfsm_store *store, const char *path, const char *id, stored_head *head);
/* False if it cannot be loaded; that is said. */
bool stored_load(stored_instance *loaded, wfsm_store *store, const stored_head *head);
/* Machines that were compiled already: who loads many instances does it once for each. */
typedef struct stored_machines {
    wfsm_machine **list;
    size_t count, capacity;
} stored_machines;
bool stored_load_known(stored_instance *loaded, wfsm_store *store, const stored_head *head,
                       stored_machines *known);
/* The same without a word about what is wrong. */
int32_t stored_try_load(stored_instance *loaded, wfsm_store *store, const stored_head *head,
                        stored_machines *known, wfsm_error *error);
void stored_machines_free(stored_machines *known);
void stored_unload(stored_instance *loaded);

/* A revision on the command line. False after printing an error. */
bool stored_revision(const char *text, uint64_t *revision);

/* The operands of journal, audit and others, and --json. */
typedef struct stored_request {
    const char *store, *id;
    bool json;
} stored_request;
enum stored_id { STORED_MAYBE_ID, STORED_NEEDS_ID };
/* Gives an exit code; `id` tells whether the second operand has to be there. */
int stored_parse(stored_request *request, int count, char **list, const char *command,
                 enum stored_id id);
#endif
