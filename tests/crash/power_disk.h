/* The files of the disk in memory: what programs see, and what a power cut leaves. */
#ifndef TESTS_CRASH_POWER_DISK_H
#define TESTS_CRASH_POWER_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct disk_bytes {
    unsigned char *bytes;
    size_t length, room;
} disk_bytes;

/* A write, or a truncation to `offset` (bytes NULL). */
typedef struct disk_change {
    struct disk_change *next;
    unsigned char *bytes;
    size_t offset, length;
} disk_change;

enum { DISK_FILES = 8, DISK_NAME = 128, DISK_REGIONS = 8 };

typedef struct disk_file {
    char name[DISK_NAME];
    disk_bytes seen, synced;
    disk_change *first, **last;  /* what was not synced, oldest first */
    bool there, named;           /* exists; will exist after a cut */
    void *regions[DISK_REGIONS]; /* shared memory */
} disk_file;

/* NULL when there is no such name and `make` is false; the disk is never full here. */
disk_file *disk_find(const char *name, bool make);
void disk_write(disk_file *file, const void *bytes, size_t length, size_t offset);
void disk_truncate(disk_file *file, size_t length);
/* The first one of a new file syncs its folder, too, as SQLite's own file systems do.
 */
void disk_sync(disk_file *file);
/* What was not synced is seen, and will not be there after a cut. */
void disk_lose(disk_file *file);
/* The name goes for good only when the folder is synced. */
void disk_delete(disk_file *file, bool sync);
/* Shared memory does not survive. */
void *disk_region(disk_file *file, int number, size_t bytes);
void disk_drop_regions(disk_file *file);

void disk_cut(uint32_t seed);
void disk_format(void);
#endif
