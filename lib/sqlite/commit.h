/* sqlite/commit.h: one commit of a chain. All its checks come before all its writes. */
#ifndef WF_SQLITE_COMMIT_H
#define WF_SQLITE_COMMIT_H

#include "database.h"

typedef struct wf_writing {
    wf_sqlite *db;
    const wfsm_commit *commit;
    wfsm_error *error;
    bool known; /* the instance exists */
    wf_sqlite_found found; /* the head before the commit, then after it */
    int64_t document; /* its key; 0 if it is not stored yet */
    bool left; /* nobody owns it any more */
    int64_t stored; /* the key of the last row according to the head in the file; 0: no head */
    /* SQLite itself failed: the whole batch is rolled back. */
    bool broken;
} wf_writing;

/* commit_check.c: refuses what can be refused. Writes nothing. */
int32_t wf_sqlite_check(wf_writing *at);
/* commit_write.c: returns an SQLite code. Any failure rolls the batch back. */
int wf_sqlite_write(wf_writing *at);
/* Writes the head, which wf_sqlite_write() does not. */
int wf_sqlite_write_head(wf_writing *at);
/* Marks the batch as broken. */
int32_t wf_sqlite_broken(wf_writing *at, int code);
#endif
