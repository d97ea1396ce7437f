/* An instance as it stands in the store: read, never changed. */
#ifndef WFA_STORED_H
#define WFA_STORED_H

#include <jansson.h>
#include <wfsm/instance.h>

#include "owner_name.h"

enum { WFA_STATE_SIZE = 256 };

typedef struct wfa_stored {
    json_t *context;
    json_t *invocations;       /* outstanding ones */
    char state[WFA_STATE_SIZE]; /* dotted path of the first active state */
    char owner[WFA_OWNER_SIZE];
    char parent[WFA_STATE_SIZE]; /* the invocation that it is a child workflow of, or "" */
    uint64_t revision;
    int64_t created, updated;
    int over;     /* tag terminal */
    int awaiting; /* tag awaiting_input */
    int failed;   /* tag error */
    int ended;    /* it takes nothing any more */
} wfa_stored;

/* For reading, the store must exist and is not changed; for making it may be missing. */
typedef enum wfa_store_use { WFA_STORE_READ, WFA_STORE_WRITE, WFA_STORE_MAKE } wfa_store_use;
int32_t wfa_store_open(wfsm_store **store, const char *path, wfa_store_use use,
                       wfsm_error *error);

/* Must be cleared after failure, too. */
int32_t wfa_stored_read(wfa_stored *read, wfsm_store *store, const char *id, wfsm_error *error);
void wfa_stored_clear(wfa_stored *read);

/* A text of the context; "" when there is none. A number; 0. */
const char *wfa_stored_text(const wfa_stored *read, const char *key);
json_int_t wfa_stored_number(const wfa_stored *read, const char *key);

/* The part of a dotted path before the first dot. */
void wfa_top_state(const char *path, char top[WFA_STATE_SIZE]);

/* The top-level states before and after a record ("" before the start), as
 * doc/records.md has them. 0 when nothing moved. */
int wfa_record_states(const json_t *record, char from[WFA_STATE_SIZE], char to[WFA_STATE_SIZE]);

#endif
