/* Runs the suite of libwfsm-testkit over a store and prints what it finds. */
#ifndef TESTS_STORE_CONFORMANCE_H
#define TESTS_STORE_CONFORMANCE_H

#include <wfsm/testkit.h>

/* The exit code of the test: 0 if at least `least` cases passed, and none failed. */
int conformance_run(const wfsm_testkit_store_options *store, uint64_t least);
#endif
