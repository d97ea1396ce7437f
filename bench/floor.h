/* bench/floor.h: the floors of durable transitions, which write the same bytes without
 * computing them. In SQLite, one journal row and the whole state for each transition, or one
 * journal row and a small head that is compared and swapped; or only appending to a file. */
#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

#include <sqlite3.h>
#include <stdint.h>

enum layout { RAW_STATE, RAW_HEAD, RAW_LOG };

typedef struct raw {
    enum layout layout;
    sqlite3 *db;
    sqlite3_stmt *begin, *commit, *journal, *state;
    int file; /* of RAW_LOG */
    const char *whole; /* state of an instance */
} raw;

typedef struct traffic {
    int64_t bytes, calls, syncs, time, busy;
} traffic;

/* A new file at `path`, with so many instances, whose state is that text; borrowed. */
void raw_open(raw *self, enum layout layout, const char *path, const char *synchronous,
              int instances, const char *whole);
void raw_close(raw *self);
void raw_begin(raw *self);
/* The next transition of one of them, from 0. */
void raw_step(raw *self, int instance, int revision, const char *record);
void raw_commit(raw *self);

/* Removes a database with its log. */
void drop_file(const char *path);
/* What the process has written so far, from /proc, and the time. */
traffic traffic_now(void);
/* All calls of fsync() and fdatasync() by the process so far. */
int64_t sync_count(void);
/* Each sync takes so long in addition, under a second: a slower disk. 0: no longer. */
void sync_delay(long microseconds);
/* Adds what was since `begin` to the sum. */
void traffic_add(traffic *sum, const traffic *begin);
/* Prints the rate, and time of the processor, bytes, writes and syncs for each of `count`. */
void traffic_report(const char *figure, const traffic *sum, double count, const char *floor);
#endif
