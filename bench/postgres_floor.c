/* bench/postgres_floor.c: see postgres_floor.h. */
#include "postgres_floor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench.h"

/* Numbers of types in every PostgreSQL. */
enum { TYPE_TEXT = 25, TYPE_TEXTS = 1009, TYPE_BIGINT = 20, TYPE_BIGINTS = 1016 };
enum { HEADER = 20, MOST_TEXT = 1 << 16 };

static PGresult *check(PGconn *connection, PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);

    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
        bench_fail("the floor", PQerrorMessage(connection));
    return result;
}

/* ---- arrays ---- */

static void add(pg_column *column, const void *bytes, size_t length)
{
    if (column->room - column->length < length) {
        column->room = (column->room + length) * 2;
        column->data = realloc(column->data, column->room);
        if (!column->data)
            bench_fail("memory", "too little");
    }
    memcpy(column->data + column->length, bytes, length);
    column->length += length;
}

static void write32(char *out, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        out[i] = (char)(number >> (24 - 8 * i));
}

static void add32(pg_column *column, uint32_t number)
{
    char bytes[4];

    write32(bytes, number);
    add(column, bytes, sizeof bytes);
}

static void begin(pg_column *column)
{
    static const char header[HEADER];

    column->length = column->count = 0;
    add(column, header, HEADER);
}

static void put_text(pg_column *column, const char *text, size_t length)
{
    add32(column, (uint32_t)length);
    add(column, text, length);
    column->count++;
}

static void put_number(pg_column *column, int64_t number)
{
    add32(column, 8);
    add32(column, (uint32_t)((uint64_t)number >> 32));
    add32(column, (uint32_t)number);
    column->count++;
}

static void end(pg_column *column, Oid element)
{
    write32(column->data, 1); /* dimensions */
    write32(column->data + 4, 0); /* no nulls */
    write32(column->data + 8, element);
    write32(column->data + 12, column->count);
    write32(column->data + 16, 1); /* the first index */
}

/* ---- the statements ---- */

static const char make_heads[] =
    "INSERT INTO floor.head (namespace, instance, revision, epoch, token, owner, tags, effects,"
    " acknowledged, status, created, updated, first, snapshot, machine, fingerprint, attributes,"
    " shard) SELECT $1, i, 1, 0, t, 'bench', g, 0, 0, 1, 0, 0, 1, 1, 'loop', repeat('f', 64), '{}', 0"
    " FROM unnest($2::text[], $3::text[], $4::text[]) AS a (i, t, g)";

static const char make_posts[] =
    "INSERT INTO floor.post (namespace, instance, owner, event, name, data, now, kind, interface)"
    " SELECT $1, i, 'bench', e, 'go', d, 0, 0, 1"
    " FROM unnest($2::text[], $3::text[], $4::text[]) AS a (i, e, d) RETURNING number";

static const char heads[] =
    "WITH given AS (SELECT * FROM unnest($2::text[], $3::bigint[], $4::text[], $5::text[],"
    " $6::bigint[], $7::text[], $8::text[]) AS t (instance, base, token, tags, updated, event,"
    " text)), moved AS (UPDATE floor.head AS h SET revision = g.base + 1, token = g.token,"
    " tags = g.tags, updated = g.updated, status = 1 FROM given AS g WHERE h.namespace = $1"
    " AND h.instance = g.instance AND h.revision = g.base RETURNING 1), ";

static const char records[] =
    "records AS (INSERT INTO floor.record (namespace, instance, revision, now, event, text)"
    " SELECT $1, g.instance, g.base + 1, g.updated, nullif(g.event, ''), g.text FROM given AS g), ";

static const char snapshots[] =
    "snapshots AS (INSERT INTO floor.snapshot (namespace, instance, kind, revision, now, text)"
    " SELECT $1, s.instance, 1, s.revision, 0, s.text FROM unnest($9::text[], $10::bigint[],"
    " $11::text[]) AS s (instance, revision, text) ON CONFLICT (namespace, instance, kind)"
    " DO UPDATE SET revision = excluded.revision, text = excluded.text), ";

static const char posts[] =
    "posts AS (DELETE FROM floor.post AS p USING unnest($12::text[], $13::bigint[])"
    " AS d (instance, number) WHERE p.namespace = $1 AND p.instance = d.instance"
    " AND p.number = d.number), ";

static void prepare(pg_floor *self)
{
    static const Oid types[] = {
        TYPE_TEXT,  TYPE_TEXTS, TYPE_BIGINTS, TYPE_TEXTS, TYPE_TEXTS, TYPE_BIGINTS, TYPE_TEXTS,
        TYPE_TEXTS, TYPE_TEXTS, TYPE_BIGINTS, TYPE_TEXTS, TYPE_TEXTS, TYPE_BIGINTS};
    char text[4096];

    snprintf(text, sizeof text, "%s%s%s%slast AS (SELECT 1) SELECT count(*) FROM moved", heads,
             records, self->sizes.every > 0 ? snapshots : "", self->sizes.posts ? posts : "");
    PQclear(check(self->connection, PQprepare(self->connection, "commit", text, 13, types)));
}

/* ---- running them ---- */

enum {
    INSTANCE,
    BASE,
    TOKEN,
    TAGS,
    UPDATED,
    EVENT,
    TEXT,
    SHOT,
    SHOT_AT,
    SHOT_TEXT,
    POST,
    NUMBER
};

static void put_name(const pg_floor *self, pg_column *column, int instance)
{
    char name[64];

    put_text(column, name, (size_t)snprintf(name, sizeof name, "%s-%d", self->name, instance));
}

/* Of that length, and different for each commit. */
static void put_unique(pg_column *column, int instance, int64_t revision, int length)
{
    char text[300];

    snprintf(text, sizeof text, "%0*lld", length, (long long)(revision * 1000 + instance));
    put_text(column, text, (size_t)length);
}

static void run(pg_floor *self, const char *sql, int count, PGresult **result)
{
    const char *values[PG_COLUMNS] = {self->tenant};
    int lengths[PG_COLUMNS] = {(int)strlen(self->tenant)}, formats[PG_COLUMNS] = {1};
    Oid types[PG_COLUMNS] = {TYPE_TEXT};

    for (int i = 0; i < count; i++) {
        values[i + 1] = self->columns[i].data;
        lengths[i + 1] = (int)self->columns[i].length;
        formats[i + 1] = 1;
        types[i + 1] = TYPE_TEXTS;
    }
    *result =
        sql ? PQexecParams(self->connection, sql, count + 1, types, values, lengths, formats, 0)
            : PQexecPrepared(self->connection, "commit", count + 1, values, lengths, formats,
                             0);
    check(self->connection, *result);
}

static void make_instances(pg_floor *self)
{
    PGresult *result;

    for (int i = 0; i < 3; i++)
        begin(&self->columns[i]);
    for (int i = 0; i < self->instances; i++) {
        put_name(self, &self->columns[0], i);
        put_text(&self->columns[1], self->filler, (size_t)self->sizes.token);
        put_text(&self->columns[2], self->filler, (size_t)self->sizes.tags);
    }
    for (int i = 0; i < 3; i++)
        end(&self->columns[i], TYPE_TEXT);
    run(self, make_heads, 3, &result);
    PQclear(result);
    self->revision = 1;
}

void pg_floor_open(pg_floor *self, const char *address, const char *tenant, const char *name,
                   int instances, const pg_sizes *sizes)
{
    memset(self, 0, sizeof *self);
    self->tenant = tenant;
    self->name = name;
    self->instances = instances;
    self->sizes = *sizes;
    self->numbers = calloc((size_t)instances, sizeof *self->numbers);
    self->filler = malloc(MOST_TEXT);
    if (!self->numbers || !self->filler)
        bench_fail("memory", "too little");
    for (int i = 0; i < MOST_TEXT; i++) /* no two words of it are the same, as in JSON */
        self->filler[i] = (char)('a' + (i * 7 + i / 26 * 3 + i / 97) % 26);
    self->connection = PQconnectdb(address);
    if (PQstatus(self->connection) != CONNECTION_OK)
        bench_fail("the floor", PQerrorMessage(self->connection));
    /* Its rows are found by their keys, too, whatever the server thinks of its tables. */
    PQclear(check(self->connection,
                  PQexec(self->connection,
                         "SET plan_cache_mode = force_generic_plan;"
                         " SET enable_seqscan = off; SET enable_bitmapscan = off")));
    prepare(self);
    make_instances(self);
}

void pg_floor_close(pg_floor *self)
{
    PQfinish(self->connection);
    for (int i = 0; i < PG_COLUMNS; i++)
        free(self->columns[i].data);
    free(self->numbers);
    free(self->filler);
}

void pg_floor_post(pg_floor *self)
{
    PGresult *result;

    for (int i = 0; i < 3; i++)
        begin(&self->columns[i]);
    for (int i = 0; i < self->instances; i++) {
        put_name(self, &self->columns[0], i);
        put_unique(&self->columns[1], i, self->revision, self->sizes.event);
        put_text(&self->columns[2], self->filler, (size_t)self->sizes.record / 2);
    }
    for (int i = 0; i < 3; i++)
        end(&self->columns[i], TYPE_TEXT);
    run(self, make_posts, 3, &result);
    for (int i = 0; i < self->instances; i++)
        self->numbers[i] = strtoll(PQgetvalue(result, i, 0), NULL, 10);
    PQclear(result);
}

static void put_commit(pg_floor *self, int instance)
{
    const pg_sizes *sizes = &self->sizes;
    pg_column *columns = self->columns;

    put_name(self, &columns[INSTANCE], instance);
    put_number(&columns[BASE], self->revision);
    put_unique(&columns[TOKEN], instance, self->revision, sizes->token);
    put_text(&columns[TAGS], self->filler, (size_t)sizes->tags);
    put_number(&columns[UPDATED], self->revision);
    put_unique(&columns[EVENT], instance, self->revision, sizes->event);
    put_text(&columns[TEXT], self->filler + self->revision % 1000, (size_t)sizes->record);
    if (sizes->every > 0 && (self->revision + instance) % sizes->every == 0) {
        put_name(self, &columns[SHOT], instance);
        put_number(&columns[SHOT_AT], self->revision + 1);
        put_text(&columns[SHOT_TEXT], self->filler, (size_t)sizes->snapshot);
    }
    put_name(self, &columns[POST], instance);
    put_number(&columns[NUMBER], self->numbers[instance]);
}

void pg_floor_commit(pg_floor *self)
{
    PGresult *result;

    for (int i = INSTANCE; i <= NUMBER; i++)
        begin(&self->columns[i]);
    for (int i = 0; i < self->instances; i++)
        put_commit(self, i);
    for (int i = INSTANCE; i <= NUMBER; i++)
        end(&self->columns[i],
            i == BASE || i == UPDATED || i == SHOT_AT || i == NUMBER ? TYPE_BIGINT : TYPE_TEXT);
    run(self, NULL, NUMBER + 1, &result);
    if (atoi(PQgetvalue(result, 0, 0)) != self->instances)
        bench_fail("the floor", "a commit was refused");
    PQclear(result);
    self->revision++;
}
