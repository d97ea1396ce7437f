/* The machine documents, as they are compiled in. */
#ifndef AGENTD_MACHINES_H
#define AGENTD_MACHINES_H

typedef struct machine_text {
    const char *name; /* "lifecycle", "plan", "impl" */
    const char *text;
} machine_text;

/* Ends with a NULL name. */
extern const machine_text machine_texts[];

#endif
