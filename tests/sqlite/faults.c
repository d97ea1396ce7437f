#include "sqlite/faults.h"

#include <sqlite3.h>
#include <unity.h>

static struct {
    sqlite3_vfs vfs;
    const sqlite3_vfs *below;
    /* Of the database, and of its log: they differ below, too. */
    sqlite3_io_methods methods[2];
    const sqlite3_io_methods *methods_below[2];
    fault_kind kind;
    int calls, from, to, failed;
    int writes, syncs;
} disk;

static bool fails(bool sync)
{
    disk.writes += !sync;
    disk.syncs += sync;
    if ((disk.kind == FAULT_SYNC_FAILS) != sync)
        return false;
    disk.calls++;
    bool now = disk.from && disk.calls >= disk.from && disk.calls <= disk.to;
    disk.failed += now;
    return now;
}

static const sqlite3_io_methods *below(const sqlite3_file *file)
{
    return disk.methods_below[file->pMethods == &disk.methods[1]];
}

static int faulty_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset)
{
    if (!fails(false))
        return below(file)->xWrite(file, bytes, count, offset);
    if (disk.kind == FAULT_WRITE_HALF)
        below(file)->xWrite(file, bytes, count / 2, offset);
    if (disk.kind == FAULT_ANSWER_LOST)
        below(file)->xWrite(file, bytes, count, offset);
    return disk.kind == FAULT_DISK_FULL ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

static int faulty_sync(sqlite3_file *file, int flags)
{
    return fails(true) ? SQLITE_IOERR_FSYNC : below(file)->xSync(file, flags);
}

/* The file stays the one below; only its table of methods is another. */
static int faulty_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                       int *out)
{
    (void)vfs;
    int code = disk.below->xOpen((sqlite3_vfs *)disk.below, name, file, flags, out);
    if (code || !file->pMethods)
        return code;
    int table = (flags & SQLITE_OPEN_MAIN_DB) == 0;
    disk.methods_below[table] = file->pMethods;
    disk.methods[table] = *file->pMethods;
    disk.methods[table].xWrite = faulty_write;
    disk.methods[table].xSync = faulty_sync;
    file->pMethods = &disk.methods[table];
    return SQLITE_OK;
}

void faults_install(void)
{
    disk.below = sqlite3_vfs_find(NULL);
    disk.vfs = *disk.below;
    disk.vfs.zName = "failing disk";
    disk.vfs.xOpen = faulty_open;
    TEST_ASSERT_EQUAL_INT(SQLITE_OK, sqlite3_vfs_register(&disk.vfs, 1));
}

void faults_arm(fault_kind kind, int n, bool for_good)
{
    disk.kind = kind;
    disk.calls = disk.failed = 0;
    disk.from = n;
    disk.to = for_good ? 1 << 30 : n;
}

bool faults_disarm(void)
{
    disk.from = 0;
    return disk.failed > 0;
}

void faults_count(void)
{
    disk.writes = disk.syncs = 0;
}

int faults_writes(void)
{
    return disk.writes;
}

int faults_syncs(void)
{
    return disk.syncs;
}
