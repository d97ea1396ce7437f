/*
 * W8, postgres: commits on a PostgreSQL server that the benchmark starts for itself.
 * bench_postgres FOLDER fsync|nofsync one MILLISECONDS: one engine beside the floor, in rounds of 100 and
 * of 1, of what agents answer and of posts. bench_postgres FOLDER fsync|nofsync eight MILLISECONDS: eight
 * engines beside eight floors, each in a process of its own. Engine and floor take turns, in slices of
 * so many milliseconds. bench_postgres FOLDER fsync|nofsync flight COMMAND: workflows, beside another
 * program (postgres_flight.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "postgres/server.h"
#include "postgres_eight.h"
#include "postgres_engine.h"
#include "postgres_flight.h"
#include "postgres_floor.h"
#include "postgres_server.h"

static const char *synced; /* fsync or nofsync */

enum { SLICES = 5, WARM = 64, ROUND = 100, FLOOR = 0, ENGINE = 1 };

/* What one side has done so far. */
typedef struct pg_side {
    int64_t time, busy, wal; /* as in pg_spent; time: ns of the rounds alone */
    int64_t client; /* ns of this process's processor in the rounds */
    int64_t trips;
    uint64_t commits, rounds;
} pg_side;

typedef struct pair {
    const char *tenant;
    int instances;
    bool posts;
    pg_engine engine;
    pg_floor floor;
    pg_side sides[2];
} pair;

/* ---- rounds ---- */

/* What makes the posts of a round does not count. */
static void run_engine(pair *self, pg_side *out)
{
    uint64_t before = self->engine.commits;

    if (self->posts)
        pg_engine_post(&self->engine);
    out->trips -= pg_trips();
    out->client -= bench_busy();
    out->time -= bench_clock();
    pg_engine_round(&self->engine);
    out->time += bench_clock();
    out->client += bench_busy();
    out->trips += pg_trips();
    out->commits += self->engine.commits - before;
    out->rounds++;
}

static void run_floor(pair *self, pg_side *out)
{
    if (self->posts)
        pg_floor_post(&self->floor);
    out->client -= bench_busy();
    out->time -= bench_clock();
    pg_floor_commit(&self->floor);
    out->time += bench_clock();
    out->client += bench_busy();
    out->commits += (uint64_t)self->instances;
    out->rounds++;
    out->trips++;
}

static void run_slice(pair *self, int which, int64_t length)
{
    pg_side *out = &self->sides[which];
    int64_t end = out->time + length;
    pg_spent before, after;

    pg_spent_read(&before);
    while (out->time < end)
        if (which == ENGINE)
            run_engine(self, out);
        else
            run_floor(self, out);
    pg_spent_read(&after);
    out->busy += after.busy - before.busy;
    out->wal += after.wal - before.wal;
}

/* ---- the sizes of rows ---- */

static int ask_size(const char *table, const char *column, const char *tenant)
{
    char sql[300];

    snprintf(sql, sizeof sql,
             "SELECT coalesce(round(avg(length(%s))), 0) FROM wfsm.%s WHERE namespace = '%s'"
             " AND revision > 2",
             column, table, tenant);
    return (int)server_number(sql);
}

static long long last_snapshot(const char *tenant)
{
    char sql[200];

    snprintf(sql, sizeof sql,
             "SELECT snapshot FROM wfsm.head WHERE namespace = '%s' AND instance = 'loop-0'",
             tenant);
    return server_number(sql);
}

/* The floor's rows are as large as those that the engine has just written. */
static pg_sizes learn_sizes(pair *self)
{
    long long last = last_snapshot(self->tenant), shots = 0, at;
    pg_side ignored = {0};

    for (int i = 0; i < WARM; i++) {
        run_engine(self, &ignored);
        at = last_snapshot(self->tenant);
        shots += at != last;
        last = at;
    }
    return (pg_sizes){.posts = self->posts,
                      .record = ask_size("record", "text", self->tenant),
                      .event = ask_size("record", "event", self->tenant),
                      .token = ask_size("head", "token", self->tenant),
                      .tags = ask_size("head", "tags", self->tenant),
                      .snapshot = ask_size("snapshot", "text", self->tenant),
                      .every = shots > 0 ? (int)((WARM + shots / 2) / shots) : 0};
}

/* Returns the sizes of the floor's rows. */
static pg_sizes open_pair(pair *self)
{
    pg_side ignored = {0};
    pg_sizes sizes;

    pg_engine_open(&self->engine, server_address(), self->tenant, "loop", self->instances,
                   self->posts);
    sizes = learn_sizes(self);
    pg_floor_open(&self->floor, server_address(), self->tenant, "loop", self->instances,
                  &sizes);
    for (int i = 0; i < WARM; i++)
        run_floor(self, &ignored);
    return sizes;
}

/* ---- figures ---- */

/* The figure of the engine has that of the floor as its floor. */
static void print(int which, const char *name, const char *more, double value, const char *unit)
{
    static const char *const who[] = {"floor", "engine"};
    char figure[100], floor[100];

    snprintf(figure, sizeof figure, "%s, %s, %s%s", who[which], synced, name, more);
    snprintf(floor, sizeof floor, "floor, %s, %s%s", synced, name, more);
    bench_print("postgres", figure, value, unit, which == ENGINE ? floor : NULL);
}

static void report(const pair *self, int which)
{
    const pg_side *side = &self->sides[which];
    double commits = (double)side->commits, rounds = (double)side->rounds;

    if (side->commits != side->rounds * (uint64_t)self->instances)
        bench_fail("the engine", "a round had other commits than one of each instance");
    print(which, self->tenant, "", commits * 1e9 / (double)side->time, "/s");
    print(which, self->tenant, ": trips", (double)side->trips / rounds, "each");
    print(which, self->tenant, ": client", (double)side->client / commits / 1000, "us");
    if (self->posts)
        return; /* the rest has what the sender of the posts took */
    print(which, self->tenant, ": server", (double)side->busy / commits / 1000, "us");
    print(which, self->tenant, ": log", (double)side->wal / commits, "bytes");
}

static void measure_one(int64_t slice)
{
    pair pairs[] = {{.tenant = "100", .instances = ROUND},
                    {.tenant = "1", .instances = 1},
                    {.tenant = "100 posts", .instances = ROUND, .posts = true}};
    enum { PAIRS = sizeof pairs / sizeof *pairs };

    for (int i = 0; i < PAIRS; i++)
        open_pair(&pairs[i]);
    for (int at = 0; at < SLICES * PAIRS; at++) {
        run_slice(&pairs[at % PAIRS], FLOOR, slice);
        run_slice(&pairs[at % PAIRS], ENGINE, slice);
    }
    for (int i = 0; i < PAIRS; i++) {
        report(&pairs[i], FLOOR);
        report(&pairs[i], ENGINE);
        pg_floor_close(&pairs[i].floor);
        pg_engine_close(&pairs[i].engine);
    }
}

/* Eight engines share a namespace; the floors are as many. */
static void measure_eight(int64_t slice)
{
    pair self = {.tenant = "100", .instances = ROUND};
    const pg_sizes sizes = open_pair(&self);
    pg_eight eight;

    pg_floor_close(&self.floor);
    pg_engine_close(&self.engine);
    pg_eight_start(&eight, ROUND, &sizes);
    for (int at = 0; at < SLICES * 2; at++) {
        pg_side *out = &self.sides[at % 2];
        pg_spent before, after;

        pg_spent_read(&before);
        out->time -= bench_clock();
        out->commits += pg_eight_run(&eight, at % 2 == ENGINE, slice);
        out->time += bench_clock();
        pg_spent_read(&after);
        out->busy += after.busy - before.busy;
        out->wal += after.wal - before.wal;
    }
    pg_eight_stop(&eight);
    for (int which = FLOOR; which <= ENGINE; which++) {
        const pg_side *side = &self.sides[which];

        print(which, "eight", "", (double)side->commits * 1e9 / (double)side->time, "/s");
        print(which, "eight", ": server", (double)side->busy / (double)side->commits / 1000,
              "us");
        print(which, "eight", ": log", (double)side->wal / (double)side->commits, "bytes");
    }
}

int main(int argc, char **argv)
{
    if (argc != 5)
        bench_fail("usage", "bench_postgres FOLDER fsync|nofsync one|eight MILLISECONDS, or"
                            " flight COMMAND");
    synced = argv[2];
    if (!pg_server_start(argv[1], strcmp(synced, "fsync") == 0)) {
        fprintf(stderr, "bench: no PostgreSQL is installed\n");
        return 0;
    }
    if (strcmp(argv[3], "one") == 0)
        measure_one(atoll(argv[4]) * 1000000);
    else if (strcmp(argv[3], "flight") == 0)
        pg_flight(argv[4], synced);
    else
        measure_eight(atoll(argv[4]) * 1000000);
    return 0;
}
