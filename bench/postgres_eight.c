/* bench/postgres_eight.c: see postgres_eight.h. */
#include "postgres_eight.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench.h"
#include "postgres/server.h"
#include "postgres_engine.h"

enum { WARM = 20 };

/* ---- in the process of one ---- */

static uint64_t run_engine(pg_engine *engine, int64_t length)
{
    uint64_t before = engine->commits;
    int64_t end = bench_clock() + length;

    while (bench_clock() < end)
        pg_engine_round(engine);
    return engine->commits - before;
}

static uint64_t run_floor(pg_floor *floor, int64_t length)
{
    int64_t before = floor->revision, end = bench_clock() + length;

    while (bench_clock() < end)
        pg_floor_commit(floor);
    return (uint64_t)(floor->revision - before) * (uint64_t)floor->instances;
}

/* An order is how long to run; the end of the pipe is the end. The answer is the number of commits. */
static void obey(int orders, int answers, pg_engine *engine, pg_floor *floor)
{
    uint64_t commits = 0;
    int64_t length;

    while (write(answers, &commits, sizeof commits) == sizeof commits &&
           read(orders, &length, sizeof length) == sizeof length)
        commits = engine ? run_engine(engine, length) : run_floor(floor, length);
}

static void work(int orders, int answers, const char *name, int instances,
                 const pg_sizes *sizes)
{
    pg_engine engine;
    pg_floor floor;

    server_forget();
    if (sizes) {
        pg_floor_open(&floor, server_address(), "eight", name, instances, sizes);
        for (int i = 0; i < WARM; i++)
            pg_floor_commit(&floor);
    } else {
        pg_engine_open(&engine, server_address(), "eight", name, instances, false);
        for (int i = 0; i < WARM; i++)
            pg_engine_round(&engine);
    }
    obey(orders, answers, sizes ? NULL : &engine, &floor);
}

/* ---- in the process that measures ---- */

static uint64_t await(const pg_worker *worker)
{
    uint64_t commits = 0;

    if (read(worker->answers, &commits, sizeof commits) != sizeof commits)
        bench_fail("eight", "one of them has ended");
    return commits;
}

/* sizes NULL: an engine. */
static void start(pg_worker *worker, const char *kind, int number, int instances,
                  const pg_sizes *sizes)
{
    int orders[2], answers[2];
    char name[32];

    snprintf(name, sizeof name, "%s%d", kind, number);
    if (pipe(orders) != 0 || pipe(answers) != 0 || (worker->process = fork()) < 0)
        bench_fail("eight", "no process");
    if (worker->process == 0) {
        close(orders[1]);
        work(orders[0], answers[1], name, instances, sizes);
        _exit(0);
    }
    close(orders[0]);
    close(answers[1]);
    worker->orders = orders[1];
    worker->answers = answers[0];
    await(worker);
}

void pg_eight_start(pg_eight *self, int instances, const pg_sizes *sizes)
{
    for (int i = 0; i < PG_EIGHT; i++) {
        start(&self->floors[i], "floor", i, instances, sizes);
        start(&self->engines[i], "engine", i, instances, NULL);
    }
}

uint64_t pg_eight_run(pg_eight *self, bool engines, int64_t length)
{
    pg_worker *all = engines ? self->engines : self->floors;
    uint64_t commits = 0;

    for (int i = 0; i < PG_EIGHT; i++)
        if (write(all[i].orders, &length, sizeof length) != sizeof length)
            bench_fail("eight", "one of them has ended");
    for (int i = 0; i < PG_EIGHT; i++)
        commits += await(&all[i]);
    return commits;
}

/* A later process has the pipes of an earlier one, too, so their ends end nothing before all are closed. */
void pg_eight_stop(pg_eight *self)
{
    for (int i = 0; i < PG_EIGHT; i++) {
        close(self->floors[i].orders);
        close(self->engines[i].orders);
    }
    for (int i = PG_EIGHT; i > 0; i--) {
        waitpid(self->engines[i - 1].process, NULL, 0);
        waitpid(self->floors[i - 1].process, NULL, 0);
    }
}
