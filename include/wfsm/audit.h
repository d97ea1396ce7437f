/*
 * wfsm/audit.h: is what is stored what was done? An audit runs the journal of an instance
 * again, input by input, under its own document, with the host's answers taken from the
 * records, and compares every record with the stored one byte for byte.
 */
#ifndef WFSM_AUDIT_H
#define WFSM_AUDIT_H

#include <wfsm/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One thing that is wrong. Strings are borrowed for the call. */
typedef struct wfsm_flaw {
    size_t size;
    const char *instance; /* "" where a head cannot be read */
    uint64_t revision;   /* of the record it is about, 0: the head or the document */
    const char *message; /* one sentence */
} wfsm_flaw;

/* A status other than WFSM_OK ends the audit and is returned. */
typedef int32_t (*wfsm_flaw_sink)(void *user, const wfsm_flaw *flaw);

/* What was looked at; filled in by the audit, its size set by the caller. */
typedef struct wfsm_audit_counts {
    size_t size;
    uint64_t instances;   /* looked at */
    uint64_t records;     /* run again */
    uint64_t snapshots;   /* compared */
    uint64_t checkpoints; /* compared */
    uint64_t flaws;       /* reported */
} wfsm_audit_counts;

/*
 * Audits one instance, or all of them (instance NULL), and reports every flaw: a chain that
 * is broken, a record that the same input does not give again, a snapshot or checkpoint
 * that is not the state it claims, a head that the journal does not lead to, an event that was
 * taken and waits in the inbox all the same. WFSM_OK also when there are flaws: counts->flaws
 * tells. It may be at work meanwhile: an instance that was changed under the audit is looked at
 * again, BUSY when that never ends. Fails with NOT_FOUND, NO_MEMORY and what the store answers.
 * counts may be NULL. Changes nothing. Since 0.1.
 */
WFSM_API int32_t wfsm_store_audit(wfsm_store *store, const char *instance, wfsm_flaw_sink sink,
                                  void *user, wfsm_audit_counts *counts, wfsm_error *error);

#ifdef __cplusplus
}
#endif
#endif
