/*
 * instance/compact.h: shared by compact.c (what may be dropped, and the cut), compact_move.c
 * (moving a whole instance), compact_run.c (replaying what is dropped) and compact_archive.c
 * (writing it to an archive).
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
    bool fits;         /* this instance has the same record there */
    uint64_t acknowledged;
    size_t snapshot_bytes, record_bytes; /* decide when a snapshot is due, as in an instance */
    wf_arena arena; /* texts of the commits */
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
    uint64_t anchor; /* the record that will be the oldest; 0: none can be */
    uint64_t end; /* the last record that is replayed */
    wf_replay replay;
    bool anchored, waits;
    wf_archive archive;
} wf_compacting;

/* compact_archive.c */
/* Reads what the archive has. CONFLICT if this journal does not continue it. */
int32_t wf_archive_look(wf_compacting *self);
/* Adds the record that was replayed last. */
int32_t wf_archive_add(wf_compacting *self, const wfsm_row *row);
/* Writes what was added. */
int32_t wf_archive_flush(wf_compacting *self);

/* compact_run.c: replays the records up to `end`, and archives those that the archive does not
 * have yet: all of them, or with an anchor those before it. */
int32_t wf_compact_run(wf_compacting *self);

/* compact.c */
/* Only store, instance and error are set; the rest is zero. INVALID, BUSY, NO_MEMORY. */
int32_t wf_compact_make(wf_compacting **out, wfsm_store *store, const char *instance,
                        wfsm_error *error);
int32_t wf_compact_head(wf_compacting *self);
/* Finds the anchor, no later than `most`. CONFLICT if this journal does not continue the
 * archive. */
int32_t wf_compact_look(wf_compacting *self, uint64_t most);
/* Replays the records up to `end`, archives and, with an anchor, cuts. */
int32_t wf_compact_to(wf_compacting *self, uint64_t end);
/* How many records up to `last` the archive does not have yet. */
uint64_t wf_compact_missing(const wf_compacting *self, uint64_t last);
/* compact_move.c: removes an instance that has ended, under the conditions of wfsm_store_archive();
 * `dry`: only checks them. */
int32_t wf_compact_remove(wfsm_store *store, const char *instance, int64_t now, bool dry,
                          wfsm_compacted *done, wfsm_error *error);
void wf_compact_tell(wfsm_compacted *done, const wfsm_compacted *found);
#endif
