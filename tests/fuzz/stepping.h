/* Continues from a decoded snapshot; and a run whose snapshots and records are known. */
#ifndef TESTS_FUZZ_STEPPING_H
#define TESTS_FUZZ_STEPPING_H

#include "fuzz.h"
#include "step/step.h"

/* A machine that uses everything, and what its run left behind at each revision from 1. */
enum { RUN_MOST = 64 };
typedef struct fuzz_run {
    wfsm_machine *machine;
    size_t count;
    char *snapshots[RUN_MOST], *records[RUN_MOST]; /* [0] is revision 1 */
} fuzz_run;
/* Made once, kept for the life of the process. */
const fuzz_run *fuzz_the_run(void);

/* One step from the snapshot, which must have been legal: the configuration stays legal, and
 * the record applied to what was before gives what is after. `event` NULL: what is due. */
void fuzz_step(wf_snapshot *snapshot, const char *event, int64_t now);
/* A few steps of each kind. */
void fuzz_continue(wf_snapshot *snapshot);
#endif
