/* postgres/pg_schema.c: the tables. doc/postgres-schema.md has the same text; a test compares the two. */
#include "pg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ATTEMPTS = 20 };

#define NAME "text COLLATE \"C\" NOT NULL"

/* C promises no longer texts than 4095 bytes, so there are two. */
static const char instance_tables[] =
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
    "  shard bigint NOT NULL,\n"
    "  attributes " NAME ",\n"
    "  owing boolean GENERATED ALWAYS AS (status = 2 AND effects > acknowledged) STORED,\n"
    "  PRIMARY KEY (namespace, instance)\n"
    ") WITH (fillfactor = 70);\n"
    "CREATE INDEX head_owner ON @head (namespace, owner, instance) WHERE owner <> '';\n"
    "CREATE INDEX head_running ON @head (namespace, instance) WHERE status = 1;\n"
    "CREATE INDEX head_shard ON @head (namespace, owner, fingerprint, shard, instance)\n"
    "  WHERE status = 1;\n"
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
    "CREATE INDEX post_owner ON @post (namespace, owner, number);\n";

/* A trigger, because most commits leave the attributes as they are. */
static const char attribute_tables[] =
    "CREATE TABLE @attribute (\n"
    "  namespace " NAME ",\n"
    "  instance " NAME ",\n"
    "  name " NAME ",\n"
    "  number double precision,\n"
    "  text " NAME ",\n"
    "  PRIMARY KEY (namespace, instance, name)\n"
    ");\n"
    "CREATE INDEX attribute_text ON @attribute (namespace, name, text, instance);\n"
    "CREATE INDEX attribute_number ON @attribute (namespace, name, number, instance)\n"
    "  WHERE number IS NOT NULL;\n"
    "CREATE FUNCTION @index_attributes() RETURNS trigger LANGUAGE plpgsql AS $body$\n"
    "BEGIN\n"
    "  IF TG_OP <> 'INSERT' THEN\n"
    "    DELETE FROM @attribute AS a\n"
    "      WHERE a.namespace = OLD.namespace AND a.instance = OLD.instance;\n"
    "  END IF;\n"
    "  IF TG_OP <> 'DELETE' THEN\n"
    "    INSERT INTO @attribute (namespace, instance, name, number, text)\n"
    "      SELECT NEW.namespace, NEW.instance, t.key, CASE jsonb_typeof(d.object -> t.key)\n"
    "        WHEN 'number' THEN t.value::double precision END, t.value\n"
    "      FROM (SELECT NEW.attributes::jsonb AS object) AS d, jsonb_each_text(d.object) AS t;\n"
    "  END IF;\n"
    "  RETURN NULL;\n"
    "END\n"
    "$body$;\n"
    "CREATE TRIGGER head_attributes_made AFTER INSERT ON @head FOR EACH ROW\n"
    "  WHEN (NEW.attributes <> '{}') EXECUTE FUNCTION @index_attributes();\n"
    "CREATE TRIGGER head_attributes_changed AFTER UPDATE OF attributes ON @head FOR EACH ROW\n"
    "  WHEN (OLD.attributes <> NEW.attributes) EXECUTE FUNCTION @index_attributes();\n"
    "CREATE TRIGGER head_attributes_gone AFTER DELETE ON @head FOR EACH ROW\n"
    "  WHEN (OLD.attributes <> '{}') EXECUTE FUNCTION @index_attributes();\n";

static const char session_tables[] =
    "CREATE TABLE @session (\n"
    "  namespace " NAME ",\n"
    "  name " NAME ",\n"
    "  until bigint NOT NULL,\n"
    "  written bigint NOT NULL,\n"
    "  changes bigint NOT NULL,\n"
    "  PRIMARY KEY (namespace, name)\n"
    ");\n"
    "CREATE TABLE @permit (\n"
    "  namespace " NAME ",\n"
    "  kind bigint NOT NULL,\n"
    "  name " NAME ",\n"
    "  session " NAME ",\n"
    "  count bigint NOT NULL,\n"
    "  wanted bigint NOT NULL,\n"
    "  since bigint NOT NULL,\n"
    "  PRIMARY KEY (namespace, kind, name, session)\n"
    ");\n"
    "CREATE TABLE @rate (\n"
    "  namespace " NAME ",\n"
    "  kind bigint NOT NULL,\n"
    "  name " NAME ",\n"
    "  count bigint NOT NULL,\n"
    "  per_ms bigint NOT NULL,\n"
    "  owed bigint NOT NULL,\n"
    "  at bigint NOT NULL,\n"
    "  granted bigint NOT NULL,\n"
    "  PRIMARY KEY (namespace, kind, name)\n"
    ");\n"
    "CREATE TABLE @service (\n"
    "  namespace " NAME ",\n"
    "  fingerprint " NAME ",\n"
    "  session " NAME ",\n"
    "  PRIMARY KEY (namespace, fingerprint, session)\n"
    ");\n"
    "CREATE TABLE @due (\n"
    "  namespace " NAME ",\n"
    "  instance " NAME ",\n"
    "  deadline bigint NOT NULL,\n"
    "  PRIMARY KEY (namespace, instance)\n"
    ");\n"
    "CREATE INDEX due_deadline ON @due (namespace, deadline, instance);\n"
    "CREATE TABLE @fence (\n"
    "  namespace " NAME ",\n"
    "  attempt bigint NOT NULL,\n"
    "  written bigint NOT NULL,\n"
    "  PRIMARY KEY (namespace, attempt)\n"
    ");\n"
    "CREATE TABLE @tenant (\n"
    "  role " NAME ",\n"
    "  namespace " NAME ",\n"
    "  PRIMARY KEY (role)\n"
    ");\n";

static const char ends[] = "INSERT INTO @version VALUES (1);\n";

size_t wf_pg_schema_text(const char *quoted, char *out, size_t room)
{
    wf_pg_writing to = {.schema = quoted, .out = out, .room = room};

    wf_pg_text_fill(&to, "CREATE SCHEMA IF NOT EXISTS ", NULL);
    wf_pg_text_put(&to, quoted, strlen(quoted));
    wf_pg_text_fill(&to, ";\n", NULL);
    wf_pg_text_fill(&to, instance_tables, NULL);
    wf_pg_text_fill(&to, attribute_tables, NULL);
    wf_pg_text_fill(&to, session_tables, NULL);
    wf_pg_policies_put(&to);
    wf_pg_text_fill(&to, ends, NULL);
    return wf_pg_text_end(&to);
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

/* 23505 and 42P06, 42P07: another process makes the same. */
bool wf_pg_run_text(wf_pg *db, const char *text, wfsm_error *error, int32_t *status)
{
    PGresult *result = PQexec(db->connection, text);
    bool again = false;

    *status = WFSM_OK;
    if (PQresultStatus(result) == PGRES_FATAL_ERROR) {
        again = wf_pg_has_state(result, "23505") || wf_pg_has_state(result, "42P0");
        *status = PQstatus(db->connection) == CONNECTION_OK
                      ? wf_pg_fail(db, result, WFSM_IO, error)
                      : wf_pg_fail_connection(db, WFSM_IO, "the connection is broken", error);
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
    for (int i = 0; i < ATTEMPTS && wf_pg_run_text(db, text, error, &status); i++) {
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
        status = wf_pg_version_check(db, pipe.results[0], error);
    wf_pg_pipe_free(&pipe);
    if (status == WFSM_OK)
        status = check_columns(db, error);
    if (status == WFSM_OK)
        status = wf_pg_tenant_check(db, error);
    db->checked = status == WFSM_OK;
    return status;
}
