/* What the tests of the crash kit share: a machine with everything in it, a script, and a
 * store that can be opened again. */
#ifndef TESTS_TESTKIT_PLAYS_H
#define TESTS_TESTKIT_PLAYS_H

#include <wfsm/testkit.h>

/* A store whose contents outlive its handles, until it is wiped. */
typedef struct play_store {
    wfsm_store *kept;
    /* What a handle is wrapped in, or NULL: takes over `inner`. */
    int32_t (*wrap)(wfsm_store **store, wfsm_store *inner, wfsm_error *error);
    void (*cut)(void);
    char message[600]; /* of the last violation */
} play_store;

wfsm_machine *play_machine(void);
/* Options over a memory store, ready for wfsm_testkit_crash(). */
wfsm_testkit_crash_options play_options(play_store *store, wfsm_machine *machine);
#endif
