/* postgres/pg_sql.h: the statements. In their text, "@" stands for the schema and a dot. */
#ifndef WF_PG_SQL_H
#define WF_PG_SQL_H

/* The tables whose rows have a namespace: each has row security. A table that is added is named here. */
#define WF_PG_TABLES                                                                           \
    "head,record,snapshot,checkpoint,document,post,session,permit,rate,service,due,fence,"     \
    "attribute"

/* The end of WF_PG_LIST. Conditions on attributes come before it. */
#define WF_PG_LIST_END " ORDER BY h.instance LIMIT $10::bigint"

enum wf_pg_sql {
    WF_PG_SERVER,
    WF_PG_VERSION,
    WF_PG_CHECK,
    WF_PG_POLICIES,
    WF_PG_CURRENT_ROLE,
    WF_PG_ROLE,
    WF_PG_MODE,
    WF_PG_LOCK,
    WF_PG_LOCK_LIMITS,
    WF_PG_PERMITS,
    WF_PG_RATES,
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
    WF_PG_FENCE,
    WF_PG_PASS,
    WF_PG_MARK,
    WF_PG_HEAD,
    WF_PG_LIST,
    WF_PG_ORDER,
    WF_PG_SINCE,
    WF_PG_LAPSED,
    WF_PG_SERVE,
    WF_PG_SERVING,
    WF_PG_LEFT,
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

/* The parts of the statement that writes commits, in their order. */
enum wf_pg_part {
    WF_PG_PART_GIVEN,
    WF_PG_PART_BAD,
    WF_PG_PART_BAD_EVENT,
    WF_PG_PART_BAD_POST,
    WF_PG_PART_BAD_CHECKPOINT,
    WF_PG_PART_BAD_DOCUMENT,
    WF_PG_PART_BAD_CHAIN,
    WF_PG_PART_BAD_END,
    WF_PG_PART_START, /* either this one */
    WF_PG_PART_COMMIT, /* or these */
    WF_PG_PART_COMMIT_LEAVES,
    WF_PG_PART_COMMIT_END,
    WF_PG_PART_RECORDS,
    WF_PG_PART_CONSUMED,
    WF_PG_PART_DOCUMENTS,
    WF_PG_PART_SNAPSHOTS,
    WF_PG_PART_KEPT,
    WF_PG_PART_DROPPED,
    WF_PG_PART_DUE,
    WF_PG_PART_CALM,
    WF_PG_PART_TOLD,
    WF_PG_PART_START_ANSWER,
    WF_PG_PART_COMMIT_ANSWER,
    WF_PG_PARTS
};

/* The texts as they are in the source. */
extern const char *const wf_pg_sql_texts[WF_PG_COUNT];
extern const char *const wf_pg_sql_parts[WF_PG_PARTS];
#endif
