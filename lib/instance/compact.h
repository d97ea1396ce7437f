/*
 * instance/compact.h: what compact.c (what may go, and the cut), compact_move.c (the whole
 * instance), compact_run.c (running again what goes) and compact_archive.c (giving it to an
 * archive) share.
 */
#ifndef WF_INSTANCE_COMPACT_H
#define WF_INSTANCE_COMPACT_H

#include <wfsm/compact.h>
#include "instance/inner.h"
#include "instance/replay.h"

enum { WF_ARCHIVE_BATCH = 256, WF_ARCHIVE_BYTES = 1 << 20 };

/* The archive, and commits on their way there. */
typedef struct wf_archive {
    wfsm_store *store; /* NULL: none */
    uint64_t have;     /* its last revision; 0: none */
    char token[WF_DIGEST_HEX]; /* of that one */
    bool fits;         /* that one is the record of this instance, too */
    uint64_t acknowledged;
    size_t snapshot_bytes, record_bytes; /* as in an instance: when is a snapshot due? */
    wf_arena arena;    /* texts of the commits */
    wfsm_commit commits[WF_ARCHIVE_BATCH];
    size_t count;
    uint64_t written;
} wf_archive;

typedef struct wf_compacting {
    wfsm_store *store;
    const char *instance;
    wfsm_error *error;
    uint64_t keep;
    int64_t before;
    /* the head */
    uint64_t revision, first, snapshot_revision, acknowledged, effects;
    int32_t status;
    char token[WF_DIGEST_HEX];
    char owner[WF_ID_BYTES];
    uint64_t anchor; /* the record that is to be the oldest; 0: none can be */
    uint64_t end;    /* the last record that is run again */
    wf_replay replay;
    bool anchored, waits;
    wf_archive archive;
} wf_compacting;

/* compact_archive.c */
/* What the archive has. CONFLICT when it cannot continue from there. */
int32_t wf_archive_look(wf_compacting *self);
/* The record that was run last. */
int32_t wf_archive_add(wf_compacting *self, const wfsm_row *row);
/* Writes what was added. */
int32_t wf_archive_flush(wf_compacting *self);

/* compact_run.c: runs the records up to `end` again, and archives those that the archive
 * does not have yet: all of them, or with an anchor those before it. */
int32_t wf_compact_run(wf_compacting *self);

/* compact.c */
/* Zeroed but for the store, the instance and the error; INVALID, BUSY, NO_MEMORY. */
int32_t wf_compact_make(wf_compacting **out, wfsm_store *store, const char *instance,
                        wfsm_error *error);
int32_t wf_compact_head(wf_compacting *self);
/* Finds the anchor, no later than `most`, and whether the archive continues where this journal
 * does: CONFLICT. */
int32_t wf_compact_look(wf_compacting *self, uint64_t most);
/* Runs the records up to `end` again, archives and, with an anchor, cuts. */
int32_t wf_compact_to(wf_compacting *self, uint64_t end);
/* How many records up to `last` the archive does not have yet. */
uint64_t wf_compact_missing(const wf_compacting *self, uint64_t last);
void wf_compact_tell(wfsm_compacted *done, const wfsm_compacted *found);
#endif
