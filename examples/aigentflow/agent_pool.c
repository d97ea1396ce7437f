#include "agent_pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent_pool_work.h"
#include "agent_types.h"
#include "shared/files.h"
#include "shared/machine_file.h"

/* ---- the pool itself ---- */

static int read_count(const json_t *config, const char *key, uint32_t *count, host_error *error)
{
    const json_t *value = json_object_get(config, key);

    if (!value)
        return 0;
    if (!json_is_integer(value) || json_integer_value(value) < 1 ||
        json_integer_value(value) > 10000)
        return host_fail(error, "%s: expected a whole number from 1 to 10000", key);
    *count = (uint32_t)json_integer_value(value);
    return 0;
}

static int read_config(agent_pool *pool, const json_t *config, host_error *error)
{
    static const char *const known[] = {"maxConcurrent", "competitiveDesignCount",
                                        "maxAgentsPerFeature"};
    uint32_t *counts[] = {&pool->max_concurrent, &pool->design_count, &pool->per_feature};
    size_t index, found = 0;

    for (index = 0; index < 3; index++) {
        if (read_count(config, known[index], counts[index], error) != 0)
            return -1;
        found += json_object_get(config, known[index]) != NULL;
    }
    if (found < json_object_size(config))
        return host_fail(error, "the pool knows maxConcurrent, competitiveDesignCount and "
                                "maxAgentsPerFeature, and nothing else");
    return 0;
}

static int add_machine(agent_pool *pool, const char *folder, const char *name,
                       host_error *error)
{
    char *path = host_path_join(folder, name);
    int done =
        path ? host_machine_add(pool->engine, path, error) : host_fail(error, "out of memory");

    free(path);
    return done;
}

static int set_up(agent_pool *pool, const json_t *config, const char *folder, host_error *error)
{
    if (read_config(pool, config, error) != 0)
        return -1;
    if (wfsm_engine_limit(pool->engine, WFSM_POOL_ALL, NULL, pool->max_concurrent, pool->why) !=
            WFSM_OK ||
        wfsm_engine_limit(pool->engine, WFSM_POOL_GROUP, NULL, pool->per_feature, pool->why) !=
            WFSM_OK)
        return pool_refused(pool, error);
    if (add_machine(pool, folder, "wave.json", error) != 0)
        return -1;
    return add_machine(pool, folder, "competition.json", error);
}

int agent_pool_new(agent_pool **pool, wfsm_engine *engine, const json_t *config,
                   const char *folder, host_error *error)
{
    agent_pool *made = calloc(1, sizeof *made);

    *pool = NULL;
    if (!made)
        return host_fail(error, "out of memory");
    made->engine = engine;
    made->max_concurrent = 15;
    made->design_count = 15;
    made->per_feature = 4;
    made->why = wfsm_error_new(NULL);
    if (!made->why || set_up(made, config, folder, error) != 0) {
        agent_pool_free(made);
        return -1;
    }
    *pool = made;
    return 0;
}

void agent_pool_free(agent_pool *pool)
{
    if (!pool)
        return;
    wfsm_error_free(pool->why);
    free(pool);
}

/* ---- spawning ---- */

static int check_request(const json_t *request, size_t index, host_error *error)
{
    const json_t *context = json_object_get(request, "context");
    const json_t *feature = json_object_get(request, "featureId");

    if (!is_agent_type(pool_text(request, "agentType")))
        return host_fail(error, "request %zu: agentType: expected one of the 13 agent types",
                         index + 1);
    if (!is_agent_phase(pool_text(request, "phase")))
        return host_fail(error, "request %zu: phase: expected one of the six phases",
                         index + 1);
    if (!is_agent_priority(pool_text(request, "priority")))
        return host_fail(error, "request %zu: priority: expected high, normal or low",
                         index + 1);
    if (feature && (!json_is_string(feature) || json_string_length(feature) == 0))
        return host_fail(error, "request %zu: featureId: expected a text", index + 1);
    if (context && !json_is_object(context))
        return host_fail(error, "request %zu: context: expected an object", index + 1);
    return 0;
}

static json_t *work_of(const json_t *request)
{
    const json_t *context = json_object_get(request, "context");
    json_t *work = json_pack(
        "{s:O, s:O, s:O, s:o}", "agent", json_object_get(request, "agentType"), "phase",
        json_object_get(request, "phase"), "priority", json_object_get(request, "priority"),
        "input", context ? json_deep_copy(context) : json_object());

    if (json_object_get(request, "featureId"))
        json_object_set(work, "group", json_object_get(request, "featureId"));
    return work;
}

static json_t *all_work(const json_t *requests, host_error *error)
{
    json_t *made = json_array();
    size_t index;

    for (index = 0; index < json_array_size(requests); index++) {
        const json_t *request = json_array_get(requests, index);
        if (check_request(request, index, error) != 0) {
            json_decref(made);
            return NULL;
        }
        json_array_append_new(made, work_of(request));
    }
    return made;
}

int32_t pool_run(agent_pool *pool, int64_t now)
{
    int32_t status;

    do
        status = wfsm_engine_run(pool->engine, now, pool->why);
    while (status == WFSM_OK && wfsm_engine_deadline(pool->engine) <= now);
    return status;
}

/* A name that no instance of the store has, made of the time and a number. */
static int32_t spawn_work(agent_pool *pool, const char *work, int64_t now,
                          char id[POOL_ID_SIZE])
{
    int32_t status = WFSM_EXISTS;
    int number;

    for (number = 1; status == WFSM_EXISTS; number++) {
        (void)snprintf(id, POOL_ID_SIZE, "agent-%lld-%d", (long long)now, number);
        status = wfsm_engine_spawn(pool->engine, id, work, strlen(work), now, pool->why);
    }
    if (status == WFSM_OK)
        status = pool_run(pool, now);
    return status;
}

static json_t *spawn_all(agent_pool *pool, const json_t *requests, int64_t now,
                         const char *reason, host_error *error)
{
    json_t *work = all_work(requests, error);
    char *text = work ? json_dumps(work, JSON_COMPACT) : NULL;
    char id[POOL_ID_SIZE];
    json_t *results = NULL;

    json_decref(work);
    if (!work)
        return NULL;
    if (!text)
        (void)host_fail(error, "out of memory");
    else if (spawn_work(pool, text, now, id) != WFSM_OK)
        (void)pool_refused(pool, error);
    else
        results = pool_results(pool, id, json_array_size(requests), reason);
    free(text);
    return results;
}

json_t *agent_pool_spawn_batch(agent_pool *pool, const json_t *requests, int64_t now,
                               host_error *error)
{
    if (json_array_size(requests) == 0)
        return json_array();
    return spawn_all(pool, requests, now, "Pool at capacity, queued", error);
}

json_t *agent_pool_spawn(agent_pool *pool, const json_t *request, int64_t now,
                         host_error *error)
{
    json_t *one = json_pack("[O]", request);
    json_t *results = spawn_all(pool, one, now, "Pool at capacity, queued for later", error);
    json_t *result = json_incref(json_array_get(results, 0));

    json_decref(one);
    json_decref(results);
    return result;
}

/* ---- ends, and who comes after ---- */

/* The agents that waited before and are at work now. */
static json_t *next_at_work(agent_pool *pool, const json_t *before)
{
    json_t *active = agent_pool_active(pool), *result = NULL;
    size_t index;
    const json_t *one;

    json_array_foreach(active, index, one)
    {
        if (!result && json_object_get(before, pool_text(one, "id")))
            result =
                json_pack("{s:b, s:O}", "spawned", 1, "agentId", json_object_get(one, "id"));
    }
    json_decref(active);
    return result ? result : json_null();
}

static json_t *drain(agent_pool *pool, int32_t status, json_t *before, int64_t now,
                     int32_t *outcome, int32_t got, host_error *error)
{
    json_t *next = NULL;

    if (status == WFSM_NOT_FOUND || status == WFSM_INVALID) {
        got = WFSM_STALE;
        status = WFSM_OK;
    }
    if (outcome)
        *outcome = got;
    if (status == WFSM_OK)
        status = pool_run(pool, now);
    if (status == WFSM_OK)
        next = next_at_work(pool, before);
    else
        (void)pool_refused(pool, error);
    json_decref(before);
    return next;
}

json_t *agent_pool_complete(agent_pool *pool, const char *id, const json_t *output, int64_t now,
                            int32_t *outcome, host_error *error)
{
    char *text = output ? json_dumps(output, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    json_t *before = pool_waiting(pool);
    const char *said = text ? text : "null";
    int32_t got = 0;
    int32_t status =
        wfsm_engine_result(pool->engine, id, said, strlen(said), now, &got, pool->why);

    free(text);
    return drain(pool, status, before, now, outcome, got, error);
}

json_t *agent_pool_fail(agent_pool *pool, const char *id, const char *failure_class,
                        const char *message, int64_t now, int32_t *outcome, host_error *error)
{
    json_t *before = pool_waiting(pool);
    int32_t got = 0;
    int32_t status =
        wfsm_engine_failure(pool->engine, id, failure_class, message, now, &got, pool->why);

    return drain(pool, status, before, now, outcome, got, error);
}

json_t *agent_pool_cancel(agent_pool *pool, const char *id, const char *message, int64_t now,
                          int32_t *outcome, host_error *error)
{
    json_t *before = pool_waiting(pool);
    int32_t got = 0;
    int32_t status = wfsm_engine_cancel(pool->engine, id, message, now, &got, pool->why);

    return drain(pool, status, before, now, outcome, got, error);
}

int agent_pool_wait_for_phase(agent_pool *pool, const char *phase, const char *instance,
                              const char *event, const char *event_id, int64_t now,
                              host_error *error)
{
    const wfsm_pool_wait wait = {.size = sizeof wait,
                                 .kind = WFSM_POOL_PHASE,
                                 .name = phase,
                                 .instance = instance,
                                 .event = event,
                                 .event_id = event_id};
    if (!is_agent_phase(phase))
        return host_fail(error, "%s: expected one of the six phases", phase);
    if (wfsm_engine_await_empty(pool->engine, &wait, now, pool->why) != WFSM_OK)
        return pool_refused(pool, error);
    return 0;
}
