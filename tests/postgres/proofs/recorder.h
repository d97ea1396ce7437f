/* A store before another one. It writes down what the other one answers, for the audit of a proof. */
#ifndef TESTS_POSTGRES_PROOFS_RECORDER_H
#define TESTS_POSTGRES_PROOFS_RECORDER_H

#include <wfsm/store.h>

/* One line, appended with one write, so that a kill leaves whole lines. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* This process ends with the one that has started it. */
void follow_parent(void);
/* The file of the lines of this process. Ends the process if it cannot be opened. */
void note_to(const char *path);

/*
 * `store` belongs to the new one. The lines are:
 *   ok INSTANCE REVISION TOKEN        a commit was acknowledged
 *   unknown INSTANCE REVISION TOKEN   its answer was lost
 *   look INSTANCE REVISION TOKEN      a head that was read after that
 * With `early` it is wrong on purpose: one commit in so many is acknowledged, and never made.
 */
wfsm_store *recorder_open(wfsm_store *store, long early);
#endif
