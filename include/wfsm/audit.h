/*
 * wfsm/audit.h: tells whether what is stored is what was done. An audit runs the journal of an
 * instance again, input by input, under its own document, with the host's answers taken from the
 * records, and compares every record with the stored one byte for byte.
 */
#ifndef WFSM_AUDIT_H
#define WFSM_AUDIT_H

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

#ifdef __cplusplus
}
#endif
#endif
