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

/* What to drop. Set `size`; 0 and NULL mean no such condition, so that everything goes that is not
 * needed any more. */
typedef struct wfsm_compaction {
    size_t size;
    uint64_t keep; /* how many of the last records stay at least */
    int64_t before; /* only records of steps before this time go, ms; 0: of any time */
    wfsm_store *archive; /* another store, which gets the records before they are dropped; NULL:
                            none. It must have what was dropped earlier. Borrowed */
    int32_t dry_run; /* 1: fills in the result, and changes nothing */
} wfsm_compaction;

/* The result. The caller sets `size`. */
typedef struct wfsm_compacted {
    size_t size;
    uint64_t first; /* the oldest record that stays: the anchor */
    uint64_t dropped; /* records */
    uint64_t archived; /* records that the archive did not have yet */
} wfsm_compacted;

/*
 * Compacts the journal of one instance. The records that go are first run again, as by an audit.
 * The anchor is the latest record
 * - that is not after the last full snapshot, because loading needs what is after it,
 * - that `keep` and `before` allow to be the oldest,
 * - that did not make a checkpoint.
 * The checkpoints that the instance has stay, however old they are: you can restore and fork from
 * them, and look at their revisions. If there is no such record, nothing is dropped, and the call returns WFSM_OK. A compaction is no input:
 * revision, state, owner and handles stay. You may compact at any time, also while another process
 * works on the instance. Event ids are forgotten with their records.
 *
 * The archive gets each record with everything that its commit had. The instance is there under the
 * same id, in the state after the last of these records. Its owner is WFSM_ARCHIVE_OWNER, which
 * never lapses, so that no engine adopts it. It can be read and audited like any other.
 *
 * A crash at any time leaves the whole journal or the compacted one. You can call again in any
 * case, also after STORE_UNKNOWN. options and done may be NULL; *done is filled in on WFSM_OK.
 * INVALID: an argument is NULL, a size is not set, a member is out of range, or the archive is the
 * store itself. NOT_FOUND: there is no such instance. CORRUPT: the audit has a diagnostic; the
 * journal stays as it is. CONFLICT: the archive does not have what was dropped earlier, or has
 * another instance of this id. DENIED: the store cannot be compacted, or is read-only. NO_MEMORY,
 * and what the stores answer.
 */
WFSM_API int32_t wfsm_store_compact(wfsm_store *store, const char *instance,
                                    const wfsm_compaction *options, wfsm_compacted *done,
                                    wfsm_error *error);

/* The owner of what is in an archive. */
#define WFSM_ARCHIVE_OWNER "(archive)"

/*
 * Moves an instance that has ended to an archive: the rest of its journal goes there as above, and
 * then the store forgets it, with the posts that wait for it. A crash leaves it in both stores or
 * in the archive only; you can call again. `now` is in milliseconds. done may be NULL; done->first
 * is 0.
 * DENIED: the instance runs, effects of it are not acknowledged, its parent runs (which reads the
 * child's result from the child), or its owner is alive at `now`. Otherwise as
 * wfsm_store_compact().
 */
WFSM_API int32_t wfsm_store_archive(wfsm_store *store, const char *instance,
                                    wfsm_store *archive, int64_t now, wfsm_compacted *done,
                                    wfsm_error *error);

/* What a sweep did with an instance. Since 0.1. */
enum wfsm_swept_kind {
    WFSM_SWEPT_ARCHIVED = 1, /* moved it to the archive */
    WFSM_SWEPT_REMOVED = 2, /* removed it */
    WFSM_SWEPT_COMPACTED = 3, /* dropped old records of its journal */
    WFSM_SWEPT_STAYS = 4, /* left it, although its time is over; `why` says the reason */
    WFSM_SWEPT_FAILED = 5 /* met an error, such as a damaged journal or document: `why` */
};

/* The result of a sweep for one instance. Borrowed for the call. Since 0.1. */
typedef struct wfsm_swept {
    size_t size;
    const char *instance; /* its id */
    const char *why; /* a message of STAYS and FAILED; otherwise "" */
    uint64_t records; /* that were dropped from the store, or would be in a dry run */
    int32_t kind; /* enum wfsm_swept_kind */
} wfsm_swept;

/* Receives the result for each instance that the sweep acts on, or should act on. Since 0.1. */
typedef void (*wfsm_swept_sink)(void *user, const wfsm_swept *swept);

/* Which part of a store is swept, and how. Set `size`. Since 0.1. */
typedef struct wfsm_sweep {
    size_t size;
    int64_t now; /* milliseconds; not negative */
    wfsm_store *archive; /* another store, borrowed. NULL: what goes to an archive stays */
    const char *after; /* only instances whose ids are beyond this one; NULL: all */
    uint64_t limit; /* of instances that are looked at; 0: all */
    int32_t dry_run; /* 1: nothing is changed, and `tell` receives what would be done */
    wfsm_swept_sink tell; /* or NULL */
    void *user; /* for `tell` */
} wfsm_sweep;

/*
 * Archives or removes ended instances, and compacts journals, as the documents of the store say
 * (their `retention`, doc/compaction.md). Instances are archived or removed under the conditions of
 * wfsm_store_archive(). One that does not meet them stays, and a later sweep tries it again. You can
 * sweep at any time, also after a crash, and from several processes at once. `last` may be NULL.
 * Otherwise it has room for 256 bytes, and gets the id of the last instance that was looked at, or ""
 * at the end of the store. An error of one instance is passed to `tell`, and the sweep continues.
 * INVALID: an argument is NULL, a size is not set, or a member is out of range. NO_MEMORY, and what the
 * store answers to a listing. Since 0.1.
 */
WFSM_API int32_t wfsm_store_sweep(wfsm_store *store, const wfsm_sweep *sweep, char *last,
                                  wfsm_error *error);

#ifdef __cplusplus
}
#endif
#endif
