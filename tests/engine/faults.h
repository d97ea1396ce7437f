/* A store that fails at its n-th call, and an allocator that does the same. */
#ifndef TESTS_ENGINE_FAULTS_H
#define TESTS_ENGINE_FAULTS_H

#include <wfsm/wfsm.h>

enum fault {
    FAULT_FAILED,      /* nothing is done: STORE_FAILED */
    FAULT_LOST_BEFORE, /* nothing is done: STORE_UNKNOWN where that is an answer */
    FAULT_LOST_AFTER   /* it is done: STORE_UNKNOWN where that is an answer */
};

typedef struct faults {
    wfsm_store *inner;
    int kind;  /* enum fault */
    int at;    /* the n-th call from now on, from 1; 0: none */
    int count; /* how many calls in a row go wrong */
    int calls; /* so far */
    int denied; /* claims of a session that the inner store has refused */
} faults;

/* The store is new; the inner one must outlive it. */
wfsm_store *faults_open(faults *self, wfsm_store *inner);

/* Fails the n-th allocation from now on (0: none), and `count` in a row. */
typedef struct shortage {
    int at, count, calls;
} shortage;
wfsm_allocator shortage_allocator(shortage *self);
#endif
