/* crash_script.h: a file of lines as `wfsm simulate` reads them, all at once. */
#ifndef WFSM_CRASH_SCRIPT_H
#define WFSM_CRASH_SCRIPT_H

#include <wfsm/testkit.h>
#include "wfsm/simulate_input.h"

typedef struct crash_script {
    sim_input *lines;
    wfsm_testkit_input *inputs;
    const wfsm_testkit_input **list; /* for the testkit */
    size_t count;
} crash_script;

/* Returns an exit code, and prints errors. Initialise with {0}, and free in any case. */
int crash_script_read(crash_script *script, const char *path);
void crash_script_free(crash_script *script);
#endif
