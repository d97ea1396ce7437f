/* crash_witness.h: what crash-test --resume notes in a file, for the process after it. */
#ifndef WFSM_CRASH_WITNESS_H
#define WFSM_CRASH_WITNESS_H

#include <wfsm/testkit.h>
#include "wfsm/cli.h"

typedef struct crash_witness {
    wfsm_testkit_witness witness; /* for the testkit */
    int file;
} crash_witness;

/* Reads the file, and creates it if it does not exist. False after printing an error. */
bool crash_witness_open(crash_witness *self, const char *path);
void crash_witness_close(crash_witness *self);
#endif
