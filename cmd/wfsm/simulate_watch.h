/* simulate_watch.h: the document's properties, watched while it is simulated. */
#ifndef WFSM_SIMULATE_WATCH_H
#define WFSM_SIMULATE_WATCH_H

#include <wfsm/monitor.h>
#include "wfsm/cli.h"

typedef struct sim_watch {
    wfsm_monitor *monitor; /* NULL: no properties are watched */
    uint64_t revision;     /* that was seen last */
    cli_text violated; /* names, JSON texts separated by commas: by the steps of this line */
    bool ever; /* one was, by some line */
    const char
        *unassumed; /* an event of this line that breaks `assume`; NULL: none. The machine's */
} sim_watch;

bool sim_watch_begin(sim_watch *watch, wfsm_machine *machine, wfsm_error *error);
void sim_watch_end(sim_watch *watch);
/* Before the first step of a line. */
void sim_watch_line(sim_watch *watch);
/* After each step. */
void sim_watch_after(sim_watch *watch, wfsm_instance *instance, wfsm_error *error);
/* The last record is none of those that properties are about. */
void sim_watch_pass_over(sim_watch *watch, const wfsm_instance *instance);
/* Time has passed, and nothing has happened. */
void sim_watch_pass(sim_watch *watch, int64_t now, wfsm_error *error);
/* The names of those that are of enum wfsm_watched, as `violated`. */
void sim_watch_names(const sim_watch *watch, int32_t watched, cli_text *names);
#endif
