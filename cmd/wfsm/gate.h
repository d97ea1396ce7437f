/*
 * gate.h: may a document take the place of the one that the instances of a store have? Each part
 * adds what it finds; the pages print it.
 */
#ifndef WFSM_GATE_H
#define WFSM_GATE_H

#include <wfsm/verify.h>
#include "wfsm/cli.h"
#include "wfsm/verify_print.h"

enum gate_severity { GATE_NOTE, GATE_WARNING, GATE_ERROR };
/* GATE_MOST: diagnostics that are kept; a store has any number of instances. */
enum { GATE_EXAMPLES = 3, GATE_MOST = 500 };

/* Instances with the same message share one diagnostic. */
typedef struct gate_diagnostic {
    enum gate_severity severity;
    const char *rule; /* static, one of gate_rules */
    char *message;
    int line, column; /* in the document */
    uint64_t count;   /* of instances; 0: it is about none */
    char *examples[GATE_EXAMPLES];
} gate_diagnostic;

/* One of the instances that changed last. */
typedef struct gate_recent {
    char *id;
    int64_t updated;
} gate_recent;

typedef struct gate {
    const char *file, *path;
    wfsm_machine *machine; /* the new document */
    wfsm_store *store;     /* for reading */
    uint64_t replays;      /* of the last so many instances */
    enum gate_severity divergence; /* what a divergence is */
    gate_diagnostic *diagnostics;
    size_t count, capacity;
    uint64_t more; /* diagnostics that were not kept */
    gate_recent *recent;
    size_t recent_count;
    char **documents; /* fingerprints of the other documents */
    size_t document_count;
    int32_t verdict; /* of the verification */
    uint64_t instances, living, there, movable, staying;
    uint64_t replayed, same, diverging; /* the rest cannot be replayed under another document */
    bool terminal; /* progress is shown */
} gate;

/* Adds one, or another example of one that is known. The message is copied; example NULL: it is
 * about no instance. */
void gate_add(gate *self, const gate_diagnostic *found, const char *message,
              const char *example);
void gate_free(gate *self);

/* These read the store, and add to the gate. False after printing an error. */
bool gate_instances(gate *self);
bool gate_replays(gate *self);
bool gate_documents(gate *self);

/* True if one of the diagnostics is an error. */
bool gate_refuses(const gate *self);

void gate_print_text(const gate *self);
void gate_print_json(FILE *out, const gate *self);
void gate_print_sarif(FILE *out, const gate *self);
void gate_print_html(FILE *out, const gate *self);
#endif
