/* sqlite/commit.h: one commit of a batch on its way: all its checks, then all its
 * writes. */
#ifndef WF_SQLITE_COMMIT_H
#define WF_SQLITE_COMMIT_H

#include "database.h"

typedef struct wf_writing {
    wf_sqlite *db;
    const wfsm_commit *commit;
    wfsm_error *error;
    bool known; /* there is such an instance */
    wf_sqlite_place place; /* before, and when all is written after it */
    int64_t document; /* 0: not there yet */
    bool head_waits;  /* written, but for the head */
    int64_t stored;   /* the last row, as the file still has it in the head; 0: no head */
    /* Set when SQLite itself failed: the whole batch is undone. */
    bool broken;
} wf_writing;

/* commit_check.c: everything that can be refused. Writes nothing. */
int32_t wf_sqlite_check(wf_writing *at);
/* commit_write.c: an SQLite code; any failure undoes the batch. */
int wf_sqlite_write(wf_writing *at);
/* The head, which is no part of the above. */
int wf_sqlite_write_head(wf_writing *at);
/* Marks the batch as broken. */
int32_t wf_sqlite_broken(wf_writing *at, int code);
#endif
