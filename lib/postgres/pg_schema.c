/* postgres/pg_schema.c: the tables. doc/postgres-schema.md has the same text; a test compares the two. */
#include "pg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCHEMA_VERSION = 1, NAME_BYTES = 63, ATTEMPTS = 20 };

#define NAME "text COLLATE \"C\" NOT NULL"

static const char tables[] =
    "CREATE TABLE @version (\n"
    "  number bigint PRIMARY KEY\n"
    ");\n"
    "CREATE TABLE @head (\n"
    "  namespace " NAME ",\n"
    "  instance " NAME ",\n"
    "  revision bigint NOT NULL,\n"
    "  epoch bigint NOT NULL,\n"
    "  token " NAME ",\n"
    "  owner " NAME ",\n"
    "  tags " NAME ",\n"
    "  effects bigint NOT NULL,\n"
    "  acknowledged bigint NOT NULL,\n"
    "  status bigint NOT NULL,\n"
    "  created bigint NOT NULL,\n"
    "  updated bigint NOT NULL,\n"
    "  first bigint NOT NULL,\n"
    "  snapshot bigint NOT NULL,\n"
    "  machine " NAME ",\n"
    "  fingerprint " NAME ",\n"
    "  owing boolean GENERATED ALWAYS AS (status = 2 AND effects > acknowledged) STORED,\n"
    "  PRIMARY KEY (namespace, instance)\n"
    ") WITH (fillfactor = 70);\n"
    "CREATE INDEX head_owner ON @head (namespace, owner, instance) WHERE owner <> '';\n"
    "CREATE INDEX head_running ON @head (namespace, instance) WHERE status = 1;\n"
    "CREATE INDEX head_free ON @head (namespace, instance) WHERE owner = '' AND status = 1;\n"
    "CREATE INDEX head_owing ON @head (namespace, owner, instance) WHERE owing;\n"
    "CREATE TABLE @record (\n"
    "  namespace " NAME ",\n"
    "  instance " NAME ",\n"
    "  revision bigint NOT NULL,\n"
    "  now bigint NOT NULL,\n"
    "  event text COLLATE \"C\",\n"
    "  text " NAME ",\n"
    "  PRIMARY KEY (namespace, instance, revision)\n"
    ");\n"
    "CREATE UNIQUE INDEX record_event ON @record (namespace, instance, event)\n"
    "  WHERE event IS NOT NULL;\n"
    "CREATE TABLE @snapshot (\n"
    "  namespace " NAME ",\n"
    "  instance " NAME ",\n"
    "  kind bigint NOT NULL,\n"
    "  revision bigint NOT NULL,\n"
    "  now bigint NOT NULL,\n"
    "  text " NAME ",\n"
    "  PRIMARY KEY (namespace, instance, kind)\n"
    ");\n"
    "CREATE TABLE @checkpoint (\n"
    "  namespace " NAME ",\n"
    "  instance " NAME ",\n"
    "  id " NAME ",\n"
    "  revision bigint NOT NULL,\n"
    "  now bigint NOT NULL,\n"
    "  artifacts " NAME ",\n"
    "  text " NAME ",\n"
    "  PRIMARY KEY (namespace, instance, id)\n"
    ");\n"
    "CREATE TABLE @document (\n"
    "  namespace " NAME ",\n"
    "  fingerprint " NAME ",\n"
    "  text " NAME ",\n"
    "  PRIMARY KEY (namespace, fingerprint)\n"
    ");\n"
    "CREATE TABLE @post (\n"
    "  namespace " NAME ",\n"
    "  instance " NAME ",\n"
    "  number bigint GENERATED ALWAYS AS IDENTITY,\n"
    "  owner " NAME ",\n"
    "  event text COLLATE \"C\",\n"
    "  name " NAME ",\n"
    "  data " NAME ",\n"
    "  now bigint NOT NULL,\n"
    "  kind bigint NOT NULL,\n"
    "  interface bigint NOT NULL,\n"
    "  sender text COLLATE \"C\",\n"
    "  PRIMARY KEY (namespace, instance, number)\n"
    ");\n"
    "CREATE UNIQUE INDEX post_event ON @post (namespace, instance, event)\n"
    "  WHERE event IS NOT NULL;\n"
    "CREATE INDEX post_owner ON @post (namespace, owner, number);\n"
    "CREATE TABLE @session (\n"
    "  namespace " NAME ",\n"
    "  name " NAME ",\n"
    "  until bigint NOT NULL,\n"
    "  written bigint NOT NULL,\n"
    "  changes bigint NOT NULL,\n"
    "  PRIMARY KEY (namespace, name)\n"
    ");\n"
    "CREATE TABLE @due (\n"
    "  namespace " NAME ",\n"
    "  instance " NAME ",\n"
    "  deadline bigint NOT NULL,\n"
    "  PRIMARY KEY (namespace, instance)\n"
    ");\n"
    "CREATE INDEX due_deadline ON @due (namespace, deadline, instance);\n"
    "INSERT INTO @version VALUES (1);\n";

bool wf_pg_quote(const char *name, char *out)
{
    size_t length = strlen(name);

    if (length == 0 || length > NAME_BYTES)
        return false;
    *out++ = '"';
    for (; *name; name++) {
        if (*name == '"')
            *out++ = '"';
        *out++ = *name;
    }
    memcpy(out, "\"", 2);
    return true;
}

/* Appends what fits, and counts all. */
static void put(char *out, size_t room, size_t *used, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++, ++*used)
        if (*used + 1 < room)
            out[*used] = text[i];
}

size_t wf_pg_schema_text(const char *quoted, char *out, size_t room)
{
    size_t used = 0, length = strlen(quoted);

    put(out, room, &used, "CREATE SCHEMA IF NOT EXISTS ", 28);
    put(out, room, &used, quoted, length);
    put(out, room, &used, ";\n", 2);
    for (const char *at = tables; *at; at++)
        if (*at == '@') {
            put(out, room, &used, quoted, length);
            put(out, room, &used, ".", 1);
        } else {
            put(out, room, &used, at, 1);
        }
    if (room > 0)
        out[used < room ? used : room - 1] = '\0';
    return used;
}

size_t wfsm_postgres_sql(const char *schema, char *out, size_t room)
{
    char quoted[WF_PG_QUOTED];

    if (!wf_pg_quote(schema ? schema : "wfsm", quoted)) {
        if (room > 0)
            *out = '\0';
        return 0;
    }
    return wf_pg_schema_text(quoted, out, room);
}

/* A text of several statements is one transaction. 23505 and 42P06, 42P07: another process makes the
 * same. */
static bool run_text(wf_pg *db, const char *text, wfsm_error *error, int32_t *status)
{
    PGresult *result = PQexec(db->connection, text);
    bool again = false;

    *status = WFSM_OK;
    if (PQresultStatus(result) == PGRES_FATAL_ERROR) {
        again = wf_pg_has_state(result, "23505") || wf_pg_has_state(result, "42P0");
        *status = PQstatus(db->connection) == CONNECTION_OK
                      ? wf_pg_fail(db, result, WFSM_IO, error)
                      : wf_pg_fail_connection(db, WFSM_IO, "the tables cannot be made", error);
    }
    PQclear(result);
    return again;
}

static int32_t make_tables(wf_pg *db, wfsm_error *error)
{
    char quoted[WF_PG_QUOTED];
    char *text;
    size_t length;
    int32_t status = WFSM_OK;

    wf_pg_quote(db->schema, quoted);
    length = wf_pg_schema_text(quoted, NULL, 0);
    text = wf_pg_take(db, length + 1);
    if (!text)
        return wf_pg_no_memory(error);
    wf_pg_schema_text(quoted, text, length + 1);
    for (int i = 0; i < ATTEMPTS && run_text(db, text, error, &status); i++) {
        wf_pg_back_off(db, i);
        if (wf_pg_schema_check(db, NULL) == WFSM_OK)
            break;
    }
    wf_pg_give(db, text);
    return status;
}

int32_t wf_pg_schema_make(wf_pg *db, wfsm_error *error)
{
    int32_t status = wf_pg_connect(db, error);

    if (status == WFSM_OK)
        status = wf_pg_schema_check(db, error);
    if (status == WFSM_NOT_FOUND) {
        status = make_tables(db, error);
        if (status == WFSM_OK || status == WFSM_CORRUPT)
            status = wf_pg_schema_check(db, error);
    }
    return status;
}

static int32_t no_tables(const wf_pg *db, wfsm_error *error)
{
    return wf_pg_refuse(
        db, WFSM_NOT_FOUND, error,
        "the schema \"%s\" has no tables of wfsm; `wfsm store init ADDRESS` makes "
        "them",
        db->schema);
}

static int32_t check_version(const wf_pg *db, const PGresult *result, wfsm_error *error)
{
    int64_t version = wf_pg_int_of(result, 0, 0);

    if (version == SCHEMA_VERSION)
        return WFSM_OK;
    if (version > SCHEMA_VERSION)
        return wf_pg_refuse(db, WFSM_VERSION, error,
                            "the tables in the schema \"%s\" have version %lld, which a newer "
                            "release of wfsm made; this one knows version %d",
                            db->schema, (long long)version, SCHEMA_VERSION);
    return wf_pg_refuse(
        db, WFSM_CORRUPT, error,
        "the table version in the schema \"%s\" does not say which version it is", db->schema);
}

static int32_t check_columns(wf_pg *db, wfsm_error *error)
{
    wf_pg_pipe pipe;
    enum wf_pg_end end;
    int32_t status = WFSM_OK;

    wf_pg_pipe_begin(&pipe, db);
    wf_pg_pipe_add(&pipe, WF_PG_CHECK, NULL);
    end = wf_pg_pipe_end(&pipe);
    if (end == WF_PG_REFUSED)
        status = wf_pg_fail(db, pipe.failed, WFSM_IO, error);
    else if (end != WF_PG_DONE)
        status = wf_pg_refuse(db, WFSM_IO, error, "the server does not answer");
    wf_pg_pipe_free(&pipe);
    return status;
}

int32_t wf_pg_schema_check(wf_pg *db, wfsm_error *error)
{
    wf_pg_pipe pipe;
    enum wf_pg_end end;
    int32_t status;

    wf_pg_pipe_begin(&pipe, db);
    wf_pg_pipe_add(&pipe, WF_PG_VERSION, NULL);
    end = wf_pg_pipe_end(&pipe);
    if (end == WF_PG_REFUSED)
        status = wf_pg_has_state(pipe.failed, "42P01") || wf_pg_has_state(pipe.failed, "3F000")
                     ? no_tables(db, error)
                     : wf_pg_fail(db, pipe.failed, WFSM_IO, error);
    else if (end != WF_PG_DONE)
        status = wf_pg_refuse(db, WFSM_IO, error, "the server does not answer");
    else
        status = check_version(db, pipe.results[0], error);
    wf_pg_pipe_free(&pipe);
    return status == WFSM_OK ? check_columns(db, error) : status;
}
