/* bench/postgres_server.h: a PostgreSQL server of the benchmark's own, and what it spends. */
#ifndef BENCH_POSTGRES_SERVER_H
#define BENCH_POSTGRES_SERVER_H

#include <stdbool.h>
#include <stdint.h>

/* Starts it in the folder, with the settings of a small server, and makes the tables in the schemas "wfsm" and
 * "floor". Both have 10,000 other instances, and the server has statistics of them, so that it plans as it
 * does in use. It is removed when the process ends. False: PostgreSQL is not installed. */
bool pg_server_start(const char *folder, bool fsync);

/* What the server has spent so far. */
typedef struct pg_spent {
    int64_t busy; /* ns of the processor, in all of its processes, those that have ended too */
    int64_t wal; /* bytes of its log */
} pg_spent;

void pg_spent_read(pg_spent *spent);

/* postgres_trips.c: pipelines of this process so far. */
int64_t pg_trips(void);
#endif
