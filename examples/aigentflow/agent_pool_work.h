/* Shared by the files of the agent pool: the pool, and how its work is read. */
#ifndef AGENT_POOL_WORK_H
#define AGENT_POOL_WORK_H

#include "agent_pool.h"

enum { POOL_ID_SIZE = 64 };

struct agent_pool {
    wfsm_engine *engine;
    wfsm_error *why; /* of the library's last answer */
    uint32_t max_concurrent, design_count, per_feature;
};

/* Sets the error of the library as the pool's error; returns -1. */
/* Rounds until nothing more is due. */
int32_t pool_run(agent_pool *pool, int64_t now);
int pool_refused(const agent_pool *pool, host_error *error);
/* A text of an object; NULL when there is none. */
const char *pool_text(const json_t *object, const char *key);
/* The ids that wait, as the keys of an object. */
json_t *pool_waiting(agent_pool *pool);
/* A result for each of the first `count` invocations of a new instance. */
json_t *pool_results(agent_pool *pool, const char *instance, size_t count, const char *reason);
size_t pool_free(const agent_pool *pool);

#endif
