/* The agents that decide, on an engine: rules, or rules and a model.
 *
 * After each agent, `router` decides which one is next. Rules decide about the queue and about
 * the suggestions of agents. The model is asked only about the rest, which saves its cost. The
 * document checks the model's choice against the allowed agents. */
#ifndef AIGENTFLOW_ROUTER_H
#define AIGENTFLOW_ROUTER_H

#include <wfsm/engine.h>

/* The name under which a host adds the router's model to the engine. No document invokes it. */
#define ROUTER_MODEL "router.model"

/* Must outlive the engine. */
typedef struct router {
    wfsm_agent model; /* the model's four callbacks; start is NULL without a model */
} router;

/* Adds `router`. model NULL: rules alone. EXISTS if the name is taken. */
int32_t router_add(router *self, const wfsm_agent *model, wfsm_engine *engine,
                   wfsm_error *error);
/* Adds `task_analyzer`, by rules. */
int32_t router_add_analyzer(wfsm_engine *engine, wfsm_error *error);

#endif
