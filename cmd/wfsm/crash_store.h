/* crash_store.h: the stores that crash-test plays on. */
#ifndef WFSM_CRASH_STORE_H
#define WFSM_CRASH_STORE_H

#include <wfsm/testkit.h>
#include "wfsm/cli.h"

enum { CRASH_PATH_BYTES = 600 };

typedef struct crash_store {
    bool sqlite;
    wfsm_testkit_plan wrong; /* `early` is set with --wrong */
    wfsm_store *kept;        /* what is in memory */
    wfsm_store *file;        /* below `wrong`: closed with the next opening */
    bool was_cut;            /* the files of the cut take the place of the closed ones */
    char folder[CRASH_PATH_BYTES / 2];
    char path[CRASH_PATH_BYTES];
} crash_store;

/* Makes a folder for SQLite. False after printing an error. */
bool crash_store_begin(crash_store *store, bool sqlite, bool wrong);
void crash_store_end(crash_store *store);

/* For wfsm_testkit_crash(), their user is the crash_store. */
int32_t crash_store_open(void *user, wfsm_store **store, wfsm_error *error);
void crash_store_cut(void *user);
void crash_store_wipe(void *user);
#endif
