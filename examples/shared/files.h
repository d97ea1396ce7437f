/* Whole files, folders and paths. Errors name the path. */
#ifndef HOST_FILES_H
#define HOST_FILES_H

#include <stddef.h>

#include "error.h"

/* Reads a whole file. *data is one malloc'ed block with a NUL behind its *length bytes, to be
 * freed by the caller. It is an error if the file is longer than `limit` bytes or is not a
 * regular file. */
int host_file_read(const char *path, size_t limit, char **data, size_t *length,
                   host_error *error);
/* Writes a whole file; with HOST_FILE_NEW one that must not be there, with HOST_FILE_MORE behind
 * what it has. */
enum { HOST_FILE_WHOLE, HOST_FILE_NEW, HOST_FILE_MORE };
int host_file_write(const char *path, const char *data, size_t length, int how,
                    host_error *error);
/* Makes a folder and those above it; one that exists is fine. */
int host_folder_make(const char *path, host_error *error);
/* "a/b" from "a" and "b"; malloc'ed, NULL when out of memory. */
char *host_path_join(const char *folder, const char *name);

#endif
