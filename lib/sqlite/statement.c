#include "database.h"
#include "schema.h"

/* The columns of a head in the order in which find.c reads them: those of the instance,
 * then those of its last journal row, which are NULL if that row is another instance's or
 * revision's. */
#define HEAD_COLUMNS                                                                           \
    "SELECT i.id, i.machine, d.fingerprint, i.owner, i.acknowledged, i.status,"                \
    " i.created, i.checksum = wfsm_checksum(i.id, i.owner, i.acknowledged, i.created),"        \
    " i.key, i.document, h.revision, h.last, i.first, i.attributes, j.key,"                    \
    " j.token, j.tags, j.effects, j.deadline, j.now, j.snapshot_revision,"                     \
    " j.snapshot_key FROM instance AS i LEFT JOIN document AS d ON d.key = i.document"         \
    " LEFT JOIN head AS h ON h.key = i.key"                                                    \
    " LEFT JOIN journal AS j ON j.key = h.last AND j.instance = i.key"                         \
    " AND j.revision = h.revision "

#define HEAD_TABLES "instance, head or journal"

/* A head without its journal row is still selected, so that it is reported as damaged. */
#define LIST_FILTERS                                                                           \
    " i.id > ?1 AND (?2 IS NULL OR i.machine = ?2)"                                            \
    " AND (?3 IS NULL OR instr(' ' || j.tags || ' ', ' ' || ?3 || ' ') > 0"                    \
    " OR j.key IS NULL)"                                                                       \
    " AND (?4 IS NULL OR i.owner = ?4) AND (?5 = 0 OR i.status = ?5)"                          \
    " AND (?6 = 0 OR j.deadline <= ?6 OR j.key IS NULL)"                                       \
    " AND i.id >= ?8 AND i.id < ?9 ORDER BY i.id LIMIT ?7"

#define POST_COLUMNS                                                                           \
    "SELECT p.number, i.id, p.event_id, p.name, p.data, p.now, p.kind, p.interface, p.sender," \
    " p.checksum = wfsm_checksum(p.instance, p.event_id, p.name, p.data, p.now, p.kind,"       \
    " p.interface, p.sender)"                                                                  \
    " FROM inbox AS p LEFT JOIN instance AS i ON i.key = p.instance "

static const struct {
    const char *sql;
    const char *table; /* the table it reads, for error messages */
} statements[WF_SQL_COUNT] = {
    [WF_SQL_BEGIN] = {"BEGIN IMMEDIATE", ""},
    /* Reads one page, and so starts a read transaction. */
    [WF_SQL_READ] = {"PRAGMA data_version", ""},
    [WF_SQL_COMMIT] = {"COMMIT", ""},
    [WF_SQL_ROLLBACK] = {"ROLLBACK", ""},
    [WF_SQL_SETTLE] = {"PRAGMA user_version = " WF_SQLITE_VERSION_TEXT, ""},
    [WF_SQL_CHAIN] = {"SAVEPOINT chain", ""},
    [WF_SQL_CHAIN_END] = {"RELEASE chain", ""},
    [WF_SQL_TAKE_BACK] = {"ROLLBACK TO chain", ""},

    [WF_SQL_GENERATION] = {"SELECT name, generation,"
                           " checksum IS wfsm_checksum(generation, name) FROM store",
                           "store"},
    [WF_SQL_GENERATION_NEXT] = {"UPDATE store SET generation = ?1,"
                                " checksum = wfsm_checksum(?1, name)",
                                ""},

    [WF_SQL_HEAD] = {HEAD_COLUMNS "WHERE i.id = ?1", HEAD_TABLES},
    [WF_SQL_LIST] = {HEAD_COLUMNS "WHERE" LIST_FILTERS, HEAD_TABLES},
    /* The literal lets SQLite use the partial index of running instances. */
    [WF_SQL_LIST_RUNNING] = {HEAD_COLUMNS "WHERE i.status = 1 AND" LIST_FILTERS, HEAD_TABLES},
    /* The same for the index of those that have an owner. */
    [WF_SQL_LIST_OWNED] = {HEAD_COLUMNS "WHERE i.owner = ?4"
                                        " AND (i.status = 1 OR i.owner <> '') AND" LIST_FILTERS,
                           HEAD_TABLES},
    /* Those that have ended, and whose effects are not all acknowledged. */
    [WF_SQL_LIST_OWING] = {HEAD_COLUMNS "WHERE i.key IN (SELECT key FROM owing)"
                                        " AND" LIST_FILTERS,
                           HEAD_TABLES},
    /* Those that have rows of the journal behind one. */
    [WF_SQL_LIST_SINCE] = {HEAD_COLUMNS "WHERE i.key IN (SELECT x.instance FROM journal AS x"
                                        " WHERE x.key > ?1) ORDER BY i.id",
                           HEAD_TABLES},
    [WF_SQL_OWING_PUT] = {"INSERT OR IGNORE INTO owing (key) VALUES (?1)", ""},
    [WF_SQL_OWING_DELETE] = {"DELETE FROM owing WHERE key = ?1", ""},
    [WF_SQL_INSTANCE_INSERT] =
        {"INSERT INTO instance (id, machine, document, owner, status, acknowledged,"
         " created, first, anchor, attributes, checksum)"
         " VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, 1, NULL, '{}', wfsm_checksum(?1, ?4, 0, ?6))",
         ""},
    [WF_SQL_ATTRIBUTES_SET] = {"UPDATE instance SET attributes = ?1 WHERE key = ?2", ""},
    [WF_SQL_ATTRIBUTES_DELETE] = {"DELETE FROM attribute WHERE instance = ?1", ""},
    [WF_SQL_ATTRIBUTES_PUT] = {"INSERT INTO attribute (instance, name, value) SELECT ?1, key,"
                               " CASE type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false'"
                               " ELSE value END FROM json_each(?2)",
                               ""},
    [WF_SQL_INSTANCE_MACHINE] =
        {"UPDATE instance SET machine = ?1, document = ?2 WHERE key = ?3", ""},
    /* A statement of its own, because the column has an index and changes once in an
     * instance's life. */
    [WF_SQL_INSTANCE_STATUS] = {"UPDATE instance SET status = ?1 WHERE key = ?2", ""},
    [WF_SQL_INSTANCE_LEAVE] = {"UPDATE instance SET status = ?1, owner = '',"
                               " checksum = wfsm_checksum(id, '', acknowledged, created)"
                               " WHERE key = ?2"
                               " AND NOT EXISTS (SELECT 1 FROM inbox WHERE instance = ?2)",
                               ""},
    [WF_SQL_HEAD_INSERT] = {"INSERT INTO head (revision, last, key) VALUES (?1, ?2, ?3)", ""},
    [WF_SQL_HEAD_SWAP] =
        {"UPDATE head SET revision = ?1, last = ?2 WHERE key = ?3 AND last = ?4", ""},

    [WF_SQL_JOURNAL_INSERT] =
        {"INSERT INTO journal (instance, revision, previous, now, event_id, token, tags,"
         " effects, deadline, snapshot_revision, snapshot_key, record, snapshot)"
         " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
         ""},
    [WF_SQL_JOURNAL_STEP] = {"SELECT instance, revision, previous FROM journal"
                             " WHERE key = ?1",
                             "journal"},
    [WF_SQL_JOURNAL_TOKEN] = {"SELECT 1 FROM journal WHERE key = ?1 AND token = ?2", "journal"},
    /* Of a row, or of the last one. */
    [WF_SQL_JOURNAL_PLACE] = {"SELECT j.key, j.key || printf('-%016x',"
                              " wfsm_checksum(j.key, j.token, i.id)) FROM journal AS j"
                              " LEFT JOIN instance AS i ON i.key = j.instance"
                              " WHERE j.key = coalesce(?1, (SELECT max(key) FROM journal))",
                              "journal"},
    [WF_SQL_JOURNAL_RECORD] = {"SELECT instance, revision, previous, now, event_id, record"
                               " FROM journal WHERE key = ?1",
                               "journal"},
    [WF_SQL_JOURNAL_SNAPSHOT] = {"SELECT revision, now, snapshot FROM journal"
                                 " WHERE instance = ?1 AND key = ?2 AND revision = ?3",
                                 "journal"},
    [WF_SQL_JOURNAL_ANCHOR] =
        {"SELECT j.revision, j.now, j.snapshot FROM instance AS i"
         " JOIN journal AS j ON j.key = i.anchor"
         " AND j.instance = i.key AND j.revision = i.first WHERE i.key = ?1",
         "journal"},
    [WF_SQL_CUT_JOURNAL] = {"WITH RECURSIVE chain (key, previous) AS ("
                            " SELECT j.key, j.previous FROM journal AS a JOIN journal AS j"
                            " ON j.key = a.previous WHERE a.key = ?2 AND j.instance = ?1"
                            " UNION SELECT j.key, j.previous FROM chain JOIN journal AS j"
                            " ON j.key = chain.previous WHERE j.instance = ?1)"
                            " DELETE FROM journal WHERE key IN (SELECT key FROM chain)",
                            ""},
    [WF_SQL_CUT_ANCHOR] = {"UPDATE journal SET previous = NULL, snapshot = ?1 WHERE key = ?2",
                           ""},
    [WF_SQL_CUT_HEAD] = {"UPDATE instance SET first = ?1, anchor = ?2 WHERE key = ?3", ""},

    [WF_SQL_CHECKPOINT_PUT] =
        {"INSERT OR REPLACE INTO checkpoint (instance, id, revision, now, artifacts,"
         " snapshot) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
         ""},
    [WF_SQL_CHECKPOINT_GET] = {"SELECT revision, now, snapshot FROM checkpoint"
                               " WHERE instance = ?1 AND id = ?2",
                               "checkpoint"},
    [WF_SQL_CHECKPOINTS] = {"SELECT id, revision, now, artifacts FROM checkpoint"
                            " WHERE instance = ?1 ORDER BY revision",
                            "checkpoint"},
    [WF_SQL_CHECKPOINT_FIND] = {"SELECT 1 FROM checkpoint WHERE instance = ?1 AND id = ?2",
                                "checkpoint"},
    [WF_SQL_CHECKPOINT_DELETE] = {"DELETE FROM checkpoint WHERE instance = ?1 AND id = ?2", ""},

    [WF_SQL_DOCUMENT_FIND] = {"SELECT key FROM document WHERE fingerprint = ?1", "document"},
    [WF_SQL_DOCUMENT_PUT] = {"INSERT INTO document (fingerprint, text, checksum)"
                             " VALUES (?1, ?2, wfsm_checksum(?1, ?2))",
                             ""},
    [WF_SQL_DOCUMENT_GET] = {"SELECT fingerprint, text,"
                             " checksum = wfsm_checksum(fingerprint, text) FROM document"
                             " WHERE fingerprint = ?1",
                             "document"},

    [WF_SQL_SEEN_RECORD] = {"SELECT 1 FROM journal WHERE instance = ?1 AND event_id = ?2",
                            "journal"},
    [WF_SQL_SEEN_POST] = {"SELECT 1 FROM inbox WHERE instance = ?1 AND event_id = ?2", "inbox"},
    [WF_SQL_POST_PUT] = {"INSERT INTO inbox (instance, event_id, name, data, now, kind,"
                         " interface, sender, owner, checksum)"
                         " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,"
                         " wfsm_checksum(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8))",
                         ""},
    [WF_SQL_POST_FIND] = {"SELECT 1 FROM inbox WHERE number = ?1 AND instance = ?2", "inbox"},
    [WF_SQL_POST_ANY] = {"SELECT 1 FROM inbox WHERE instance = ?1 LIMIT 1", "inbox"},
    [WF_SQL_POST_DELETE] = {"DELETE FROM inbox WHERE number = ?1", ""},
    [WF_SQL_INBOX] = {POST_COLUMNS "ORDER BY p.number LIMIT ?1", "inbox"},
    [WF_SQL_INBOX_OF] = {POST_COLUMNS "WHERE p.instance = ?2 ORDER BY p.number LIMIT ?1",
                         "inbox"},
    [WF_SQL_INBOX_OWNED] = {POST_COLUMNS
                            "WHERE p.owner = ?1 AND p.number > ?2 ORDER BY p.number",
                            "inbox"},
    [WF_SQL_INBOX_OWN] = {"UPDATE inbox SET owner = ?1 WHERE instance = ?2", ""},

    [WF_SQL_ACKNOWLEDGE] = {"UPDATE instance SET acknowledged = ?1,"
                            " checksum = wfsm_checksum(id, owner, ?1, created)"
                            " WHERE key = ?2",
                            ""},
    [WF_SQL_OWNER_PUT] = {"INSERT INTO owner (name, until, changes, checksum)"
                          " VALUES (?1, ?2, 0, wfsm_checksum(?1, ?2)) ON CONFLICT (name)"
                          " DO UPDATE SET until = ?2, checksum = wfsm_checksum(?1, ?2)",
                          ""},
    [WF_SQL_OWNER_DELETE] = {"DELETE FROM owner WHERE name = ?1", ""},
    /* Only a takeover reads the rows of other owners. */
    [WF_SQL_OWNER_CHECK] = {"SELECT checksum IS wfsm_checksum(name, until) FROM owner"
                            " WHERE (SELECT owner NOT IN ('', ?1) FROM instance WHERE key = ?2)"
                            " ORDER BY 1 LIMIT 1",
                            "owner"},
    [WF_SQL_OWNER_UNTIL] = {"SELECT until, checksum IS wfsm_checksum(name, until) FROM owner"
                            " WHERE name = ?1",
                            "owner"},
    [WF_SQL_OWNER_CHANGES] = {"SELECT changes FROM owner WHERE name = ?1", "owner"},
    [WF_SQL_OWNER_CHANGED] = {"UPDATE owner SET changes = changes + 1 WHERE name = ?1", ""},
    [WF_SQL_OWNER_OF] = {"SELECT i.owner, coalesce(o.until, 0) FROM instance AS i"
                         " LEFT JOIN owner AS o ON o.name = i.owner WHERE i.key = ?1",
                         "owner"},
    /* One step for each owner, however many instances it has. */
    [WF_SQL_OWNERS_LAPSED] =
        {"WITH RECURSIVE owned (name) AS (SELECT min(owner) FROM instance"
         " WHERE status = 1 OR owner <> '' UNION ALL SELECT (SELECT min(owner)"
         " FROM instance WHERE (status = 1 OR owner <> '') AND owner > owned.name)"
         " FROM owned WHERE name IS NOT NULL) SELECT name FROM owned"
         " WHERE name IS NOT NULL AND NOT EXISTS (SELECT 1 FROM owner AS o"
         " WHERE o.name = owned.name AND o.until > ?1)"
         " UNION SELECT owner FROM instance WHERE owner = '' AND key IN (SELECT key FROM owing)",
         "instance"},
    [WF_SQL_OWN] = {"UPDATE instance SET owner = ?1,"
                    " checksum = wfsm_checksum(id, ?1, acknowledged, created) WHERE key = ?2"
                    " AND (owner = '' OR owner = ?1"
                    " OR NOT EXISTS (SELECT 1 FROM owner AS o"
                    " WHERE o.name = instance.owner AND o.until > ?3))",
                    ""},
    [WF_SQL_DISOWN] = {"UPDATE instance SET owner = '',"
                       " checksum = wfsm_checksum(id, '', acknowledged, created) WHERE key = ?2"
                       " AND (owner = '' OR owner = ?1)",
                       ""},

    [WF_SQL_REMOVE_JOURNAL] = {"WITH RECURSIVE chain (key, previous) AS ("
                               " SELECT j.key, j.previous FROM head AS h JOIN journal AS j"
                               " ON j.key = h.last WHERE h.key = ?1"
                               " UNION SELECT j.key, j.previous FROM chain JOIN journal AS j"
                               " ON j.key = chain.previous WHERE j.instance = ?1)"
                               " DELETE FROM journal WHERE key IN (SELECT key FROM chain)",
                               ""},
    [WF_SQL_REMOVE_HEAD] = {"DELETE FROM head WHERE key = ?1", ""},
    [WF_SQL_REMOVE_CHECKPOINTS] = {"DELETE FROM checkpoint WHERE instance = ?1", ""},
    [WF_SQL_REMOVE_POSTS] = {"DELETE FROM inbox WHERE instance = ?1", ""},
    [WF_SQL_REMOVE_INSTANCE] = {"DELETE FROM instance WHERE key = ?1", ""},

    [WF_SQL_PERMIT_CHECK] =
        {"SELECT coalesce(min(checksum IS wfsm_checksum(kind, name, session,"
         " count, wanted, since)), 1) FROM permit",
         "permit"},
    [WF_SQL_OWNERS_CHECK] = {"SELECT coalesce(min(checksum IS wfsm_checksum(name, until)), 1)"
                             " FROM owner",
                             "owner"},
    [WF_SQL_PERMIT_DROP] = {"DELETE FROM permit WHERE session <> ?1 AND NOT EXISTS"
                            " (SELECT 1 FROM owner AS o WHERE o.name = permit.session"
                            " AND o.until > ?2)",
                            ""},
    /* What a session uses stays its own. Of the rest it gets what others have not, nor want of their
     * share; the share of those that have waited for longer is one at least. */
    [WF_SQL_PERMIT_DECIDE] =
        {"WITH others AS (SELECT count, wanted, since FROM permit"
         " WHERE kind = ?1 AND name = ?2 AND session <> ?3),"
         " mine AS (SELECT coalesce(max(count), 0) AS count,"
         " CASE WHEN max(wanted) > max(count) THEN max(since) ELSE ?7 END AS since,"
         " ?4 / (1 + (SELECT count(*) FROM others WHERE wanted > 0)) AS share"
         " FROM permit WHERE kind = ?1 AND name = ?2 AND session = ?3),"
         " given AS (SELECT m.count, m.since, max(min(?5, m.count), min(?6,"
         " ?4 - coalesce((SELECT sum(max(o.count, min(o.wanted,"
         " CASE WHEN o.wanted > o.count AND o.since < m.since THEN max(m.share, 1)"
         " ELSE m.share END))) FROM others AS o), 0))) AS granted FROM mine AS m)"
         " SELECT granted, EXISTS (SELECT 1 FROM others WHERE wanted > count),"
         " CASE WHEN granted > count THEN ?7 ELSE since END FROM given",
         "permit"},
    [WF_SQL_PERMIT_PUT] =
        {"INSERT OR REPLACE INTO permit (kind, name, session, count, wanted, since, checksum)"
         " VALUES (?1, ?2, ?3, ?4, ?5, ?6, wfsm_checksum(?1, ?2, ?3, ?4, ?5, ?6))",
         ""},
    [WF_SQL_RATE_CHECK] = {"SELECT coalesce(min(checksum IS wfsm_checksum(kind, name, count,"
                           " per_ms, owed, at)), 1) FROM rate",
                           "rate"},
    /* A token bucket, as lib/store/token_bucket.c computes it. */
    [WF_SQL_RATE_TAKE] =
        {"WITH kept AS (SELECT coalesce(max(owed), 0) AS owed, coalesce(max(at), ?6) AS at,"
         " max(per_ms) AS per_ms FROM rate WHERE kind = ?1 AND name = ?2),"
         " changed AS (SELECT CASE WHEN owed > 0 AND per_ms <> ?4"
         " THEN ((owed - 1) / per_ms + 1) * ?4 ELSE owed END AS owed, at, ?6 - at AS elapsed"
         " FROM kept),"
         " filled AS (SELECT CASE WHEN owed > 0 AND elapsed > 0 THEN CASE"
         " WHEN elapsed > owed / ?3 THEN 0 ELSE owed - elapsed * ?3 END ELSE owed END AS owed,"
         " CASE WHEN owed > 0 AND elapsed < 0 AND elapsed >= -?4 THEN at ELSE ?6 END AS at"
         " FROM changed),"
         " taken AS (SELECT owed, at, min(?5, CASE WHEN owed + ?4 <= ?3 * ?4"
         " THEN (?3 * ?4 - owed) / ?4 WHEN owed + ?4 <= (?3 + 16) * ?4 THEN 1 ELSE 0 END)"
         " AS taken FROM filled),"
         " done AS (SELECT taken, owed + taken * ?4 AS owed, at, owed + taken * ?4"
         " - (?3 + CASE WHEN taken > 0 THEN 0 ELSE 15 END) * ?4 AS over FROM taken)"
         " SELECT taken, max(over + ?3 - 1, 0) / ?3, owed, at FROM done",
         "rate"},
    [WF_SQL_LIST_WHERE] = {NULL, HEAD_TABLES},
    [WF_SQL_RATE_PUT] =
        {"INSERT OR REPLACE INTO rate (kind, name, count, per_ms, owed, at, checksum)"
         " VALUES (?1, ?2, ?3, ?4, ?5, ?6, wfsm_checksum(?1, ?2, ?3, ?4, ?5, ?6))",
         ""},
};

static int32_t prepare_one(wf_sqlite *db, int which, wfsm_error *error)
{
    int code = sqlite3_prepare_v3(db->connection, statements[which].sql, -1,
                                  SQLITE_PREPARE_PERSISTENT, &db->statements[which], NULL);
    if (code == SQLITE_ERROR)
        return wf_sqlite_refuse(db, WFSM_CORRUPT, error,
                                "its tables are not those of a wfsm store: %s",
                                sqlite3_errmsg(db->connection));
    return code ? wf_sqlite_fail(db, code, "cannot be read", error) : WFSM_OK;
}

int32_t wf_sqlite_prepare(wf_sqlite *db, wfsm_error *error)
{
    int32_t status = WFSM_OK;
    for (int which = 0; !status && which < WF_SQL_SHARED; which++)
        status = prepare_one(db, which, error);
    return status;
}

int32_t wf_sqlite_prepare_shared(wf_sqlite *db, wfsm_error *error)
{
    int32_t status = WFSM_OK;
    for (int which = WF_SQL_SHARED; !status && which < WF_SQL_WRITTEN; which++)
        if (!db->statements[which])
            status = prepare_one(db, which, error);
    return status;
}

int32_t wf_sqlite_prepare_list(wf_sqlite *db, const char *conditions, wfsm_error *error)
{
    char *sql = sqlite3_mprintf("%s WHERE %s AND %s", HEAD_COLUMNS, conditions, LIST_FILTERS);
    int code = sql ? sqlite3_prepare_v2(db->connection, sql, -1,
                                        &db->statements[WF_SQL_LIST_WHERE], NULL)
                   : SQLITE_NOMEM;
    sqlite3_free(sql);
    return code ? wf_sqlite_fail(db, code, "cannot be read", error) : WFSM_OK;
}

void wf_sqlite_finalize(wf_sqlite *db)
{
    for (int which = 0; which < WF_SQL_COUNT; which++) {
        sqlite3_finalize(db->statements[which]);
        db->statements[which] = NULL;
    }
}

const char *wf_sql_table(enum wf_sql which)
{
    return statements[which].table;
}
