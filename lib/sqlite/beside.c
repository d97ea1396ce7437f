/* sqlite/beside.c: the log (-wal) and its index (-shm), which lie beside the file. SQLite keeps them
 * open. If somebody deletes or replaces them under their names, what this handle commits goes
 * nowhere, and others do not see it. SQLite reports that of the file only. */
#include "database.h"

#include <string.h>
#include <sys/stat.h>

static const char *const suffixes[WF_SQLITE_BESIDE] = {"-wal", "-shm"};

/* SQLite puts them beside the file itself, not beside a link to it. */
static char *name_of(const wf_sqlite *db, const char *suffix)
{
    const char *file = sqlite3_db_filename(db->connection, "main");
    size_t length = strlen(file), more = strlen(suffix) + 1;
    char *name = wf_sqlite_take(db, length + more);
    if (!name)
        return NULL;
    memcpy(name, file, length);
    memcpy(name + length, suffix, more);
    return name;
}

/* Nobody deletes them rightly as long as this connection has them open. A store that is opened
 * for reading only may have none. */
int32_t wf_sqlite_remember_beside(wf_sqlite *db, wfsm_error *error)
{
    struct stat found;
    db->seen_file = name_of(db, "-seen");
    if (!db->seen_file)
        return wf_sqlite_fail(db, SQLITE_NOMEM, "cannot be opened", error);
    for (int i = 0; i < WF_SQLITE_BESIDE; i++) {
        wf_sqlite_identity *self = &db->beside[i];
        self->name = name_of(db, suffixes[i]);
        if (!self->name)
            return wf_sqlite_fail(db, SQLITE_NOMEM, "cannot be opened", error);
        self->known = stat(self->name, &found) == 0;
        self->device = self->known ? (uint64_t)found.st_dev : 0;
        self->node = self->known ? (uint64_t)found.st_ino : 0;
    }
    return WFSM_OK;
}

void wf_sqlite_forget_beside(wf_sqlite *db)
{
    for (int i = 0; i < WF_SQLITE_BESIDE; i++)
        wf_sqlite_give(db, db->beside[i].name);
}

const char *wf_sqlite_lost_beside(const wf_sqlite *db)
{
    struct stat found;
    for (int i = 0; i < WF_SQLITE_BESIDE; i++) {
        const wf_sqlite_identity *self = &db->beside[i];
        if (self->known &&
            (stat(self->name, &found) != 0 || (uint64_t)found.st_dev != self->device ||
             (uint64_t)found.st_ino != self->node))
            return self->name;
    }
    return NULL;
}
