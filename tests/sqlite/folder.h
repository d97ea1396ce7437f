/* A folder for the test, with the stores of a case in it. */
#ifndef TESTS_SQLITE_FOLDER_H
#define TESTS_SQLITE_FOLDER_H

#include <wfsm/sqlite.h>

/* Made on first use, below $TMPDIR or in memory; removed by folder_remove(). */
const char *folder_path(void);
/* The path of a file in it, valid until the next call but three. */
const char *folder_file(const char *name);
/* Removes the files in it. */
void folder_wipe(void);
void folder_remove(void);

/* Opens a store in it; fails the test unless it works. */
wfsm_store *folder_open(const char *name);
#endif
