/* instance/audit.h: what the files audit*.c share. */
#ifndef WF_INSTANCE_AUDIT_H
#define WF_INSTANCE_AUDIT_H

#include <wfsm/audit.h>
#include "instance/inner.h"
#include "instance/replay.h"

typedef struct wf_audit {
    wfsm_store *store;
    wfsm_audit_sink sink;
    void *user;
    wfsm_error *error;
    wfsm_audit_counts counts;
    const char *instance; /* the one at work */
    wf_replay replay;
    int64_t created; /* time of the first record */
    uint64_t snapshot_revision;
    uint64_t floor;        /* effects up to here are older than the journal, once it is cut */
    uint64_t acknowledged; /* last effect that is */
    wf_buffer diagnostics;       /* of this instance: revision and text of each */
    wf_buffer snapshot;    /* as the replay has it at that revision */
    wf_buffer posts;       /* event ids of those that wait, each with its NUL */
    const char **waiting;  /* the same, sorted */
    size_t waiting_count, waiting_capacity;
    char checkpoint[WF_ID_BYTES]; /* that this snapshot is, too; "" if it is none */
    bool archived;         /* a copy: event ids that came twice stand in the records only */
    bool lost;             /* the replay cannot continue */
    bool anchored;         /* the next record is that of the anchor */
    bool waits;            /* for the document that the next record needs */
} wf_audit;

/* audit_diagnostic.c */
int32_t wf_audit_diagnostic(wf_audit *audit, uint64_t revision, const char *format, ...)
    WF_PRINTF(3, 4);
/* Tells the diagnostics of this instance; a sink's answer ends that. */
int32_t wf_audit_tell(wf_audit *audit);

/* audit_head.c: what the head says, kept while the store is asked for other things. */
typedef struct wf_claimed {
    uint64_t revision, effects, first;
    int64_t deadline;
    int32_t status;
    char token[WF_DIGEST_HEX];
    char fingerprint[WF_DIGEST_HEX];
} wf_claimed;
int32_t wf_audit_read_head(wf_audit *audit, wf_claimed *out);
/* When the replay is at the end of the journal. */
int32_t wf_audit_head(wf_audit *audit, const wf_claimed *head);

/* audit_inbox.c: reads the posts that wait; does one of them wait under this event id? Between
 * reading the head and the records: a post that is consumed later has its record behind them. */
int32_t wf_audit_inbox(wf_audit *audit);
bool wf_audit_waits(const wf_audit *audit, const char *event_id);

/* audit_states.c: the stored snapshot and the checkpoints beside those of the replay. */
int32_t wf_audit_snapshot(wf_audit *audit);
int32_t wf_audit_checkpoints(wf_audit *audit);
#endif
