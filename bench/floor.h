/* bench/floor.h: durable floors: the same SQLite, the same records, one journal row and one
 * state row for each transition, and no knowledge of either. */
#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

#include <sqlite3.h>
#include <stdint.h>

typedef struct raw {
    sqlite3 *db;
    sqlite3_stmt *begin, *commit, *journal, *state;
} raw;

typedef struct traffic {
    int64_t bytes, calls, time, busy;
} traffic;

/* A new file at `path`, with so many instances. */
void raw_open(raw *self, const char *path, const char *synchronous, int instances);
void raw_close(raw *self);
void raw_begin(raw *self);
/* The next transition of one of them, from 0. */
void raw_step(raw *self, int instance, int revision, const char *record);
void raw_commit(raw *self);

/* Removes a database with its log. */
void drop_file(const char *path);
/* What the process has written so far, from /proc, and the time. */
traffic traffic_now(void);
/* Prints the rate since `begin`, and time of the processor, bytes and writes for each of
 * `count`. */
void traffic_report(const char *figure, const traffic *begin, double count, const char *floor);
#endif
