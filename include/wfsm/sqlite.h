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

/* How to open a file. Zeroed but for the size: the defaults. */
typedef struct wfsm_sqlite_options {
    size_t size;
    int32_t synchronous;  /* enum wfsm_sqlite_sync */
    int32_t busy_ms;      /* how long to wait for another process; default 10,000 */
    int32_t read_only;    /* 1: opens for reading; every write answers DENIED */
    int32_t must_exist;   /* 1: NOT_FOUND instead of a new file */
} wfsm_sqlite_options;

/*
 * Opens or creates. WAL, BEGIN IMMEDIATE. *store is new, freed by wfsm_store_free(). options
 * NULL takes the defaults. path names a file and nothing else: "", ":memory:" are INVALID, a
 * URI is a name. Reading only works also where the file, or its folder, may not be written.
 * SQLite's own memory comes from SQLite.
 * Fails with NOT_FOUND, IO (cannot open, read-only, full), CORRUPT (not a database, or not a
 * wfsm store), VERSION (a newer schema), BUSY (locked for longer than busy_ms).
 */
WFSM_API int32_t wfsm_sqlite_open(wfsm_store **store, const char *path,
                                  const wfsm_sqlite_options *options,
                                  const wfsm_allocator *allocator, wfsm_error *error);

/*
 * Looks at the file itself, beneath what wfsm_store_audit() sees: are its pages and indexes
 * sound, and is every row that carries a checksum what was stored? Reports every diagnostic; its
 * instance is "" and its revision 0. WFSM_OK also when there are diagnostics. The file is
 * opened for reading; one that cannot be opened as a store fails as wfsm_sqlite_open() does.
 * Reads all of it.
 */
WFSM_API int32_t wfsm_sqlite_check(const char *path, wfsm_audit_sink sink, void *user,
                                   const wfsm_allocator *allocator, wfsm_error *error);

#ifdef __cplusplus
}
#endif
#endif
