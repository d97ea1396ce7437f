/* simulate_answers.h: host guards and functions whose answers are on the command line. */
#ifndef WFSM_SIMULATE_ANSWERS_H
#define WFSM_SIMULATE_ANSWERS_H

#include <jansson.h>
#include "wfsm/cli.h"

struct sim_answers;
typedef struct sim_given {
    char *name;
    const char *value; /* "true", "false", or a JSON object; NULL: only the lines answer */
    int32_t kind;      /* WFSM_USES_GUARDS or WFSM_USES_ACTIONS */
    struct sim_answers *all;
} sim_given;

/* All that was given; begins as {0}. */
typedef struct sim_answers {
    sim_given *list;
    size_t count;
    wfsm_functions *functions;
    bool by_hand;
    bool watched; /* the document's properties are */
    const json_t *line; /* by hand: the answers of the present line, or NULL */
    size_t next;        /* of them */
} sim_answers;

/* Adds NAME=VALUE of --guard or --action. False after printing an error. */
bool sim_answers_add(sim_answers *answers, int32_t kind, const char *text);
/* Makes the functions, if the machine uses exactly the names given, or by hand some of them.
 * False with each wrong name said. */
bool sim_answers_fit(sim_answers *answers, const wfsm_machine *machine);
void sim_answers_free(sim_answers *answers);
#endif
