/*
 * wfsm/audit.h: tells whether what is stored is what was done. An audit runs the journal of an
 * instance again, input by input, under its own document, with the host's answers taken from the
 * records, and compares every record with the stored one byte for byte.
 */
#ifndef WFSM_AUDIT_H
#define WFSM_AUDIT_H

#include <wfsm/machine.h>
#include <wfsm/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One difference. Strings are borrowed for the call. */
typedef struct wfsm_audit_diagnostic {
    size_t size;
    const char *instance; /* its id; "" if its head cannot be read */
    uint64_t revision;   /* of the record it is about, 0: the head or the document */
    const char *message; /* one sentence */
} wfsm_audit_diagnostic;

/* A status other than WFSM_OK ends the audit and is returned. */
typedef int32_t (*wfsm_audit_sink)(void *user, const wfsm_audit_diagnostic *diagnostic);

/* What was looked at; filled in by the audit, its size set by the caller. */
typedef struct wfsm_audit_counts {
    size_t size;
    uint64_t instances;   /* looked at */
    uint64_t records;     /* run again */
    uint64_t snapshots;   /* compared */
    uint64_t checkpoints; /* compared */
    uint64_t diagnostics;       /* reported */
} wfsm_audit_counts;

/*
 * Audits one instance, or all of them (instance NULL), and calls `sink` with `user` for each
 * diagnostic: a broken chain of digests, a record that the same input does not produce again, a
 * snapshot or checkpoint that is not the state it claims to be, a head that is not where the
 * journal ends, or an event that was taken and still waits in the inbox. The audit changes
 * nothing. The instances may be in use: an instance that changes during its audit is audited
 * again.
 * WFSM_OK also if there are diagnostics; counts->diagnostics is their number. counts may be NULL.
 * INVALID: the store is NULL, or the size of counts is not set. NOT_FOUND: there is no such
 * instance. BUSY: an instance keeps changing, or called from a sink of the store. NO_MEMORY, what
 * the sink returns, and what the store answers.
 */
WFSM_API int32_t wfsm_store_audit(wfsm_store *store, const char *instance, wfsm_audit_sink sink,
                                  void *user, wfsm_audit_counts *counts, wfsm_error *error);

/* A replay under another document. Set `size` and `machine`. Since 0.1. */
typedef struct wfsm_replay {
    size_t size;
    wfsm_machine *machine; /* the other document; borrowed for the call */
    wfsm_audit_sink sink; /* told at most once, why the replay ended; NULL: nobody is told */
    void *user; /* for the sink */
    /* The rest is set by the call. How many records gave the same. */
    uint64_t records;
    /* The record that ended the replay; 0: the journal was replayed whole. */
    uint64_t revision;
    /* 1: that record's input gives something else under this document. 0: that record cannot be
     * replayed under another document. */
    int32_t diverged;
} wfsm_replay;

/*
 * Replays the journal of an instance under another document than its own: the same inputs in the
 * same order, with the host's answers taken from the records. Compares for each record what others
 * see of the instance: outcome, active states, status, output, invocations and effects. The context
 * is not compared; a difference there matters when one of these differs. The replay ends at the
 * first record that gives something else, and the sink is told what differs. If `migrate` of the
 * document takes instances of the journal's document, states are compared under the names that it
 * gives them, and states below one of them count as that one. Changes nothing. A
 * fork, a restore and a migration have a state of the old document, and a compacted journal begins
 * with one: the replay ends there, too.
 * WFSM_OK in all of these cases. INVALID: an argument is NULL, the size is not set, or there is no
 * machine. NOT_FOUND: there is no such instance. CORRUPT: a record is malformed. NO_MEMORY, what
 * the sink returns, and what the store answers. Since 0.1.
 */
WFSM_API int32_t wfsm_store_replay(wfsm_store *store, const char *instance, wfsm_replay *replay,
                                   wfsm_error *error);

#ifdef __cplusplus
}
#endif
#endif
