#include "depend.h"

#include <string.h>

#include <wfsm/agents.h>

#include "shared/context.h"

static json_t *needs_of(const json_t *feature)
{
    return json_object_get(feature, "dependsOn");
}

static int any_depends(const json_t *features)
{
    const json_t *feature;
    size_t index;

    json_array_foreach(features, index,
                       feature) if (json_array_size(needs_of(feature)) > 0) return 1;
    return 0;
}

static void know(depend *self, const char *feature, const char *id, const char *state)
{
    json_object_set_new(self->ids, feature, json_string(id));
    json_object_set_new(self->states, feature, json_string(state));
    json_object_set_new(self->names, id, json_string(feature)); /* may free `feature` */
    self->changed = 1;
}

int depend_begin(depend *self, json_t *epic)
{
    json_t *features = json_object_get(epic, "features");

    memset(self, 0, sizeof *self);
    if (!any_depends(features))
        return 0;
    self->features = features;
    self->ids = json_object();
    self->names = json_object();
    self->states = json_object();
    return 1;
}

/* After a restore there may be several instances of a feature: the newest counts. */
static int is_newest(const task_list *known, size_t index)
{
    const task *one = &known->all[index];
    size_t other;

    for (other = 0; other < known->count; other++)
        if (known->all[other].stored.created > one->stored.created &&
            strcmp(task_feature(&known->all[other]), task_feature(one)) == 0)
            return 0;
    return 1;
}

static void know_finished(depend *self, const char *feature)
{
    json_object_set_new(self->states, feature, json_string("completed"));
    self->changed = 1;
}

void depend_kept(depend *self, const json_t *names)
{
    const json_t *name;
    size_t index;

    json_array_foreach(names, index, name) if (self->features)
        know_finished(self, json_string_value(name));
}

static int is_done(const json_t *invocation)
{
    const char *agent = json_string_value(json_object_get(invocation, "src"));
    const char *status = json_string_value(json_object_get(invocation, "status"));

    return agent && status && strcmp(agent, "machine:feature") == 0 &&
           strcmp(status, "done") == 0;
}

void depend_know(depend *self, const task_list *known, const json_t *invocations)
{
    size_t index;
    const json_t *one;

    json_array_foreach(invocations, index, one)
    {
        const char *feature =
            json_string_value(json_object_get(json_object_get(one, "input"), "featureId"));
        if (feature && is_done(one))
            know_finished(self, feature);
    }

    for (index = 0; index < known->count; index++)
        if (is_newest(known, index))
            know(self, task_feature(&known->all[index]), known->all[index].id,
                 known->all[index].state);
}

/* A new instance can be read when its first commit is done. The top-level state is enough: a feature
 * that is told twice takes it once. */
static void note(depend *self, wfsm_call *call, const json_t *record)
{
    const char *id = wfsm_call_instance(call);
    const json_t *name = json_object_get(self->names, id);
    char from[HOST_STATE_SIZE], to[HOST_STATE_SIZE];

    if (!host_record_states(record, from, to))
        return;
    if (json_is_string(name))
        know(self, json_string_value(name), id, to);
    else
        json_object_set_new(self->names, id, json_null());
    self->changed = 1;
}

/* The names of those that are new. */
static void learn(depend *self, wfsm_engine *engine)
{
    const char *id;
    json_t *name;
    void *next;

    json_object_foreach_safe(self->names, next, id, name)
    {
        json_t *context = json_is_null(name) ? host_context(engine, id) : NULL;
        const char *feature = json_string_value(json_object_get(context, "featureId"));
        if (feature)
            know(self, feature, id, "working");
        json_decref(context);
    }
}

void depend_commit(depend *self, wfsm_call *call)
{
    size_t length;
    const char *text = wfsm_call_record(call, &length);
    json_t *record;

    if (!self->features || !text || strcmp(wfsm_call_name(call), "feature") != 0)
        return;
    record = json_loadb(text, length, 0, NULL);
    note(self, call, record);
    json_decref(record);
}

static int is_completed(const depend *self, const json_t *name)
{
    const char *state =
        json_string_value(json_object_get(self->states, json_string_value(name)));

    return state && strcmp(state, "completed") == 0;
}

static int may_begin(const depend *self, const json_t *feature)
{
    const json_t *needs = needs_of(feature), *name;
    size_t index;

    json_array_foreach(needs, index, name) if (!is_completed(self, name)) return 0;
    return json_array_size(needs) > 0;
}

static int32_t tell(const depend *self, wfsm_engine *engine, const json_t *feature,
                    wfsm_error *error)
{
    const char *name = json_string_value(json_object_get(feature, "featureId"));
    const char *id = name ? json_string_value(json_object_get(self->ids, name)) : NULL;
    const wfsm_instance *instance = id ? wfsm_engine_instance(engine, id) : NULL;
    int32_t outcome;

    if (!instance || !wfsm_instance_in(instance, "working.waiting") ||
        !may_begin(self, feature))
        return WFSM_OK;
    return wfsm_engine_send(engine, id, "DEPENDENCIES_COMPLETED", "dependencies", NULL, 0,
                            wfsm_agents_now(), &outcome, error);
}

int32_t depend_tell(depend *self, wfsm_engine *engine, wfsm_error *error)
{
    int32_t status = WFSM_OK;
    const json_t *feature;
    size_t index;

    if (!self->changed)
        return status;
    learn(self, engine);
    self->changed = 0;
    json_array_foreach(self->features, index, feature)
    {
        if (status == WFSM_OK)
            status = tell(self, engine, feature, error);
    }
    return status;
}

void depend_end(depend *self)
{
    json_decref(self->ids);
    json_decref(self->names);
    json_decref(self->states);
    memset(self, 0, sizeof *self);
}
