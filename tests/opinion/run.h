/* One run of a document: a script is played on a new instance. A script is an array of what
 * `wfsm simulate --by-hand` reads, and an invocation can also be a number:
 * which of those that are outstanding. */
#ifndef TESTS_OPINION_RUN_H
#define TESTS_OPINION_RUN_H

#include <jansson.h>
#include "laws/chance.h"
#include "opinion/watch.h"

enum { LABELS_MOST = 512 };

typedef struct player {
    wfsm_machine *machine;
    wfsm_functions *functions;
    wfsm_error *error;
    watcher *watch;
    const json_t
        *shapes; /* {"events": {NAME: SHAPE}, "results": {INVOKE: SHAPE}, "patch": SHAPE} */
    const json_t *budgets; /* of the document */
    wfsm_instance *instance;
    int64_t now;
    bool punctual; /* no timer fires late */
    json_t *played; /* the script as it was played, for `wfsm simulate --by-hand` */
    json_t *ids; /* of events that were sent */
    json_t *step; /* what is played; its host answers are kept in `answers` */
    json_t *answers;
    json_t *asked; /* by guard, and by what it sees: what it has answered in this step */
    json_t *record; /* of the last commit */
    uint64_t signature; /* of all that was seen */
    uint64_t look; /* of the last step only */
    bool committed;
    unsigned char labels[LABELS_MOST]; /* of transitions that were taken, by any run */
    json_t *entered; /* states that were entered, by any run */
} player;

/* `document` is that of the machine; it and the shapes are borrowed. */
bool run_open(player *self, wfsm_machine *machine, const json_t *document, watcher *watch,
              const json_t *shapes, wfsm_error *error);
void run_close(player *self);

/* Plays the first step of a script, the start. False if it cannot start. */
bool run_begin(player *self, const json_t *step);
void run_end(player *self);
/* False if the step means nothing here: nothing is outstanding, or nothing is due. */
bool run_step(player *self, const json_t *step);
/* The ledger, as wfsm_instance_invocations() gives it. The caller owns it. */
json_t *run_outstanding(player *self);
/* A start, and a step that may mean something. The caller owns it. */
json_t *run_draw_start(player *self, chance *random);
json_t *run_draw(player *self, chance *random);

#endif
