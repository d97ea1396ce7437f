/* simulate_answers.h: host guards and functions whose answers stand on the command line. */
#ifndef WFSM_SIMULATE_ANSWERS_H
#define WFSM_SIMULATE_ANSWERS_H

#include "wfsm/cli.h"

typedef struct sim_given {
    char *name;
    const char *value; /* "true", "false", or a JSON object */
    int32_t kind;      /* WFSM_USES_GUARDS or WFSM_USES_ACTIONS */
} sim_given;

/* All that was given; begins as {0}. */
typedef struct sim_answers {
    sim_given *list;
    size_t count;
    wfsm_functions *functions;
} sim_answers;

/* Adds NAME=VALUE of --guard or --action. False if it is not of that form; that was said. */
bool sim_answers_add(sim_answers *answers, int32_t kind, const char *text);
/* Makes the functions, if the machine uses exactly the names given. False with each wrong
 * name said. */
bool sim_answers_fit(sim_answers *answers, const wfsm_machine *machine);
void sim_answers_free(sim_answers *answers);
#endif
