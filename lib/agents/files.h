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

/* The same for a file of a run: a link in its place is refused. */
int wfa_file_read_own(const char *path, size_t limit, char **data, size_t *length,
                      wfa_error *error);

/* Makes a new file, for its owner only, and opens it with these flags. What stood there is removed; a
 * link is refused. -1 and an error. */
int wfa_file_make(const char *path, int flags, wfa_error *error);
/* Removes such a file, if there is one. A link is refused. -1 and an error. */
int wfa_file_remove_own(const char *path, wfa_error *error);
/* Opens a file that wfa_file_make() has made. A link is refused. -1 and an error. */
int wfa_file_open_own(const char *path, int flags, wfa_error *error);

/* Writes a whole file so that a reader sees all of it or none: a new file beside
 * it, then a rename. Readable and writable by the owner only. A link at either place is
 * refused. */
int wfa_file_write(const char *path, const char *data, size_t length, wfa_error *error);

/* Writes all bytes, over interruptions and in parts. -1 and errno. */
int wfa_write_all(int fd, const char *data, size_t length);

/* Makes a folder for its owner only, and those above it. One that exists is fine if it is no link,
 * belongs to this user, and nobody else may write to it. */
int wfa_folder_make_own(const char *path, wfa_error *error);
/* Whether the folder of a file is such a folder; -1 and an error. */
int wfa_folder_check_of(const char *path, wfa_error *error);

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
