/*
 * The agent pool of seed 004 over an engine's slots. Everything that it counts is in the
 * ledgers of the engine's instances, so after a crash the pool is the same.
 *
 * JSON is passed as jansson's values. Arguments are borrowed, and results belong to the caller.
 * Failures return NULL or -1 and set the error. An agent's id is that of its invocation. It is
 * known at once, also while the agent waits, and stays the same over attempts and restarts.
 */
#ifndef AGENT_POOL_H
#define AGENT_POOL_H

#include <jansson.h>
#include <wfsm/pool.h>

#include "shared/error.h"

typedef struct agent_pool agent_pool;

/* config: {"maxConcurrent", "competitiveDesignCount", "maxAgentsPerFeature"}, all optional, or
 * NULL; the defaults are 15, 15 and 4. Sets the engine's limits, and adds the two machines that
 * the pool needs, whose documents are in `folder`. The engine is borrowed. */
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
 * requests. Among all agents that wait, the next one is chosen by priority and age.
 */
json_t *agent_pool_spawn(agent_pool *pool, const json_t *request, int64_t now,
                         host_error *error);
json_t *agent_pool_spawn_batch(agent_pool *pool, const json_t *requests, int64_t now,
                               host_error *error);

/*
 * Ends an agent. Returns the result of the request that got its slot, or JSON null. *outcome
 * (may be NULL) is WFSM_STALE for an id that is unknown or over; then nothing has changed.
 * Failure classes are those of wfsm_call_failed().
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
/* Posts the event to the instance as soon as no agent of the phase is at work or waits, as
 * wfsm_engine_await_empty(). */
int agent_pool_wait_for_phase(agent_pool *pool, const char *phase, const char *instance,
                              const char *event, const char *event_id, int64_t now,
                              host_error *error);

/*
 * A design competition: as many ui_designers as there are free slots, at most
 * competitiveDesignCount. Each gets designContext with "requirement", "designVariant",
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
