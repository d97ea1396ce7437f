#include "router.h"

#include <stdlib.h>
#include <string.h>

#include "router_rules.h"

static json_t *input_of(wfsm_call *call)
{
    size_t length;
    const char *text = wfsm_call_input(call, &length);

    return text ? json_loadb(text, length, 0, NULL) : NULL;
}

/* Answers the call with `json`, and takes it over. */
static int32_t answer(wfsm_call *call, json_t *given)
{
    char *text = given ? json_dumps(given, JSON_COMPACT) : NULL;
    int32_t status = text ? wfsm_call_done(call, text, strlen(text)) : WFSM_NO_MEMORY;

    free(text);
    json_decref(given);
    return status;
}

/* ---- the router ---- */

static int32_t start(void *user, wfsm_call *call)
{
    router *self = user;
    json_t *input = input_of(call);
    int ask = self->model.start && rules_need_model(input);
    int32_t status =
        ask ? self->model.start(self->model.user, call) : answer(call, rules_next(input));

    json_decref(input);
    return status;
}

/* The rules answer at once, so every later call is about the model. */
static int32_t pass(const router *self, wfsm_callback callback, wfsm_call *call)
{
    return callback ? callback(self->model.user, call) : WFSM_OK;
}

static int32_t poll(void *user, wfsm_call *call)
{
    const router *self = user;

    return pass(self, self->model.poll, call);
}

static int32_t cancel(void *user, wfsm_call *call)
{
    const router *self = user;

    return pass(self, self->model.cancel, call);
}

static int32_t probe(void *user, wfsm_call *call)
{
    const router *self = user;

    return self->model.probe ? self->model.probe(self->model.user, call) : wfsm_call_gone(call);
}

int32_t router_add(router *self, const wfsm_agent *model, wfsm_engine *engine,
                   wfsm_error *error)
{
    wfsm_agent agent = {sizeof agent, self, start, poll, cancel, probe};

    memset(self, 0, sizeof *self);
    if (model)
        self->model = *model;
    return wfsm_engine_add_agent_full(engine, "router", &agent, error);
}

/* ---- the analysis ---- */

static int32_t analyse(void *user, wfsm_call *call)
{
    json_t *input = input_of(call);
    int32_t status = answer(call, rules_analysis(input));

    (void)user;
    json_decref(input);
    return status;
}

int32_t router_add_analyzer(wfsm_engine *engine, wfsm_error *error)
{
    return wfsm_engine_add_agent(engine, "task_analyzer", analyse, NULL, error);
}
