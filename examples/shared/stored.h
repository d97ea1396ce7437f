/* An instance as it stands in the store: read, never changed. */
#ifndef HOST_STORED_H
#define HOST_STORED_H

#include <jansson.h>
#include <wfsm/instance.h>

#include <wfsm/agents.h>

enum { HOST_STATE_SIZE = 256 };

typedef struct host_stored {
    json_t *context;
    json_t *invocations;       /* outstanding ones */
    char state[HOST_STATE_SIZE]; /* dotted path of the first active state */
    char owner[WFSM_OWNER_SIZE];
    char parent[HOST_STATE_SIZE]; /* the invocation that it is a child workflow of, or "" */
    uint64_t revision;
    int64_t created, updated;
    int over;     /* tag terminal */
    int awaiting; /* tag awaiting_input */
    int failed;   /* tag error */
    int ended;    /* it takes nothing any more */
} host_stored;

/* Must be cleared after failure, too. */
int32_t host_stored_read(host_stored *read, wfsm_store *store, const char *id,
                         wfsm_error *error);
/* The same at an earlier revision, without what only the newest one has: owner, revision, times, ended. */
int32_t host_stored_read_at(host_stored *read, wfsm_store *store, const char *id,
                            uint64_t revision, wfsm_error *error);
void host_stored_clear(host_stored *read);

/* Posts an event that a person has typed as a command: the record says so, and whose login it was.
 * data NULL: null. As wfsm_store_submit(). */
int32_t host_post_command(wfsm_store *store, const char *id, const char *event,
                          const char *data, wfsm_error *error);

/* A text of the context; "" when there is none. A number; 0. */
const char *host_stored_text(const host_stored *read, const char *key);
json_int_t host_stored_number(const host_stored *read, const char *key);

/* The part of a dotted path before the first dot. */
void host_top_state(const char *path, char top[HOST_STATE_SIZE]);

/* The top-level states before and after a record ("" before the start), as
 * doc/records.md has them. 0 when nothing moved. */
int host_record_states(const json_t *record, char from[HOST_STATE_SIZE],
                       char to[HOST_STATE_SIZE]);

/* False for a file that the first task makes, and that is not there yet. */
int host_store_is_made(const char *address);

#endif
