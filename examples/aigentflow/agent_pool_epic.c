/* The agent pool: competitions, planners, waves of development. */
#include "agent_pool_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Starts an instance of one of the pool's machines under a name of its own. */
static int start(agent_pool *pool, const char *machine, const json_t *input, int64_t now,
                 char id[POOL_ID_SIZE], host_error *error)
{
    char *text = json_dumps(input, JSON_COMPACT);
    int32_t status = text ? WFSM_EXISTS : WFSM_NO_MEMORY;
    int number;

    for (number = 1; status == WFSM_EXISTS; number++) {
        (void)snprintf(id, POOL_ID_SIZE, "%s-%lld-%d", machine, (long long)now, number);
        status =
            wfsm_engine_start(pool->engine, machine, id, text, strlen(text), now, pool->why);
    }
    free(text);
    if (status == WFSM_OK)
        status = pool_run(pool, now);
    return status == WFSM_OK ? 0 : pool_refused(pool, error);
}

static json_t *numbers(size_t count)
{
    json_t *list = json_array();
    size_t index;

    for (index = 1; index <= count; index++)
        json_array_append_new(list, json_integer((json_int_t)index));
    return list;
}

static json_t *ids_of(const json_t *results)
{
    json_t *ids = json_array();
    size_t index;
    json_t *one;

    json_array_foreach(results, index, one)
        json_array_append(ids, json_object_get(one, "agentId"));
    return ids;
}

json_t *agent_pool_compete(agent_pool *pool, const char *requirement, const json_t *context,
                           int64_t now, host_error *error)
{
    size_t count = pool_free(pool) < pool->design_count ? pool_free(pool) : pool->design_count;
    char id[POOL_ID_SIZE];
    json_t *input, *results, *ids;
    int done;

    if (count == 0)
        return json_pack("{s:n, s:[], s:i}", "competition", "agentIds", "expectedOutputs", 0);
    input = json_pack("{s:s, s:o, s:o}", "requirement", requirement, "design",
                      context ? json_deep_copy(context) : json_object(), "variants",
                      numbers(count));
    done = input ? start(pool, "competition", input, now, id, error)
                 : host_fail(error, "the requirement: expected UTF-8");
    json_decref(input);
    if (done != 0)
        return NULL;
    results = pool_results(pool, id, count, "");
    ids = ids_of(results);
    json_decref(results);
    return json_pack("{s:s, s:o, s:I}", "competition", id, "agentIds", ids, "expectedOutputs",
                     (json_int_t)count);
}

int agent_pool_choose(agent_pool *pool, const char *competition, int64_t variant,
                      const char *by, const char *reason, int64_t now, host_error *error)
{
    json_t *data = json_pack("{s:I, s:s, s:s?}", "variant", (json_int_t)variant, "by", by,
                             "reason", reason);
    char *text = data ? json_dumps(data, JSON_COMPACT) : NULL;
    int32_t outcome = 0, status = WFSM_NO_MEMORY;

    json_decref(data);
    if (text)
        status = wfsm_engine_send(pool->engine, competition, "CHOOSE", NULL, text, strlen(text),
                                  now, &outcome, pool->why);
    free(text);
    if (status != WFSM_OK)
        return text ? pool_refused(pool, error) : host_fail(error, "expected UTF-8");
    if (outcome == WFSM_TAKEN || outcome == WFSM_ENDED)
        return 0;
    return host_fail(error, "%s: there is no design %lld to choose", competition,
                     (long long)variant);
}

/* ---- planners ---- */

static int is_pending(const json_t *feature)
{
    const char *status = pool_text(feature, "status");

    return status && strcmp(status, "pending") == 0;
}

static void assign(json_t *feature, const char *status, const json_t *result)
{
    json_t *agents = json_object_get(feature, "assignedAgents");

    if (!agents) {
        json_object_set_new(feature, "assignedAgents", json_array());
        agents = json_object_get(feature, "assignedAgents");
    }
    json_object_set_new(feature, "status", json_string(status));
    json_array_append(agents, json_object_get(result, "agentId"));
}

static json_t *planners(const json_t *epic)
{
    json_t *features = json_object_get(epic, "features"), *requests = json_array(), *feature;
    size_t index;

    json_array_foreach(features, index, feature)
    {
        if (is_pending(feature))
            json_array_append_new(requests,
                                  json_pack("{s:s, s:O, s:s, s:s, s:{s:O, s:O}}", "agentType",
                                            "project_manager", "featureId",
                                            json_object_get(feature, "featureId"), "phase",
                                            "planning", "priority", "high", "context",
                                            "featureName", json_object_get(feature, "name"),
                                            "epicId", json_object_get(epic, "epicId")));
    }
    return requests;
}

static void assign_planners(json_t *features, const json_t *results)
{
    size_t index, next = 0;
    json_t *feature;

    json_array_foreach(features, index, feature)
    {
        if (is_pending(feature))
            assign(feature, "planning", json_array_get(results, next++));
    }
}

static int check_epic(const json_t *epic, host_error *error)
{
    json_t *features = json_object_get(epic, "features"), *feature;
    const json_t *most = json_object_get(epic, "parallelFeatures");
    size_t index;

    if (!pool_text(epic, "epicId") || !json_is_array(features))
        return host_fail(error, "an epic: expected epicId and features");
    if (!json_is_integer(most) || json_integer_value(most) < 1)
        return host_fail(error, "parallelFeatures: expected a whole number from 1");
    json_array_foreach(features, index, feature)
    {
        if (!pool_text(feature, "featureId") || !pool_text(feature, "name") ||
            !pool_text(feature, "status"))
            return host_fail(error, "feature %zu: expected featureId, name and status",
                             index + 1);
    }
    return 0;
}

json_t *agent_pool_plan_epic(agent_pool *pool, json_t *epic, int64_t now, host_error *error)
{
    json_t *requests, *input, *results = NULL;
    char id[POOL_ID_SIZE];

    if (check_epic(epic, error) != 0)
        return NULL;
    requests = planners(epic);
    if (json_array_size(requests) == 0)
        return requests;
    input = json_pack("{s:O, s:O}", "requests", requests, "most",
                      json_object_get(epic, "parallelFeatures"));
    if (input && start(pool, "wave", input, now, id, error) == 0) {
        results = pool_results(pool, id, json_array_size(requests), "Pool at capacity, queued");
        assign_planners(json_object_get(epic, "features"), results);
    }
    json_decref(input);
    json_decref(requests);
    return results;
}

/* ---- development ---- */

static int needs(const json_t *list, size_t index)
{
    return json_is_true(json_array_get(list, index));
}

static void want(json_t *requests, json_t *places, const char *type, const json_t *feature,
                 size_t index)
{
    json_array_append_new(requests,
                          json_pack("{s:s, s:O, s:s, s:s, s:{s:O}}", "agentType", type,
                                    "featureId", json_object_get(feature, "featureId"), "phase",
                                    "development", "priority", "normal", "context",
                                    "featureName", json_object_get(feature, "name")));
    json_array_append_new(places, json_integer((json_int_t)index));
}

/* Each feature has its list, those that need nobody an empty one. */
static json_t *per_feature(json_t *features, const json_t *places, json_t *results)
{
    json_t *map = json_object(), *feature, *result;
    size_t index;

    json_array_foreach(features, index, feature)
        json_object_set_new(map, pool_text(feature, "featureId"), json_array());
    json_array_foreach(results, index, result)
    {
        json_int_t place = json_integer_value(json_array_get(places, index));
        feature = json_array_get(features, (size_t)place);
        json_array_append(json_object_get(map, pool_text(feature, "featureId")), result);
        assign(feature, "developing", result);
    }
    return map;
}

json_t *agent_pool_develop(agent_pool *pool, json_t *features, const json_t *frontend,
                           const json_t *backend, int64_t now, host_error *error)
{
    json_t *requests = json_array(), *places = json_array(), *results, *map = NULL, *feature;
    size_t index;

    json_array_foreach(features, index, feature)
    {
        if (needs(frontend, index))
            want(requests, places, "frontend_developer", feature, index);
        if (needs(backend, index))
            want(requests, places, "backend_developer", feature, index);
    }
    results = agent_pool_spawn_batch(pool, requests, now, error);
    if (results)
        map = per_feature(features, places, results);
    json_decref(results);
    json_decref(places);
    json_decref(requests);
    return map;
}
