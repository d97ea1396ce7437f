/* The six phases of a change, as STATE.yaml and people call them. */
#ifndef AGENTD_PHASE_H
#define AGENTD_PHASE_H

typedef enum phase {
    PHASE_PROPOSED,
    PHASE_CHALLENGED,
    PHASE_REJECTED,
    PHASE_IMPLEMENTING,
    PHASE_COMPLETE,
    PHASE_ARCHIVED
} phase;

enum { PHASES = PHASE_ARCHIVED + 1 };

/* "Proposed", … */
const char *phase_name(phase which);
/* -1 when no phase has this name, letter by letter. */
int phase_named(const char *name, phase *which);

#endif
