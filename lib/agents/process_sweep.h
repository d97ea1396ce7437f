/* Stops the programs that no instance needs. A host that is killed between the commit that
 * withdraws an invocation and its word to the program leaves one behind that no ledger knows;
 * everything else the next host finds by its probes.
 *
 * Such a program has a run record, which was written after its claim was committed. So when
 * the ledger, read after the record, does not show this attempt as running, the program is not
 * needed any more, no matter which engine owns the instance. A file that cannot be read, or is
 * not named like the run of an invocation, is left alone. */
#ifndef WFA_PROCESS_SWEEP_H
#define WFA_PROCESS_SWEEP_H

#include "process_agent.h"

/* Looks through host->runs and stops programs that no instance in `store` needs; for a host to
 * call when it begins. How many: *stopped, which may be NULL. They get SIGTERM now, and SIGKILL
 * by wfa_children_poll() when a second has passed. */
int wfa_process_sweep(const wfa_process_host *host, wfsm_store *store, size_t *stopped,
                      wfa_error *error);

#endif
