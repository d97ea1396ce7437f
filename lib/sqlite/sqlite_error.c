#include "database.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* wfsm_error_set() truncates a message to 511 bytes. */
enum { PATH_BYTES = 200, SENTENCE_BYTES = 512, MESSAGE_BYTES = 768 };

/* Shows the end of a long path, which tells more than its beginning. */
static int32_t tell(const wf_sqlite *db, int32_t status, wfsm_error *error,
                    const char *sentence)
{
    char message[MESSAGE_BYTES];
    size_t length = strlen(db->path);
    bool cut = length > PATH_BYTES;
    const char *path = cut ? db->path + length - PATH_BYTES : db->path;
    while (((unsigned char)*path & 0xC0) == 0x80)
        path++;
    snprintf(message, sizeof message, "%s%.*s: %s", cut ? "..." : "", PATH_BYTES, path,
             sentence);
    if (error)
        wfsm_error_set(error, status, message);
    return status;
}

int32_t wf_sqlite_refuse(const wf_sqlite *db, int32_t status, wfsm_error *error,
                         const char *format, ...)
{
    char sentence[SENTENCE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return tell(db, status, error, sentence);
}

static int32_t status_of(int code)
{
    if (code == SQLITE_IOERR_NOMEM)
        return WFSM_NO_MEMORY;
    switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return WFSM_BUSY;
    case SQLITE_READONLY:
        return WFSM_DENIED;
    case SQLITE_NOMEM:
        return WFSM_NO_MEMORY;
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return WFSM_CORRUPT;
    case SQLITE_TOOBIG:
        return WFSM_LIMIT;
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_IOERR:
        return WFSM_IO;
    default:
        return WFSM_STORE_FAILED;
    }
}

/* What the user can do about the error; "" if SQLite's own message says it. */
static const char *advice(int code)
{
    switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return ": another process holds it locked for longer than the busy time";
    case SQLITE_READONLY:
        return ": the file or its folder may not be written";
    case SQLITE_FULL:
        return ": there is no room left on the disk";
    case SQLITE_NOTADB:
        return ": a wfsm store, which is an SQLite 3 database, was expected";
    case SQLITE_TOOBIG:
        return ": a text is longer, or a number higher, than a store can hold";
    default:
        return "";
    }
}

static int file_errno(sqlite3_file *file)
{
    int number = 0;
    if (file && file->pMethods)
        file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number);
    return number;
}

static sqlite3_file *file_of(const wf_sqlite *db, int which)
{
    sqlite3_file *file = NULL;
    if (db->connection)
        sqlite3_file_control(db->connection, "main", which, &file);
    return file;
}

/* The system's last error on the file or its log; 0: none. */
static int disk_errno(const wf_sqlite *db)
{
    int number = file_errno(file_of(db, SQLITE_FCNTL_FILE_POINTER));
    return number ? number : file_errno(file_of(db, SQLITE_FCNTL_JOURNAL_POINTER));
}

/* SQLite has no call for this. But it takes a read beyond the end for a success of the system. */
static void forget_errno(sqlite3_file *file)
{
    const sqlite3_int64 beyond = (sqlite3_int64)1 << 60;
    char byte;
    if (file_errno(file))
        file->pMethods->xRead(file, &byte, 1, beyond);
}

void wf_sqlite_forget_errors(const wf_sqlite *db)
{
    forget_errno(file_of(db, SQLITE_FCNTL_FILE_POINTER));
    forget_errno(file_of(db, SQLITE_FCNTL_JOURNAL_POINTER));
}

/* SQLite takes these errors of a read for corruption of the file system, and says that the
 * database is malformed. */
bool wf_sqlite_unreadable(const wf_sqlite *db)
{
    int number = disk_errno(db);
    return number == EIO || number == ENXIO || number == ERANGE;
}

/* What the system said about a file that cannot be opened, read or written; "" if nothing. */
static const char *system_reason(const wf_sqlite *db, int code)
{
    int number = 0;
    if ((code & 0xFF) == SQLITE_IOERR)
        number = disk_errno(db);
    if (number == 0 && db->connection &&
        ((code & 0xFF) == SQLITE_IOERR || (code & 0xFF) == SQLITE_CANTOPEN))
        number = sqlite3_system_errno(db->connection);
    if (number == 0 && (code & 0xFF) == SQLITE_CANTOPEN) { /* SQLite's own limit of links */
        struct stat found;
        number = stat(db->path, &found) ? errno : 0;
    }
    return number ? strerror(number) : "";
}

int32_t wf_sqlite_fail(const wf_sqlite *db, int code, const char *what, wfsm_error *error)
{
    if ((code & 0xFF) == SQLITE_CORRUPT && wf_sqlite_unreadable(db))
        code = SQLITE_IOERR_READ;
    const char *reason = sqlite3_errstr(code), *system = system_reason(db, code);
    if (db->connection && sqlite3_extended_errcode(db->connection) == code)
        reason = sqlite3_errmsg(db->connection);
    return wf_sqlite_refuse(db, status_of(code), error, "%s%s%s%s (SQLite %d: %s)", what,
                            advice(code), *system ? ": " : "", system, code, reason);
}

void *wf_sqlite_take(const wf_sqlite *db, size_t bytes)
{
    if (db->allocator.allocate)
        return db->allocator.allocate(db->allocator.user, bytes ? bytes : 1);
    return malloc(bytes ? bytes : 1);
}

void wf_sqlite_give(const wf_sqlite *db, void *block)
{
    if (db->allocator.allocate)
        db->allocator.release(db->allocator.user, block);
    else
        free(block);
}
