/* One instance of a generated chart, over a store and an allocator that fail on demand, and
 * the inputs that it is given. */
#ifndef TESTS_LAWS_WORLD_H
#define TESTS_LAWS_WORLD_H

#include "instance/support.h"

enum { WORLD_RECORDS = 128 };

typedef struct world {
    const char *prefix; /* of the names of states */
    wfsm_error *error;
    scarce memory;
    wfsm_allocator allocator;
    wfsm_machine *machine;
    wfsm_functions *functions;
    wfsm_store *journal;
    flaky gate; /* before it */
    wfsm_store *store;
    wfsm_instance *instance; /* NULL: the chart does not start */
    wf_grant grant;
    int64_t now;
    char *records[WORLD_RECORDS]; /* of revision 1, 2, … */
    char *states[WORLD_RECORDS]; /* the states after them, without effects */
    size_t count;
} world;

/* The chart of that seed, started; false with world->instance NULL when its start fails. */
bool world_open(world *self, uint64_t seed, const char *document, const char *prefix);
void world_close(world *self);
/* The guards and the action that charts name; false without memory. */
bool world_add_answers(world *self);
/* The instance as the store has it. */
wfsm_instance *world_load(world *self);
/* Continues with what the store has. */
void world_reload(world *self);

enum input_kind {
    INPUT_SEND,
    INPUT_POST,
    INPUT_ADVANCE,
    INPUT_CLAIM,
    INPUT_RESULT,
    INPUT_FAILURE,
    INPUT_PROBE,
    INPUT_PATCH,
    INPUT_CHECKPOINT,
    INPUT_RESTORE,
    INPUT_DELETE
};

typedef struct input {
    enum input_kind kind;
    const char *name; /* event, failure class, checkpoint */
    const char *data;
    uint64_t revision; /* that is restored; 0: a checkpoint */
    char id[16]; /* of the event; "" none */
    char invocation[WF_INVOCATION_ID_BYTES];
    int32_t answer; /* of a probe */
    int64_t now;
    bool acknowledges; /* the oldest effect, afterwards */
} input;

/* What comes as number `index`; depends on nothing but the seed and the state. */
input world_choose(world *self, uint64_t seed, int index);
/* Gives it. May be repeated after a status that is not WFSM_OK. */
int32_t world_give(world *self, const input *given, int32_t *outcome);
/* What happens beside the commit: the record is kept, an effect acknowledged. */
void world_settle(world *self, const input *given);
const char *input_name(enum input_kind kind);
#endif
