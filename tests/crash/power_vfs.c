#include "crash/power_vfs.h"
#include "crash/power_disk.h"

#include <sqlite3.h>
#include <string.h>

typedef struct power_file {
    sqlite3_file base;
    disk_file *file;
} power_file;

static struct {
    sqlite3_vfs vfs;
    power_fault fault;
    bool armed, for_good, off, hit, lies;
    int calls, at;
    power_counts counts;
} power;

const char *power_name(power_fault fault)
{
    static const char *const names[POWER_FAULTS] = {
        "cut",        "write IOERR",    "write FULL",  "write SHORT", "sync IOERR",
        "sync loses", "truncate IOERR", "read IOERR",  "read SHORT",  "lock IOERR",
        "shm IOERR",  "open",           "delete IOERR"};
    return names[fault];
}

/* Does this call, of one of these kinds, fail? */
static bool fails(power_fault first, power_fault last)
{
    if (power.off)
        return true;
    if (!power.armed || power.fault < first || power.fault > last)
        return false;
    power.calls++;
    bool now = power.for_good ? power.calls >= power.at : power.calls == power.at;
    power.hit |= now;
    return now;
}

static bool cut(void)
{
    if (fails(POWER_CUT, POWER_CUT))
        power.off = true;
    return power.off;
}

static disk_file *disk(const sqlite3_file *file)
{
    return ((const power_file *)file)->file;
}

static int power_close(sqlite3_file *file)
{
    (void)file;
    return SQLITE_OK;
}

static int power_read(sqlite3_file *file, void *out, int count, sqlite3_int64 offset)
{
    const disk_bytes *seen = &disk(file)->seen;
    size_t from = (size_t)offset, wanted = (size_t)count;
    bool log = strstr(disk(file)->name, "-wal") != NULL;
    power.counts.reads++;
    bool failed = fails(POWER_READ_IOERR, log ? POWER_READ_SHORT : POWER_READ_IOERR);
    if (failed && (power.off || power.fault == POWER_READ_IOERR))
        return SQLITE_IOERR_READ;
    if (failed)
        wanted /= 2;
    size_t there = from < seen->length ? seen->length - from : 0;
    if (there > wanted)
        there = wanted;
    if (there)
        memcpy(out, seen->bytes + from, there);
    memset((char *)out + there, 0, (size_t)count - there);
    return there == (size_t)count ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

/* A write during which the power goes is written as far as chance has it. */
static int power_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset)
{
    bool was_off = power.off;
    power.counts.writes++;
    power.counts.bytes += count;
    bool failed = cut() || fails(POWER_WRITE_IOERR, POWER_WRITE_SHORT);
    size_t length = (size_t)count;
    if (failed && !power.off)
        length = power.fault == POWER_WRITE_SHORT ? length / 2 : 0;
    if (!was_off && length)
        disk_write(disk(file), bytes, length, (size_t)offset);
    if (!failed)
        return SQLITE_OK;
    return power.off || power.fault == POWER_WRITE_IOERR ? SQLITE_IOERR_WRITE : SQLITE_FULL;
}

static int power_truncate(sqlite3_file *file, sqlite3_int64 length)
{
    if (cut() || fails(POWER_TRUNCATE_IOERR, POWER_TRUNCATE_IOERR))
        return SQLITE_IOERR_TRUNCATE;
    disk_truncate(disk(file), (size_t)length);
    return SQLITE_OK;
}

static int power_sync(sqlite3_file *file, int flags)
{
    (void)flags;
    power.counts.syncs++;
    if (cut() || fails(POWER_SYNC_IOERR, POWER_SYNC_LOST)) {
        if (!power.off && power.fault == POWER_SYNC_LOST)
            disk_lose(disk(file));
        return SQLITE_IOERR_FSYNC;
    }
    if (!power.lies)
        disk_sync(disk(file));
    return SQLITE_OK;
}

static int power_size(sqlite3_file *file, sqlite3_int64 *size)
{
    *size = (sqlite3_int64)disk(file)->seen.length;
    return power.off ? SQLITE_IOERR_FSTAT : SQLITE_OK;
}

/* Nobody else is there, so every lock is free. */
static int power_lock(sqlite3_file *file, int level)
{
    (void)file;
    (void)level;
    return fails(POWER_LOCK_IOERR, POWER_LOCK_IOERR) ? SQLITE_IOERR_LOCK : SQLITE_OK;
}

static int power_unlock(sqlite3_file *file, int level)
{
    (void)file;
    (void)level;
    return SQLITE_OK;
}

static int power_reserved(sqlite3_file *file, int *held)
{
    (void)file;
    *held = 0;
    return SQLITE_OK;
}

static int power_control(sqlite3_file *file, int what, void *argument)
{
    (void)file;
    (void)what;
    (void)argument;
    return SQLITE_NOTFOUND;
}

static int power_sector(sqlite3_file *file)
{
    (void)file;
    return 512;
}

static int power_device(sqlite3_file *file)
{
    (void)file;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int power_shm_map(sqlite3_file *file, int number, int bytes, int extend,
                         void volatile **out)
{
    *out = NULL;
    if (fails(POWER_SHM_IOERR, POWER_SHM_IOERR))
        return SQLITE_IOERR_SHMMAP;
    if (extend || disk(file)->regions[number])
        *out = disk_region(disk(file), number, (size_t)bytes);
    return SQLITE_OK;
}

/* Giving a lock back cannot fail: SQLite does not ask. */
static int power_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    (void)file;
    (void)offset;
    (void)count;
    if ((flags & SQLITE_SHM_LOCK) && fails(POWER_SHM_IOERR, POWER_SHM_IOERR))
        return SQLITE_IOERR_SHMLOCK;
    return SQLITE_OK;
}

static void power_shm_barrier(sqlite3_file *file)
{
    (void)file;
}

static int power_shm_unmap(sqlite3_file *file, int remove)
{
    if (remove)
        disk_drop_regions(disk(file));
    return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = power_close,
    .xRead = power_read,
    .xWrite = power_write,
    .xTruncate = power_truncate,
    .xSync = power_sync,
    .xFileSize = power_size,
    .xLock = power_lock,
    .xUnlock = power_unlock,
    .xCheckReservedLock = power_reserved,
    .xFileControl = power_control,
    .xSectorSize = power_sector,
    .xDeviceCharacteristics = power_device,
    .xShmMap = power_shm_map,
    .xShmLock = power_shm_lock,
    .xShmBarrier = power_shm_barrier,
    .xShmUnmap = power_shm_unmap,
};

static int power_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                      int *out)
{
    (void)vfs;
    power_file *self = (power_file *)file;
    self->base.pMethods = NULL;
    /* Temporary files have no name; nothing here needs one. */
    if (!name || fails(POWER_OPEN_FAILS, POWER_OPEN_FAILS))
        return SQLITE_CANTOPEN;
    self->file = disk_find(name, flags & SQLITE_OPEN_CREATE);
    if (!self->file)
        return SQLITE_CANTOPEN;
    self->base.pMethods = &methods;
    if (out)
        *out = flags;
    return SQLITE_OK;
}

static int power_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs;
    disk_file *file = disk_find(name, false);
    if (cut() || fails(POWER_DELETE_IOERR, POWER_DELETE_IOERR))
        return SQLITE_IOERR_DELETE;
    if (!file)
        return SQLITE_IOERR_DELETE_NOENT;
    disk_delete(file, sync);
    return SQLITE_OK;
}

static int power_access(sqlite3_vfs *vfs, const char *name, int flags, int *out)
{
    (void)vfs;
    disk_file *file = disk_find(name, false);
    /* An empty journal is none: SQLite asks the real disk the same. */
    *out = file && (flags != SQLITE_ACCESS_EXISTS || file->seen.length);
    return power.off ? SQLITE_IOERR_ACCESS : SQLITE_OK;
}

static int power_full_name(sqlite3_vfs *vfs, const char *name, int room, char *out)
{
    (void)vfs;
    sqlite3_snprintf(room, out, "%s", name);
    return SQLITE_OK;
}

void power_install(void)
{
    power.vfs = *sqlite3_vfs_find(NULL);
    power.vfs.zName = "power";
    power.vfs.szOsFile = sizeof(power_file);
    power.vfs.mxPathname = DISK_NAME - 8;
    power.vfs.xOpen = power_open;
    power.vfs.xDelete = power_delete;
    power.vfs.xAccess = power_access;
    power.vfs.xFullPathname = power_full_name;
    sqlite3_vfs_register(&power.vfs, 1);
}

void power_arm(power_fault fault, int n, bool for_good)
{
    power.fault = fault;
    power.at = n;
    power.for_good = for_good;
    power.calls = 0;
    power.hit = false;
    power.armed = true;
}

bool power_disarm(void)
{
    power.armed = false;
    return power.hit;
}

void power_rearm(void)
{
    power.armed = true;
}

void power_lie(bool lie)
{
    power.lies = lie;
}

void power_cycle(uint32_t seed)
{
    disk_cut(seed);
    power.off = power.armed = false;
}

void power_format(void)
{
    disk_format();
    power.off = power.armed = power.hit = false;
}

power_counts power_count(void)
{
    return power.counts;
}

void power_remove(void)
{
    disk_format();
}
