/*
 * A disk that loses its power, or fails. It is in memory, and distinguishes what was written
 * from what was synced. One process and one connection at a time.
 *
 * It assumes what SQLite assumes: 512 bytes are written whole or not at all, what was synced
 * stays, and a file that was synced once has a name.
 */
#ifndef TESTS_CRASH_POWER_VFS_H
#define TESTS_CRASH_POWER_VFS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum power_fault {
    POWER_CUT, /* at a write, sync, truncate or delete: nothing works any more */
    POWER_WRITE_IOERR, /* nothing is written */
    POWER_WRITE_FULL,  /* nothing is written: the disk is full */
    POWER_WRITE_SHORT, /* the first half is written: the disk is full */
    POWER_SYNC_IOERR,
    POWER_SYNC_LOST, /* and what was to be synced never will be, as Linux has it */
    POWER_TRUNCATE_IOERR,
    POWER_READ_IOERR,
    POWER_READ_SHORT, /* the log seems to end early; of the file itself, SQLite believes
                         it */
    POWER_LOCK_IOERR,
    POWER_SHM_IOERR, /* mapping or locking shared memory */
    POWER_OPEN_FAILS,
    POWER_DELETE_IOERR,
    POWER_FAULTS
} power_fault;

/* "cut", "write IOERR", … */
const char *power_name(power_fault fault);
/* Makes this disk SQLite's default; before the first store is opened. */
void power_install(void);
/* An empty disk, all well. No file may be open. */
void power_format(void);
/* From now on the n-th call of that kind fails (from 1): once, or for good. A cut is
 * for good. */
void power_arm(power_fault fault, int n, bool for_good);
/* Heals; tells whether anything failed since it was armed. */
bool power_disarm(void);
/* Continues counting where power_disarm() ended it. */
void power_rearm(void);
/* From now on syncs answer OK and do nothing, until told otherwise. */
void power_lie(bool lie);
/*
 * The power goes (if it has not yet) and comes back. No file may be open. Seed 0: of
 * what was not synced, nothing is there. Else: a random part of it, torn into 512
 * bytes.
 */
void power_cycle(uint32_t seed);
/* Calls and bytes since the beginning. */
typedef struct power_counts {
    int64_t writes, syncs, bytes, reads;
} power_counts;
power_counts power_count(void);
/* Gives all memory back. */
void power_remove(void);
#endif
