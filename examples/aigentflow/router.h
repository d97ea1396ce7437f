/* The agents that decide, on an engine: rules, or rules and a model.
 *
 * `router` is asked after each agent who is next. Rules answer for the queue and for what agents
 * suggest; a model is asked only where they leave something open, so that it costs nothing
 * else. The document compares what a model chooses with the allowed agents. */
#ifndef AIGENTFLOW_ROUTER_H
#define AIGENTFLOW_ROUTER_H

#include <wfsm/engine.h>

/* The name under which a host adds the model of the router to the engine; nobody invokes it. */
#define ROUTER_MODEL "router.model"

/* Must outlive the engine. */
typedef struct router {
    wfsm_agent model; /* its four callbacks; start is NULL without one */
} router;

/* Adds `router`. model NULL: rules alone. EXISTS if the name is taken. */
int32_t router_add(router *self, const wfsm_agent *model, wfsm_engine *engine,
                   wfsm_error *error);
/* Adds `task_analyzer`, by rules. */
int32_t router_add_analyzer(wfsm_engine *engine, wfsm_error *error);

#endif
