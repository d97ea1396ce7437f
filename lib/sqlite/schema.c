#include "schema.h"

/* doc/sqlite-schema.md has the same text; a test compares the two. */
static const char schema[] =
    "CREATE TABLE store (\n"
    "  name TEXT PRIMARY KEY,\n"
    "  generation INTEGER NOT NULL,\n"
    "  checksum INTEGER NOT NULL\n"
    ") STRICT, WITHOUT ROWID;\n"
    "CREATE TABLE document (\n"
    "  key INTEGER PRIMARY KEY,\n"
    "  fingerprint TEXT NOT NULL UNIQUE,\n"
    "  text TEXT NOT NULL,\n"
    "  checksum INTEGER NOT NULL\n"
    ") STRICT;\n"
    "CREATE TABLE instance (\n"
    "  key INTEGER PRIMARY KEY,\n"
    "  id TEXT NOT NULL UNIQUE,\n"
    "  machine TEXT NOT NULL,\n"
    "  document INTEGER NOT NULL REFERENCES document (key),\n"
    "  owner TEXT NOT NULL,\n"
    "  status INTEGER NOT NULL,\n"
    "  acknowledged INTEGER NOT NULL,\n"
    "  created INTEGER NOT NULL,\n"
    "  first INTEGER NOT NULL,\n"
    "  anchor INTEGER,\n"
    "  attributes TEXT NOT NULL,\n"
    "  checksum INTEGER NOT NULL\n"
    ") STRICT;\n"
    "CREATE INDEX instance_running ON instance (id) WHERE status = 1;\n"
    "CREATE INDEX instance_owned ON instance (owner, id) WHERE status = 1 OR owner <> '';\n"
    "CREATE TABLE attribute (\n"
    "  instance INTEGER NOT NULL,\n"
    "  name TEXT NOT NULL,\n"
    "  value ANY NOT NULL,\n"
    "  PRIMARY KEY (name, value, instance)\n"
    ") STRICT, WITHOUT ROWID;\n"
    "CREATE INDEX attribute_instance ON attribute (instance);\n"
    "INSERT INTO attribute VALUES (0, '', '');\n"
    "CREATE TABLE owing (key INTEGER PRIMARY KEY) STRICT;\n"
    "CREATE TABLE head (\n"
    "  key INTEGER PRIMARY KEY,\n"
    "  revision INTEGER NOT NULL,\n"
    "  last INTEGER NOT NULL\n"
    ") STRICT;\n"
    "CREATE TABLE journal (\n"
    "  key INTEGER PRIMARY KEY,\n"
    "  instance INTEGER NOT NULL,\n"
    "  revision INTEGER NOT NULL,\n"
    "  previous INTEGER,\n"
    "  now INTEGER NOT NULL,\n"
    "  event_id TEXT,\n"
    "  token TEXT NOT NULL,\n"
    "  tags TEXT NOT NULL,\n"
    "  effects INTEGER NOT NULL,\n"
    "  deadline INTEGER,\n"
    "  snapshot_revision INTEGER NOT NULL,\n"
    "  snapshot_key INTEGER,\n"
    "  record TEXT NOT NULL,\n"
    "  snapshot TEXT\n"
    ") STRICT;\n"
    "CREATE UNIQUE INDEX journal_event ON journal (instance, event_id)\n"
    "  WHERE event_id IS NOT NULL;\n"
    "CREATE TABLE checkpoint (\n"
    "  instance INTEGER NOT NULL,\n"
    "  id TEXT NOT NULL,\n"
    "  revision INTEGER NOT NULL,\n"
    "  now INTEGER NOT NULL,\n"
    "  artifacts TEXT NOT NULL,\n"
    "  snapshot TEXT NOT NULL,\n"
    "  PRIMARY KEY (instance, id)\n"
    ") STRICT;\n"
    "CREATE TABLE inbox (\n"
    "  number INTEGER PRIMARY KEY AUTOINCREMENT,\n"
    "  instance INTEGER NOT NULL,\n"
    "  owner TEXT NOT NULL,\n"
    "  event_id TEXT,\n"
    "  name TEXT NOT NULL,\n"
    "  data TEXT NOT NULL,\n"
    "  now INTEGER NOT NULL,\n"
    "  kind INTEGER NOT NULL,\n"
    "  interface INTEGER NOT NULL,\n"
    "  sender TEXT,\n"
    "  checksum INTEGER NOT NULL,\n"
    "  UNIQUE (instance, event_id)\n"
    ") STRICT;\n"
    "CREATE INDEX inbox_owner ON inbox (owner);\n"
    "CREATE TABLE owner (\n"
    "  name TEXT PRIMARY KEY,\n"
    "  until INTEGER NOT NULL,\n"
    "  changes INTEGER NOT NULL,\n"
    "  checksum INTEGER NOT NULL\n"
    ") STRICT, WITHOUT ROWID;\n";

static const char shared[] = "CREATE TABLE IF NOT EXISTS permit (\n"
                             "  kind INTEGER NOT NULL,\n"
                             "  name TEXT NOT NULL,\n"
                             "  session TEXT NOT NULL,\n"
                             "  count INTEGER NOT NULL,\n"
                             "  wanted INTEGER NOT NULL,\n"
                             "  since INTEGER NOT NULL,\n"
                             "  checksum INTEGER NOT NULL,\n"
                             "  PRIMARY KEY (kind, name, session)\n"
                             ") STRICT, WITHOUT ROWID;\n"
                             "CREATE TABLE IF NOT EXISTS rate (\n"
                             "  kind INTEGER NOT NULL,\n"
                             "  name TEXT NOT NULL,\n"
                             "  count INTEGER NOT NULL,\n"
                             "  per_ms INTEGER NOT NULL,\n"
                             "  owed INTEGER NOT NULL,\n"
                             "  at INTEGER NOT NULL,\n"
                             "  checksum INTEGER NOT NULL,\n"
                             "  PRIMARY KEY (kind, name)\n"
                             ") STRICT, WITHOUT ROWID;\n";

int wf_sqlite_number(const wf_sqlite *db, const char *sql, int64_t *number)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db->connection, sql, -1, &statement, NULL);
    if (!code)
        code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        *number = sqlite3_column_int64(statement, 0);
        code = SQLITE_OK;
    }
    sqlite3_finalize(statement);
    return code;
}

static int32_t judge(wf_sqlite *db, int64_t application, int64_t version,
                     enum wf_sqlite_kind *kind, wfsm_error *error)
{
    if (application != WF_SQLITE_APPLICATION)
        return wf_sqlite_refuse(db, WFSM_CORRUPT, error,
                                "it is a database of another program (application_id "
                                "%lld; that of a wfsm store is %lld)",
                                (long long)application, (long long)WF_SQLITE_APPLICATION);
    if (version > WF_SQLITE_VERSION)
        return wf_sqlite_refuse(db, WFSM_VERSION, error,
                                "its schema has version %lld, and this library knows "
                                "those up to %d: a newer libwfsm-sqlite is needed",
                                (long long)version, WF_SQLITE_VERSION);
    if (version < 1)
        return wf_sqlite_refuse(db, WFSM_CORRUPT, error,
                                "its schema has version %lld, 1 to %d was expected",
                                (long long)version, WF_SQLITE_VERSION);
    *kind = WF_SQLITE_OURS;
    return WFSM_OK;
}

static int run(const wf_sqlite *db, const char *sql)
{
    return sqlite3_exec(db->connection, sql, NULL, NULL, NULL);
}

int32_t wf_sqlite_look(wf_sqlite *db, enum wf_sqlite_kind *kind, wfsm_error *error)
{
    int64_t application = 0, version = 0, objects = 0;
    /* In one transaction: another process may be creating the tables now. */
    bool alone = sqlite3_get_autocommit(db->connection) != 0;
    int code = alone ? run(db, "BEGIN") : SQLITE_OK;
    if (!code)
        code = wf_sqlite_number(db, "PRAGMA application_id", &application);
    if (!code)
        code = wf_sqlite_number(db, "PRAGMA user_version", &version);
    if (!code)
        code = wf_sqlite_number(db, "SELECT count(*) FROM sqlite_schema", &objects);
    if (!code && alone)
        code = run(db, "COMMIT");
    if (code)
        return wf_sqlite_fail(db, code, "cannot be read", error);
    *kind = WF_SQLITE_EMPTY;
    if (!application && !version && !objects)
        return WFSM_OK;
    return judge(db, application, version, kind, error);
}

int wf_sqlite_create_shared(const wf_sqlite *db)
{
    return run(db, shared);
}

static int create_tables(const wf_sqlite *db)
{
    char mark[64];
    sqlite3_snprintf(sizeof mark, mark, "PRAGMA application_id = %d", WF_SQLITE_APPLICATION);
    int code = run(db, schema);
    if (!code)
        code = run(db, "INSERT INTO store VALUES (lower(hex(randomblob(16))), 0, 0);"
                       "UPDATE store SET checksum = wfsm_checksum(generation, name)");
    if (!code)
        code = run(db, mark);
    return code ? code : run(db, "PRAGMA user_version = " WF_SQLITE_VERSION_TEXT);
}

int32_t wf_sqlite_create(wf_sqlite *db, wfsm_error *error)
{
    enum wf_sqlite_kind kind;
    int code = run(db, "BEGIN IMMEDIATE");
    if (code)
        return wf_sqlite_fail(db, code, "cannot be created", error);
    int32_t status = wf_sqlite_look(db, &kind, error);
    if (!status && kind == WF_SQLITE_EMPTY) {
        code = create_tables(db);
        if (!code)
            code = run(db, "COMMIT");
        if (code)
            status = wf_sqlite_fail(db, code, "cannot be created", error);
    }
    if (!sqlite3_get_autocommit(db->connection))
        run(db, "ROLLBACK");
    return status;
}
