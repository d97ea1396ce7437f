/*
 * A store of your own, in one file: FOLDER/log. It is an example of the vtable of wfsm/store.h, for
 * small programs and for reading.
 *
 * What it promises
 * - A call that returned WFSM_OK survives the end of the process and a power cut, if the disk keeps
 *   the promise of fsync. A commit that either of them cut off is whole or absent.
 * - Any number of handles and processes may use the folder at the same time. They lock the file
 *   (flock), so the folder must not be on a network file system that cannot do that.
 * - STORE_UNKNOWN: the file could not be written or synced, and nobody knows what the disk has.
 *
 * What it does not promise
 * - The log ends at the first call that is not whole. If the disk damages a call in the middle, what
 *   comes after it is lost. SQLite reads its write-ahead log in the same way.
 * - The log only grows, and everything in it is also in memory. It cannot be compacted.
 */
#ifndef OWN_STORE_H
#define OWN_STORE_H

#include <wfsm/store.h>

/* Opens the store in a folder that exists. *store is new; free it with wfsm_store_free(). allocator:
 * for what the store holds in memory, or NULL; it must outlive the store. Fails with NO_MEMORY,
 * STORE_FAILED (the error says why) and CORRUPT (FOLDER/log is not such a log). */
int32_t own_store_open(wfsm_store **store, const char *folder, const wfsm_allocator *allocator,
                       wfsm_error *error);

#endif
