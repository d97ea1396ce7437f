/* instance/audit.h: shared by the files audit*.c. */
#ifndef WF_INSTANCE_AUDIT_H
#define WF_INSTANCE_AUDIT_H

#include <wfsm/audit.h>
#include "instance/inner.h"
#include "instance/replay.h"

/* A record that restored a revision, with the digest of the state that it has. */
typedef struct wf_restored {
    uint64_t record, revision;
    char digest[WF_DIGEST_HEX];
} wf_restored;

typedef struct wf_audit {
    wfsm_store *store;
    wfsm_audit_sink sink;
    void *user;
    wfsm_error *error;
    wfsm_audit_counts counts;
    const char *instance; /* the one that is audited */
    wf_replay replay;
    int64_t created; /* time of the first record */
    uint64_t snapshot_revision;
    uint64_t floor;        /* effects up to here are older than the journal, once it is cut */
    uint64_t acknowledged; /* the last acknowledged effect */
    wf_buffer diagnostics; /* of this instance: revision and text of each */
    wf_buffer snapshot;    /* as the replay has it at that revision */
    wf_buffer posts;       /* event ids of the waiting posts, each with its NUL */
    const char **waiting;  /* the same, sorted */
    size_t waiting_count, waiting_capacity;
    uint64_t first; /* the oldest record */
    wf_names bookmarks; /* checkpoints that were made before it */
    wf_restored *restored;
    size_t restored_count, restored_capacity;
    char checkpoint[WF_ID_BYTES]; /* the checkpoint that has this snapshot, or "" */
    bool archived;         /* an archive: repeated event ids are only in the records */
    bool lost;             /* the replay cannot continue */
    bool anchored;         /* the next record is that of the anchor */
    bool waits;            /* for the document that the next record needs */
} wf_audit;

/* audit_diagnostic.c */
int32_t wf_audit_diagnostic(wf_audit *audit, uint64_t revision, const char *format, ...)
    WF_PRINTF(3, 4);
/* Gives the diagnostics of this instance to the sink, until it returns something but OK. */
int32_t wf_audit_tell(wf_audit *audit);

/* audit_head.c: a copy of the head, kept while other parts of the store are read. */
typedef struct wf_claimed {
    uint64_t revision, effects, first;
    int64_t deadline;
    int32_t status;
    char token[WF_DIGEST_HEX];
    char fingerprint[WF_DIGEST_HEX];
} wf_claimed;
int32_t wf_audit_read_head(wf_audit *audit, wf_claimed *out);
/* To be called when the replay is at the end of the journal. */
int32_t wf_audit_head(wf_audit *audit, const wf_claimed *head);

/* audit_inbox.c: reads the waiting posts, after the head and before the records. The record of
 * a post that is consumed later comes after these records. wf_audit_waits() tells whether a
 * post waits under an event id. */
int32_t wf_audit_inbox(wf_audit *audit);
bool wf_audit_waits(const wf_audit *audit, const char *event_id);

/* audit_restores.c: remembers the record that was replayed last if it restored a revision; compares
 * all of these with their revisions, but not with those before `first`, which were dropped. */
int32_t wf_audit_note_restore(wf_audit *audit, uint64_t record);
int32_t wf_audit_restores(wf_audit *audit, uint64_t first);

/* audit_states.c: compares the stored snapshot and checkpoints with those of the replay. */
int32_t wf_audit_snapshot(wf_audit *audit);
int32_t wf_audit_checkpoints(wf_audit *audit);
#endif
