/* An instance as it stands in the store: read, never changed. */
#ifndef HK_STORED_H
#define HK_STORED_H

#include <jansson.h>
#include <wfsm/instance.h>

#include "owner.h"

enum { HK_STATE_SIZE = 256 };

typedef struct hk_stored {
    json_t *context;
    json_t *invocations;       /* outstanding ones */
    char state[HK_STATE_SIZE]; /* dotted path of the first active state */
    char owner[HK_OWNER_SIZE];
    char parent[HK_STATE_SIZE]; /* the invocation that it is a child workflow of, or "" */
    uint64_t revision;
    int64_t created, updated;
    int over;     /* tag terminal */
    int awaiting; /* tag awaiting_input */
    int failed;   /* tag error */
    int ended;    /* it takes nothing any more */
} hk_stored;

/* For reading, the store must exist and is not changed; for making it may be missing. */
typedef enum hk_store_use { HK_STORE_READ, HK_STORE_WRITE, HK_STORE_MAKE } hk_store_use;
int32_t hk_store_open(wfsm_store **store, const char *path, hk_store_use use,
                      wfsm_error *error);

/* Must be cleared after failure, too. */
int32_t hk_stored_read(hk_stored *read, wfsm_store *store, const char *id, wfsm_error *error);
void hk_stored_clear(hk_stored *read);

/* A text of the context; "" when there is none. A number; 0. */
const char *hk_stored_text(const hk_stored *read, const char *key);
json_int_t hk_stored_number(const hk_stored *read, const char *key);

/* The part of a dotted path before the first dot. */
void hk_top_state(const char *path, char top[HK_STATE_SIZE]);

/* The top-level states before and after a record ("" before the start), as
 * doc/records.md has them. 0 when nothing moved. */
int hk_record_states(const json_t *record, char from[HK_STATE_SIZE], char to[HK_STATE_SIZE]);

#endif
