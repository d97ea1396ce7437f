/*
 * wfsm/revisions.h: the past of an instance. Each commit is a revision. You can look at every
 * revision that the journal still has, and compare two of them. To go back to one, see
 * wfsm_instance_restore() and wfsm_instance_fork().
 *
 * A revision is found from the nearest stored state before it (the last full snapshot, a
 * checkpoint, or the anchor of a compacted journal) and the records after that, which takes as long
 * as loading these records.
 */
#ifndef WFSM_REVISIONS_H
#define WFSM_REVISIONS_H

#include <wfsm/instance.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Loads the state that an instance had at a revision, from 1 to the present one. On WFSM_OK
 * *instance is new, and you free it with wfsm_instance_free(), before the store. Its document is the
 * one of that revision, from the store. It answers the questions of wfsm/instance.h;
 * wfsm_instance_events() is an empty array, because no host function is called. Inputs, forks and
 * effects are DENIED. Effects that have been acknowledged by now are not in the state, because the
 * journal does not tell when that was.
 * INVALID: an argument is NULL, the id is not one, or the revision is 0. NOT_FOUND: there is no such
 * instance, or the journal does not have the revision; the message says what it has. CORRUPT: what
 * is stored does not lead there. BUSY: called from a sink of the store, or the instance changes
 * faster than it can be read. NO_MEMORY, and what the store answers.
 */
WFSM_API int32_t wfsm_instance_load_at(wfsm_instance **instance, wfsm_store *store,
                                       const char *id, uint64_t revision, wfsm_error *error);

/* Fills in the head of what the handle has: the one that the store has for this revision. created,
 * first and snapshot_revision are 0, because only the store knows them. Set head->size. The strings
 * are borrowed until the next call on the instance. INVALID: an argument is NULL, or the size is not
 * set. NO_MEMORY. */
WFSM_API int32_t wfsm_instance_head(wfsm_instance *instance, wfsm_head *head);

/* Two revisions of an instance, the last not before the first. Borrowed for the call. */
typedef struct wfsm_revision_range {
    size_t size;
    uint64_t first; /* from 1 */
    uint64_t last; /* not less than first */
} wfsm_revision_range;

/*
 * Tells what changed from the first revision of the range to the last. The sink gets one row with the instance's id, and
 * in text a JSON object:
 *   "instance"       its id
 *   "from", "to"     {"revision", "now", "fingerprint"} of both
 *   "status"?        {"from", "to"}: "running", "done" or "stopped"
 *   "configuration"? {"left", "entered"}: paths of active atomic and final states
 *   "histories"?, "context"?, "budgets"?, "limits"?
 *                    an array of changes {"path", "from"?, "to"?}: path is a JSON pointer (RFC 6901)
 *                    into the object of that name in a snapshot. Without "from" the value was added,
 *                    without "to" it was removed.
 *   "timers"?, "invocations"?
 *                    {"removed"?, "added"?, "changed"?}: arrays of timers or invocations as in a
 *                    snapshot, but an invocation has its "id" instead of its two numbers. "changed"
 *                    has {"number" of the timer or "id" of the invocation, "changes": an array as
 *                    above}.
 *   "effects"?       an array of the effects that were made in between, acknowledged or not
 *   "failures"?, "output"?
 *                    {"from", "to"}
 * A key that is missing means that nothing changed. doc/records.md describes the values.
 * INVALID: an argument but `user` and `error` is NULL, a size is not set, the id is not one, a
 * revision is 0, or the first is after the last.
 * Otherwise as wfsm_instance_load_at(), or what the sink returns.
 */
WFSM_API int32_t wfsm_store_diff(wfsm_store *store, const char *instance,
                                 const wfsm_revision_range *range, wfsm_row_sink sink,
                                 void *user, wfsm_error *error);

#ifdef __cplusplus
}
#endif
#endif
