/* bench/postgres_eight.h: eight engines, and eight floors, each in a process of its own. */
#ifndef BENCH_POSTGRES_EIGHT_H
#define BENCH_POSTGRES_EIGHT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "postgres_floor.h"

enum { PG_EIGHT = 8 };

typedef struct pg_worker {
    pid_t process;
    int orders, answers; /* pipes */
} pg_worker;

typedef struct pg_eight {
    pg_worker floors[PG_EIGHT], engines[PG_EIGHT];
} pg_eight;

/* All are warm when this returns. Each has so many instances. */
void pg_eight_start(pg_eight *self, int instances, const pg_sizes *sizes);
/* The engines, or the floors, make rounds at the same time for so many ns. Returns their commits. */
uint64_t pg_eight_run(pg_eight *self, bool engines, int64_t length);
void pg_eight_stop(pg_eight *self);
#endif
