/* The parts of the conformance suite, and the store that their case is about. */
#ifndef TESTS_STORE_CASES_H
#define TESTS_STORE_CASES_H

#include "store/fixture.h"

extern wfsm_store *store;
wfsm_store *open_store(int which);
void reopen_store(void);

void run_commit_cases(void);
void run_reading_cases(void);
void run_inbox_cases(void);
#endif
