/*
 * What every store must do, as one suite. An author gives a way to open their store;
 * each case begins with empty ones.
 */
#ifndef TESTS_STORE_CONFORMANCE_H
#define TESTS_STORE_CONFORMANCE_H

#include <stdbool.h>
#include <wfsm/store.h>

typedef struct conformance_store {
    /* Opens store 0 or 1, which have nothing in common; opened again, it has what was
     * committed before if the store is durable. NULL fails the test. */
    wfsm_store *(*open)(void *user, int which);
    /* Throws away what both hold; nothing is open then. */
    void (*wipe)(void *user);
    void *user;
    bool durable; /* outlives its handle, and may have two at a time */
} conformance_store;

/* Between UNITY_BEGIN() and UNITY_END(); setUp and tearDown call the two below. */
void conformance_run(const conformance_store *store);
void conformance_set_up(void);
void conformance_tear_down(void);
#endif
