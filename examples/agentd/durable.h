/* Files that survive a crash of the machine, not only of the host: after a call has returned 0,
 * its work is on the disk.
 *
 * One writer at a time for one path. Errors name the path. */
#ifndef AGENTD_DURABLE_H
#define AGENTD_DURABLE_H

#include <stddef.h>

#include "shared/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a whole file so that a reader, or a host after a power cut, sees the old one or the
 * new one: into a new file beside it (".NAME.new"), fsync, rename, fsync of the folder. A link
 * in its place is replaced, not followed. The umask decides who may read it. After an error the
 * old file is there; only if the last fsync failed, it may be the new one. */
int durable_write(const char *path, const char *data, size_t length, host_error *error);

/* Renames a file or folder and syncs the folders of both names. It is an error if `to`
 * exists. */
int durable_rename(const char *from, const char *to, host_error *error);

/* Removes a file and syncs its folder. It is not an error if the file does not exist. */
int durable_remove(const char *path, host_error *error);

/* Makes a folder and those above it, each synced into the one above. It is not an error if a folder
 * exists. */
int durable_folder(const char *path, host_error *error);

#ifdef __cplusplus
}
#endif

#endif
