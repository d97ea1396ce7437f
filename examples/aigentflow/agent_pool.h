/*
 * The agent pool of seed 004 over an engine's slots: everything it counts stands in the ledgers
 * of the engine's instances, so a pool that was killed is the same pool again.
 *
 * JSON comes in and goes out as jansson's values: what is given is borrowed, what is returned
 * belongs to the caller. NULL, or -1, with an error in words when something is not right.
 * An agent's id is its invocation's: known at once, also while it waits, and kept over attempts
 * and restarts.
 */
#ifndef AGENT_POOL_H
#define AGENT_POOL_H

#include <jansson.h>
#include <wfsm/pool.h>

#include "shared/error.h"

typedef struct agent_pool agent_pool;

/* config: {"maxConcurrent", "competitiveDesignCount", "maxAgentsPerFeature"}, all optional,
 * or NULL; the defaults are 15, 15 and 4. Sets the engine's limits, and teaches it the two
 * machines that it needs, whose documents lie in `folder`. The engine is borrowed. */
int agent_pool_new(agent_pool **pool, wfsm_engine *engine, const json_t *config,
                   const char *folder, host_error *error);
/* NULL is allowed. The agents stay. */
void agent_pool_free(agent_pool *pool);

/* {"active", "available", "max"}. */
json_t *agent_pool_utilization(const agent_pool *pool);
int agent_pool_can_spawn(const agent_pool *pool, size_t count);

/*
 * A request is {"agentType", "featureId"?, "phase", "priority", "context"?}; its context is the
 * agent's input. A result is {"spawned": true, "agentId"}, or {"spawned": false, "agentId",
 * "reason"} for one that waits. A batch is one commit, and its results are in the order of the
 * requests; who is next is decided by priority and age over all that wait.
 */
json_t *agent_pool_spawn(agent_pool *pool, const json_t *request, int64_t now,
                         host_error *error);
json_t *agent_pool_spawn_batch(agent_pool *pool, const json_t *requests, int64_t now,
                               host_error *error);

/*
 * The end of an agent, and what it makes room for: the result of the request that came to work
 * by it, or JSON null. *outcome (may be NULL) is WFSM_STALE for an id that is unknown or over:
 * nothing changed. Failure classes are those of wfsm_call_failed().
 */
json_t *agent_pool_complete(agent_pool *pool, const char *id, const json_t *output, int64_t now,
                            int32_t *outcome, host_error *error);
json_t *agent_pool_fail(agent_pool *pool, const char *id, const char *failure_class,
                        const char *message, int64_t now, int32_t *outcome, host_error *error);
json_t *agent_pool_cancel(agent_pool *pool, const char *id, const char *message, int64_t now,
                          int32_t *outcome, host_error *error);

/* Agents at work: [{"id", "type", "featureId"?, "phase"?, "startedAt", "status"}]. */
json_t *agent_pool_active(agent_pool *pool);
json_t *agent_pool_for_feature(agent_pool *pool, const char *feature);
json_t *agent_pool_in_phase(agent_pool *pool, const char *phase);
/* Posts the event to the instance when no agent of the phase is at work or waits, at once when
 * none is: as wfsm_engine_await_empty(). */
int agent_pool_wait_for_phase(agent_pool *pool, const char *phase, const char *instance,
                              const char *event, const char *event_id, int64_t now,
                              host_error *error);

/*
 * A design competition: as many ui_designers as there are free slots, at most
 * competitiveDesignCount, of which each gets designContext with "requirement", "designVariant",
 * "totalVariants" and "competitionMode": {"competition": ID or null, "agentIds",
 * "expectedOutputs"}. When all have ended, a person chooses a variant, from 1: the choice is an
 * event in the competition's journal, and the other designs are dropped.
 */
json_t *agent_pool_compete(agent_pool *pool, const char *requirement, const json_t *context,
                           int64_t now, host_error *error);
int agent_pool_choose(agent_pool *pool, const char *competition, int64_t variant,
                      const char *by, const char *reason, int64_t now, host_error *error);

/*
 * A project_manager for every pending feature of {"epicId", "features": [{"featureId", "name",
 * "status", …}], "parallelFeatures"}, parallelFeatures of them at once; the features are
 * changed: status planning, and the agent's id in assignedAgents. Results in their order.
 */
json_t *agent_pool_plan_epic(agent_pool *pool, json_t *epic, int64_t now, host_error *error);
/* Developers for every feature that needs them: {featureId: [result, …]}; the arrays hold
 * booleans, a missing one is false. The features become developing. */
json_t *agent_pool_develop(agent_pool *pool, json_t *features, const json_t *frontend,
                           const json_t *backend, int64_t now, host_error *error);

/* {"utilization", "byPhase", "byFeature", "pending"}. */
json_t *agent_pool_status(agent_pool *pool);

#endif
