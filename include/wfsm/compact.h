/*
 * wfsm/compact.h: journals are kept whole until you compact them. Compaction drops the
 * oldest records of an instance and leaves an anchor: the oldest record that stays, with the
 * digest of the one before it, and the full state after it. An audit begins there. What is
 * dropped can go to an archive first, which is a store like any other. 
 */
#ifndef WFSM_COMPACT_H
#define WFSM_COMPACT_H

#include <wfsm/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What may go. Zeroed but for the size: everything that nothing needs any more. */
typedef struct wfsm_compaction {
    size_t size;
    uint64_t keep;       /* the last records, so many at least, stay */
    int64_t before;      /* only records of steps before this time go; 0: of any */
    wfsm_store *archive; /* another store that is given what goes, first; NULL: none.
                            It must have what was dropped before */
    int32_t dry_run;     /* 1: tells what would go, and changes nothing */
} wfsm_compaction;

/* What came of it, its size set by the caller. */
typedef struct wfsm_compacted {
    size_t size;
    uint64_t first;    /* the oldest record that stays: the anchor */
    uint64_t dropped;  /* records */
    uint64_t archived; /* records that the archive did not have yet */
} wfsm_compacted;

/*
 * Compacts the journal of one instance. The part that goes is run again before, as by an
 * audit, and a journal in which that finds a diagnostic stays as it is: CORRUPT. The anchor is the
 * latest record
 * - at which, or before which, the last full snapshot was taken (loading needs what is after),
 * - that `keep` and `before` let be the oldest,
 * - after which the instance had no checkpoint: who keeps a checkpoint keeps the journal since
 *   then, because an audit has to see it made.
 * When there is none, nothing is dropped and WFSM_OK is answered. It is no input: revision,
 * state, owner and handles stay, and it may be done at any time, also while another process
 * works on the instance. Event ids are forgotten with their records.
 *
 * The archive has what goes before it is dropped, each record with all that its commit had:
 * the instance is there under the same id, as it was when the last of them was made, owned by
 * WFSM_ARCHIVE_OWNER, who never lapses, so that no engine takes it up. It can be read and
 * audited like any other. CONFLICT when it does not have what was dropped before, or has an
 * instance of this id that did not come from this one.
 *
 * A crash at any instant leaves the whole journal or the compacted one; to ask again is
 * right in each case, also after STORE_UNKNOWN. Fails with NOT_FOUND, CORRUPT, DENIED (the
 * store cannot be compacted, or is read-only), INVALID, NO_MEMORY, and what the stores
 * answer. options NULL: zeroed; done may be NULL.
 */
WFSM_API int32_t wfsm_store_compact(wfsm_store *store, const char *instance,
                                    const wfsm_compaction *options, wfsm_compacted *done,
                                    wfsm_error *error);

/* The owner of what is in an archive. */
#define WFSM_ARCHIVE_OWNER "(archive)"

/*
 * Moves an instance that has ended to an archive: the rest of its journal goes there as above,
 * then the store forgets it. DENIED while it runs, while effects of it are not acknowledged,
 * while its parent runs (who reads a child's result from the child), or while an owner is
 * alive at `now`. Posts that wait for it are forgotten, since nothing
 * would come of them. A crash leaves it in both or in the archive only; to ask again is right.
 * done->first is 0. Fails as above.
 */
WFSM_API int32_t wfsm_store_archive(wfsm_store *store, const char *instance,
                                    wfsm_store *archive, int64_t now, wfsm_compacted *done,
                                    wfsm_error *error);

#ifdef __cplusplus
}
#endif
#endif
