/* postgres/pg_sql.h: the statements. In their text, "@" stands for the schema and a dot. */
#ifndef WF_PG_SQL_H
#define WF_PG_SQL_H

enum wf_pg_sql {
    WF_PG_TEXT, /* a text that is made when it is needed */
    WF_PG_SERVER,
    WF_PG_VERSION,
    WF_PG_CHECK,
    WF_PG_LOCK,
    WF_PG_START,
    WF_PG_COMMIT,
    WF_PG_ACKNOWLEDGE,
    WF_PG_GIVE_UP,
    WF_PG_TAKE,
    WF_PG_POST,
    WF_PG_CLAIM,
    WF_PG_END_SESSION,
    WF_PG_SESSION,
    WF_PG_LOADED,
    WF_PG_CHANGES,
    WF_PG_WAITING,
    WF_PG_OWNED,
    WF_PG_RESOLVE,
    WF_PG_RESOLVE_STARTS,
    WF_PG_TOMBSTONES,
    WF_PG_HEAD,
    WF_PG_LIST,
    WF_PG_RECORDS,
    WF_PG_SNAPSHOT,
    WF_PG_CHECKPOINT,
    WF_PG_CHECKPOINTS,
    WF_PG_DOCUMENT,
    WF_PG_SEEN_ID,
    WF_PG_INBOX,
    WF_PG_INBOX_OF,
    WF_PG_ALIVE,
    WF_PG_GONE,
    WF_PG_REMOVE,
    WF_PG_CUT,
    WF_PG_COUNT
};

#include <stddef.h>

/* A part of the text of a statement; NULL behind the last one. */
const char *wf_pg_sql_part(enum wf_pg_sql which, size_t part);
/* pg_sql_commit.c */
const char *wf_pg_sql_commit_part(int starts, size_t part);
#endif
