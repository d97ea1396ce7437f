/* Whole files, folders and file names. Errors name the path. */
#ifndef WFA_FILES_H
#define WFA_FILES_H

#include <stddef.h>

#include "agent_error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Room for a name of wfa_file_name, its NUL, and an ending such as ".12.out". */
#define WFA_FILE_NAME_SIZE 224

/* Reads a whole file. *data is one malloc'ed block with a NUL behind its *length
 * bytes, to be freed by the caller. A file longer than `limit` bytes is an error. */
int wfa_file_read(const char *path, size_t limit, char **data, size_t *length,
                  wfa_error *error);

/* Writes a whole file so that a reader sees all of it or none: a new file beside
 * it, then a rename. Readable and writable by the owner only. */
int wfa_file_write(const char *path, const char *data, size_t length, wfa_error *error);

/* Writes all bytes, over interruptions and in parts. -1 and errno. */
int wfa_write_all(int fd, const char *data, size_t length);

/* Makes a folder and those above it; one that exists is fine. */
int wfa_folder_make(const char *path, wfa_error *error);

/* Makes a file name out of any id: '/' becomes '+', every byte other than letters,
 * digits, '-', '_' and '.' becomes %XX, a leading '.' too; very long ones are cut and
 * end in a digest. Different ids get different names. */
void wfa_file_name(const char *id, char name[WFA_FILE_NAME_SIZE]);

/* "a/b" from "a" and "b"; malloc'ed, NULL when out of memory. */
char *wfa_path_join(const char *folder, const char *name);

#ifdef __cplusplus
}
#endif

#endif
