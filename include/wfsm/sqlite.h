/*
 * wfsm/sqlite.h: the SQLite store, a companion library (-lwfsm-sqlite). One file; the schema
 * is public and documented in doc/sqlite-schema.md, records are JSON text.
 */
#ifndef WFSM_SQLITE_H
#define WFSM_SQLITE_H

#include <wfsm/audit.h>
#include <wfsm/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What an acknowledged commit survives. */
enum wfsm_sqlite_sync {
    WFSM_SQLITE_FULL = 0,  /* an acknowledged commit survives power loss */
    WFSM_SQLITE_NORMAL = 1 /* it survives a crash of the process; power loss may take the
                              last ones, never parts of one */
};

/* How to open a file. Set `size`; 0 takes the default. */
typedef struct wfsm_sqlite_options {
    size_t size;
    int32_t synchronous;  /* enum wfsm_sqlite_sync */
    int32_t busy_ms;      /* how long to wait for another process, ms; default 10,000 */
    int32_t read_only;    /* 1: opens for reading; every write answers DENIED */
    int32_t must_exist;   /* 1: NOT_FOUND instead of a new file */
    int32_t mode; /* permissions of a new file, whatever the umask is, and of its -wal and
                             -shm; default 0600: only its owner reads it. At least 0600 */
} wfsm_sqlite_options;

/*
 * Opens the file, or creates it, in WAL mode. On WFSM_OK *store is new, and you free it with
 * wfsm_store_free(). options and allocator may be NULL. path names a file, and a URI is a name like
 * any other; it must not be a link to a file that does not exist. To read, neither the file nor its folder needs to be writable. SQLite takes its own
 * memory from malloc().
 * INVALID: the store is NULL, the path is NULL, "" or ":memory:", or an option is out of range.
 * NOT_FOUND: must_exist or read_only, and there is no file. IO: the file cannot be opened, read or
 * written, or the disk is full, or there is a link in the place of "PATH-seen". CORRUPT: it is not a
 * database of wfsm. VERSION: a newer release made it. BUSY: another process has locked it for longer
 * than busy_ms. NO_MEMORY.
 *
 * A store that went back in time is noticed. Every handle that writes, and every sign of life of a
 * session, begins a new generation of the store, and the file "PATH-seen" keeps the newest one. CONFLICT: the
 * store is older than that, because somebody has put a backup in its place. To use the backup all
 * the same, delete that file. A store that is opened for reading is not compared; call
 * wfsm_sqlite_check_age(). A handle notices it, too: if another process has set the store back to a
 * generation before the one that the handle knows, every write answers CONFLICT until the store is
 * opened again. A copy of a store in another place is a store like any other.
 */
WFSM_API int32_t wfsm_sqlite_open(wfsm_store **store, const char *path,
                                  const wfsm_sqlite_options *options,
                                  const wfsm_allocator *allocator, wfsm_error *error);

/*
 * Compares the store with the file "PATH-seen" beside it; changes nothing. OK: it is as new as what was
 * seen of it here, or nothing was. CONFLICT: it is older, and the message says what to do. Otherwise
 * fails as wfsm_sqlite_open() does for reading. Since 0.1.
 */
WFSM_API int32_t wfsm_sqlite_check_age(const char *path, const wfsm_allocator *allocator,
                                       wfsm_error *error);

/*
 * Checks the file itself, below what wfsm_store_audit() sees: its pages and indexes, every row
 * that has a checksum, and its age (wfsm_sqlite_check_age). Calls sink with `user` for each diagnostic, whose instance is "" and whose
 * revision is 0. WFSM_OK also if there are diagnostics. The file is opened for reading, and all of
 * it is read. Fails as wfsm_sqlite_open() does, and with what the sink returns.
 */
WFSM_API int32_t wfsm_sqlite_check(const char *path, wfsm_audit_sink sink, void *user,
                                   const wfsm_allocator *allocator, wfsm_error *error);

#ifdef __cplusplus
}
#endif
#endif
