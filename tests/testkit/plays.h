/* What the crash tests share: a machine that uses every feature, a script, and a
 * store that can be opened again. */
#ifndef TESTS_TESTKIT_PLAYS_H
#define TESTS_TESTKIT_PLAYS_H

#include <wfsm/testkit.h>

/* A store whose contents outlive its handles, until it is wiped. */
typedef struct play_store {
    wfsm_store *kept;
    /* Wraps `inner` and takes it over; or NULL. */
    int32_t (*wrap)(wfsm_store **store, wfsm_store *inner, wfsm_error *error);
    void (*cut)(void);
    char message[600]; /* of the last violation */
} play_store;

wfsm_machine *play_machine(void);
/* Options over a memory store, ready for wfsm_testkit_crash(). */
wfsm_testkit_crash_options play_options(play_store *store, wfsm_machine *machine);
#endif
