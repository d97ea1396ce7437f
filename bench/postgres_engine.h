/* bench/postgres_engine.h: an engine on PostgreSQL whose rounds are measured. */
#ifndef BENCH_POSTGRES_ENGINE_H
#define BENCH_POSTGRES_ENGINE_H

#include <stdbool.h>
#include <stdint.h>
#include <wfsm/postgres.h>
#include <wfsm/wfsm.h>

typedef struct pg_engine {
    wfsm_store *store, *sender; /* sender: that of the posts */
    wfsm_engine *engine;
    const char *name; /* of its session, and with a number of an instance */
    int instances;
    int64_t posted; /* posts of each instance so far */
    uint64_t commits;
} pg_engine;

/* Makes so many instances of a namespace. Each commits once in a round: it takes the answer of its agent,
 * which is a function and answers at once, or, with `posts`, one post. */
void pg_engine_open(pg_engine *self, const char *address, const char *tenant, const char *name,
                    int instances, bool posts);
void pg_engine_close(pg_engine *self);
/* One post for each instance. */
void pg_engine_post(pg_engine *self);
void pg_engine_round(pg_engine *self);
#endif
