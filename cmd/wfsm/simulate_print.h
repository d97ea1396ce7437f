/* simulate_print.h: the lines that `wfsm simulate` writes. */
#ifndef WFSM_SIMULATE_PRINT_H
#define WFSM_SIMULATE_PRINT_H

#include "wfsm/simulate_step.h"

/* One JSON object and a line break, written out at once. False if that failed. */
bool sim_print(FILE *out, sim_run *sim);
#endif
