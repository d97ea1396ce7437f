/* simulate_script.h: plays a script of `wfsm verify`, as `wfsm simulate --by-hand` does. */
#ifndef WFSM_SIMULATE_SCRIPT_H
#define WFSM_SIMULATE_SCRIPT_H

#include "wfsm/simulate_step.h"

/* After each line; `line` is its text. False ends it. */
typedef bool script_sink(void *user, const cli_text *line, sim_run *sim);

/* False if a line cannot be played, or the sink ended it. */
bool script_play(wfsm_machine *machine, const char *script, script_sink *sink, void *user);
#endif
