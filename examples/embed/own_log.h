/* The log of own_store.c: a file to which calls of a store are appended. */
#ifndef OWN_LOG_H
#define OWN_LOG_H

#include <sys/types.h>
#include <wfsm/store.h>

typedef struct own_log {
    int file;
    off_t end; /* where the calls end that were read or appended so far; 0: none were */
} own_log;

/* The calls that change a store. */
enum own_call {
    OWN_COMMIT = 1,
    OWN_POST,
    OWN_ACKNOWLEDGE,
    OWN_OWNER_ALIVE,
    OWN_CLAIM,
    OWN_TAKE,
    OWN_DISOWN,
    OWN_REMOVE
};

/* What the log does with each call that it reads. The arguments of every call are in the members of
 * a wfsm_commit. Anything but WFSM_OK ends the reading and is returned. */
typedef int32_t (*own_log_sink)(void *user, int32_t call, const wfsm_commit *arguments,
                                wfsm_error *error);

/* Opens FOLDER/log, or creates it. STORE_FAILED; CORRUPT: the file is something else. Close the log
 * in either case. */
int32_t own_log_open(own_log *log, const char *folder, wfsm_error *error);
void own_log_close(own_log *log);
/* Nobody else reads or writes the log until it is unlocked. STORE_FAILED. */
int32_t own_log_lock(own_log *log, wfsm_error *error);
void own_log_unlock(own_log *log);
/* Reads the calls behind log->end. What the sink returns, CORRUPT, NO_MEMORY, STORE_FAILED. */
int32_t own_log_read(own_log *log, own_log_sink sink, void *user, wfsm_error *error);
/* Appends those of the `count` calls whose answer is WFSM_OK, and syncs. STORE_FAILED: nothing was
 * written; STORE_UNKNOWN: nobody knows what the disk has. */
int32_t own_log_append(own_log *log, int32_t call, const wfsm_commit *const *arguments,
                       size_t count, const int32_t *answers, wfsm_error *error);

#endif
