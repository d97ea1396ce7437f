/* Random inputs of every kind for one instance after the other, in memory, and a monitor of the
 * document's properties over each run. */
#ifndef TESTS_WALK_WALK_H
#define TESTS_WALK_WALK_H

#include "instance/inner.h"
#include "verify/property.h"
#include "walk/data.h"

enum { RUN_MOST = 150, CONFIGURATIONS_MOST = 1 << 16 };

/* What a property came to, over all runs. */
typedef struct walked {
    bool violated, reached;
    char *trace; /* the inputs of the run that violated it with the fewest steps */
    uint64_t fewest;
} walked;

typedef struct walk {
    wfsm_machine *machine;
    wfsm_functions *functions;
    wfsm_instance *instance;
    wfsm_error *error;
    const char *const *starts; /* inputs of starts, JSON; none: {} */
    size_t start_count;
    chance random;
    data_pool pool;
    wf_arena document_arena;
    wf_arena arena; /* of the input at work */
    wf_buffer text; /* its data */
    wf_buffer trace; /* of this run */
    int64_t now;
    uint64_t revision;
    wf_value event; /* that it was, for the properties; ABSENT: none */
    wf_buffer record; /* of the last commit; empty: none */
    char late[WF_INVOCATION_ID_BYTES]; /* an invocation that was there before */
    uint8_t *memory, *verdicts;
    walked *walked;
    uint64_t *configurations; /* sets of states that were seen, open addressing */
    uint32_t configuration_count;
    uint64_t inputs, steps, runs;
} walk;

bool walk_open(walk *self, const char *text, size_t length, uint64_t seed);
void walk_close(walk *self);
/* So many inputs; a run has RUN_MOST at most, or ends where its instance does. */
bool walk_on(walk *self, uint64_t inputs);
/* A JSON object: what was seen. */
void walk_report(const walk *self, wf_buffer *out);
#endif
