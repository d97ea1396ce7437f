#include "database.h"
#include "schema.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A VFS may not sleep at all, or may not report how long it slept. The wait must end even
 * so. */
int wf_sqlite_sleep(int ms)
{
    int slept = sqlite3_sleep(ms);
    return slept > ms ? slept : ms;
}

/* The busy handler: it retries every millisecond. SQLite's own handler backs off to a
 * tenth of a second. Beside writers that take the lock again within a millisecond, that
 * handler can starve for many seconds. */
static int wait_for_lock(void *user, int looks)
{
    wf_sqlite *db = user;
    if (looks == 0)
        db->waited_ms = 0;
    if (db->waited_ms >= db->busy_ms)
        return 0;
    db->waited_ms += wf_sqlite_sleep(1);
    return 1;
}

static int open_connection(wf_sqlite *db, const char *name, const wfsm_sqlite_options *options,
                           int more)
{
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | more;
    if (options->read_only)
        flags |= SQLITE_OPEN_READONLY;
    else if (options->must_exist)
        flags |= SQLITE_OPEN_READWRITE;
    else
        flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    errno = 0; /* sqlite3_system_errno() is not to tell of an earlier call */
    int code = sqlite3_open_v2(name, &db->connection, flags, NULL);
    if (code)
        return code;
    db->busy_ms = options->busy_ms;
    sqlite3_busy_handler(db->connection, wait_for_lock, db);
    /* The file may come from anybody. Nothing in its schema may run code. */
    sqlite3_db_config(db->connection, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db->connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db->connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(db->connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    code = wf_sqlite_add_checksum(db->connection);
    if (code)
        return code;
    return sqlite3_exec(db->connection, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
}

/* Returns the path as a "file:" URI, with special characters escaped; NULL if memory runs
 * out. */
static char *immutable_name(const char *path)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    sqlite3_str_appendall(text, "file:");
    for (; *path; path++) {
        if (strchr("%?#", *path))
            sqlite3_str_appendf(text, "%%%02X", (unsigned char)*path);
        else
            sqlite3_str_appendchar(text, 1, *path);
    }
    sqlite3_str_appendall(text, "?immutable=1");
    return sqlite3_str_finish(text);
}

/* A WAL database in a read-only folder cannot be opened the usual way, because its shared
 * memory file cannot be created there. If there is no log beside it, nobody is writing to
 * it, and it can be opened as immutable. */
static bool log_beside(const char *path)
{
    char *name = sqlite3_mprintf("%s-wal", path);
    FILE *log = name ? fopen(name, "rb") : NULL;
    bool there = !name || (log && fgetc(log) != EOF);
    if (log)
        fclose(log);
    sqlite3_free(name);
    return there;
}

static int open_immutable(wf_sqlite *db, const wfsm_sqlite_options *options)
{
    char *name = immutable_name(db->path);
    if (!name)
        return SQLITE_NOMEM;
    sqlite3_close(db->connection);
    db->connection = NULL;
    int code = open_connection(db, name, options, SQLITE_OPEN_URI);
    sqlite3_free(name);
    return code;
}

static bool readable(const wf_sqlite *db)
{
    int64_t version;
    int code = wf_sqlite_number(db, "PRAGMA user_version", &version) & 0xFF;
    return code != SQLITE_CANTOPEN && code != SQLITE_READONLY;
}

/* One that may not be read is there. */
static bool is_missing(const char *path)
{
    FILE *file = fopen(path, "rb");
    bool missing = !file && (errno == ENOENT || errno == ENOTDIR);
    if (file)
        fclose(file);
    return missing;
}

int32_t wf_sqlite_connect(wf_sqlite *db, const wfsm_sqlite_options *options, wfsm_error *error)
{
    if (!options->read_only && !options->must_exist) {
        int32_t status = wf_sqlite_make_file(db, options, error);
        if (status)
            return status;
    }
    int code = open_connection(db, db->path, options, 0);
    if (!code && options->read_only && !readable(db) && !log_beside(db->path))
        code = open_immutable(db, options);
    if (!code && !options->read_only && sqlite3_db_readonly(db->connection, "main") == 1)
        return wf_sqlite_refuse(db, WFSM_IO, error,
                                "the file may not be written; open it for reading only");
    if (!code)
        return WFSM_OK;
    if ((options->must_exist || options->read_only) && (code & 0xFF) == SQLITE_CANTOPEN &&
        is_missing(db->path))
        return wf_sqlite_refuse(db, WFSM_NOT_FOUND, error, "there is no such file");
    return wf_sqlite_fail(db, code, "cannot be opened", error);
}
