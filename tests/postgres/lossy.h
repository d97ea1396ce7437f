/* lossy.h: a store whose answers a relay can lose, and another one without a relay. */
#ifndef TESTS_POSTGRES_LOSSY_H
#define TESTS_POSTGRES_LOSSY_H

#include <stdbool.h>
#include <wfsm/wfsm.h>
#include "postgres/relay.h"

extern wfsm_store *store, *plain; /* made again for each test */
extern wfsm_error *error;
extern relay *between;

/* Starts the server and the relay. False: there is no server, and the test is skipped. */
bool lossy_start(void);
#endif
