/*
 * bench/postgres_floor.h: the floor of commits on PostgreSQL. It writes the rows that an engine's round
 * writes, into the same tables, with one prepared statement over arrays, and computes nothing.
 */
#ifndef BENCH_POSTGRES_FLOOR_H
#define BENCH_POSTGRES_FLOOR_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>

/* How large the rows are: bytes of their texts, as an engine writes them. */
typedef struct pg_sizes {
    int record, event, token, tags, snapshot; /* event: 0, records have none */
    bool posts; /* each commit deletes one */
    int every; /* commits from one snapshot of an instance to the next; 0: none is written */
} pg_sizes;

enum { PG_COLUMNS = 14 };

/* An array as a parameter in PostgreSQL's binary form. */
typedef struct pg_column {
    char *data;
    size_t length, room;
    uint32_t count;
} pg_column;

typedef struct pg_floor {
    PGconn *connection;
    const char *tenant, *name; /* name: with a number that of an instance */
    pg_sizes sizes;
    int instances;
    int64_t revision; /* of all instances */
    int64_t *numbers; /* of the posts */
    pg_column columns[PG_COLUMNS];
    char *filler; /* the text of every row */
} pg_floor;

/* Makes so many instances of a namespace. The tables are in the schema "floor". */
void pg_floor_open(pg_floor *self, const char *address, const char *tenant, const char *name,
                   int instances, const pg_sizes *sizes);
void pg_floor_close(pg_floor *self);
/* One post for each instance. */
void pg_floor_post(pg_floor *self);
/* One commit of each instance, in one transaction. */
void pg_floor_commit(pg_floor *self);
#endif
