/* A store before another one: it hands all calls on. Tests replace what they want to be otherwise. */
#ifndef TESTS_STORE_WRAPPER_H
#define TESTS_STORE_WRAPPER_H

#include <wfsm/store.h>

/* The first member of what a test's own calls get as `self`. */
typedef struct wrapper {
    wfsm_store *inner;
} wrapper;

/* Without the calls that `exchange` can stand for. `close` frees the inner store, and not the wrapper. */
wfsm_store_vtable wrapper_vtable(void);
#endif
