/* The agent pool: queries. */
#include "agent_pool_work.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "agent_types.h"

int pool_refused(const agent_pool *pool, host_error *error)
{
    return host_fail(error, "%s", wfsm_error_message(pool->why));
}

const char *pool_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

size_t pool_free(const agent_pool *pool)
{
    size_t slots = wfsm_engine_slots(pool->engine);
    size_t active = wfsm_engine_working(pool->engine);

    return active < slots ? slots - active : 0;
}

json_t *agent_pool_utilization(const agent_pool *pool)
{
    return json_pack("{s:I, s:I, s:I}", "active", (json_int_t)wfsm_engine_working(pool->engine),
                     "available", (json_int_t)pool_free(pool), "max",
                     (json_int_t)wfsm_engine_slots(pool->engine));
}

int agent_pool_can_spawn(const agent_pool *pool, size_t count)
{
    return wfsm_engine_can_spawn(pool->engine, count);
}

static json_t *read_work(agent_pool *pool, int32_t kind, const char *name)
{
    size_t length;
    const char *text = wfsm_engine_work(pool->engine, kind, name, &length);

    return text ? json_loadb(text, length, 0, NULL) : NULL;
}

static int works(const json_t *one)
{
    const char *status = pool_text(one, "status");

    return status && strcmp(status, "working") == 0;
}

json_t *pool_waiting(agent_pool *pool)
{
    json_t *list = read_work(pool, WFSM_POOL_ALL, NULL), *ids = json_object();
    size_t index;
    const json_t *one;

    json_array_foreach(list, index, one)
    {
        if (!works(one))
            json_object_set_new(ids, pool_text(one, "id"), json_true());
    }
    json_decref(list);
    return ids;
}

/* The invocations of a wave, in the order of its requests. */
static json_t *made_by(agent_pool *pool, const char *instance)
{
    size_t length;
    const char *list =
        wfsm_instance_invocations(wfsm_engine_instance(pool->engine, instance), &length);

    return list ? json_loadb(list, length, 0, NULL) : NULL;
}

json_t *pool_results(agent_pool *pool, const char *instance, size_t count, const char *reason)
{
    json_t *waiting = pool_waiting(pool), *results = json_array(), *result;
    json_t *made = made_by(pool, instance);
    size_t index;

    for (index = 0; index < count; index++) {
        const char *id = pool_text(json_array_get(made, index), "id");

        if (id && json_object_get(waiting, id))
            result =
                json_pack("{s:b, s:s, s:s}", "spawned", 0, "agentId", id, "reason", reason);
        else
            result = json_pack("{s:b, s:s*}", "spawned", 1, "agentId", id);
        json_array_append_new(results, result);
    }
    json_decref(made);
    json_decref(waiting);
    return results;
}

/* ---- agents at work ---- */

static json_t *iso_time(const json_t *ms)
{
    time_t seconds = (time_t)(json_number_value(ms) / 1000);
    struct tm parts;
    char text[40];
    size_t used =
        gmtime_r(&seconds, &parts) ? strftime(text, 32, "%Y-%m-%dT%H:%M:%S", &parts) : 0;

    (void)snprintf(text + used, sizeof text - used, ".%03dZ",
                   (int)(json_number_value(ms) - (double)seconds * 1000));
    return json_string(text);
}

static json_t *agent_of(const json_t *work)
{
    const json_t *place = json_object_get(work, "pool");
    json_t *agent = json_pack("{s:O, s:O, s:o, s:s}", "id", json_object_get(work, "id"), "type",
                              json_object_get(work, "agent"), "startedAt",
                              iso_time(json_object_get(work, "claimed")), "status", "running");

    if (json_is_string(json_object_get(place, "phase")))
        json_object_set(agent, "phase", json_object_get(place, "phase"));
    if (json_is_string(json_object_get(place, "group")))
        json_object_set(agent, "featureId", json_object_get(place, "group"));
    return agent;
}

static json_t *agents_of(agent_pool *pool, int32_t kind, const char *name)
{
    json_t *list = read_work(pool, kind, name), *agents = json_array();
    size_t index;
    const json_t *one;

    json_array_foreach(list, index, one)
    {
        if (works(one))
            json_array_append_new(agents, agent_of(one));
    }
    json_decref(list);
    return agents;
}

json_t *agent_pool_active(agent_pool *pool)
{
    return agents_of(pool, WFSM_POOL_ALL, NULL);
}

json_t *agent_pool_for_feature(agent_pool *pool, const char *feature)
{
    return agents_of(pool, WFSM_POOL_GROUP, feature);
}

json_t *agent_pool_in_phase(agent_pool *pool, const char *phase)
{
    return agents_of(pool, WFSM_POOL_PHASE, phase);
}

/* ---- status ---- */

static json_t *by_phase(const agent_pool *pool)
{
    json_t *counts = json_object();
    size_t index, working;

    for (index = 0; index < AGENT_PHASES; index++) {
        working = 0;
        (void)wfsm_engine_pool_count(pool->engine, WFSM_POOL_PHASE, agent_phases[index],
                                     &working, NULL);
        json_object_set_new(counts, agent_phases[index], json_integer((json_int_t)working));
    }
    return counts;
}

static json_t *by_feature(agent_pool *pool)
{
    json_t *agents = agent_pool_active(pool), *counts = json_object();
    size_t index;
    const json_t *one;

    json_array_foreach(agents, index, one)
    {
        const char *feature = pool_text(one, "featureId");
        if (feature)
            json_object_set_new(
                counts, feature,
                json_integer(json_integer_value(json_object_get(counts, feature)) + 1));
    }
    json_decref(agents);
    return counts;
}

json_t *agent_pool_status(agent_pool *pool)
{
    return json_pack("{s:o, s:o, s:o, s:I}", "utilization", agent_pool_utilization(pool),
                     "byPhase", by_phase(pool), "byFeature", by_feature(pool), "pending",
                     (json_int_t)wfsm_engine_waiting(pool->engine));
}
