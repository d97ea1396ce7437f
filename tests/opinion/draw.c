/* Steps that may mean something where a run stands. */
#include "opinion/run.h"

#include <stdio.h>
#include <string.h>
#include "opinion/values.h"

static json_t *draw_event(player *self, chance *random)
{
    json_t *events = json_object_get(self->shapes, "events"), *shape;
    uint32_t which = draw(random, (uint32_t)json_object_size(events));
    const char *name;
    json_object_foreach(events, name, shape)
    {
        if (which-- > 0)
            continue;
        json_t *step = json_pack("{s:s s:o}", "event", name, "data", value_of(shape, random));
        if (draw_percent(random, 40))
            json_object_set_new(step, "id", value_text(random));
        if (json_string_length(json_object_get(step, "id")) == 0)
            json_object_del(step, "id");
        return step;
    }
    return json_pack("{s:s}", "event", "nothing");
}

/* Under * and `prefix.*`. */
static json_t *draw_other_event(player *self, chance *random)
{
    json_t *step = draw_event(self, random), *text = value_text(random);
    char name[200];
    snprintf(name, sizeof name, "%s%s", draw_percent(random, 60) ? "job." : "",
             json_string_length(text) ? json_string_value(text) : "x");
    json_object_set_new(step, "event", json_string(name));
    json_decref(text);
    return step;
}

static json_t *draw_vote(uint32_t which, chance *random)
{
    json_t *by =
        draw_percent(random, 75) ? json_string(value_name(random)) : value_text(random);
    if (json_string_length(by) == 0)
        json_string_set(by, "x");
    json_t *step = json_pack("{s:{s:i s:o s:s}}", "approve", "invocation", (int)which, "by", by,
                             "decision", draw_percent(random, 70) ? "approve" : "reject");
    if (draw_percent(random, 40))
        json_object_set_new(json_object_get(step, "approve"), "reason", value_text(random));
    return step;
}

static json_t *draw_answer(player *self, json_t *list, chance *random)
{
    static const char *const classes[] = {"network", "timeout", "auth",  "schema",
                                          "exit",    "other",   "limit", "canceled"};
    uint32_t which = draw(random, (uint32_t)json_array_size(list));
    json_t *one = json_array_get(list, which), *step;
    const char *invoke = json_string_value(json_object_get(one, "invoke"));
    json_t *shape = json_object_get(json_object_get(self->shapes, "results"), invoke);
    if (json_object_get(one, "digest"))
        return draw_vote(which, random);
    if (draw_percent(random, 20))
        return json_pack("{s:i}", "claim", (int)which);
    if (draw_percent(random, 72))
        step = json_pack("{s:i s:o}", "done", (int)which, "output", value_of(shape, random));
    else
        step = json_pack("{s:i s:s s:o}", "failed", (int)which, "class",
                         DRAW_FROM(random, classes), "message", value_text(random));
    if (draw_percent(random, 40))
        json_object_set_new(step, "usage", json_pack("{s:i}", "tokens", (int)draw(random, 40)));
    return step;
}

static json_t *with_host(player *self, json_t *step, chance *random)
{
    json_t *shape = json_object_get(self->shapes, "patch");
    if (shape)
        json_object_set_new(step, "host",
                            json_pack("{s:i s:o}", "yes", (int)draw(random, 256), "patch",
                                      value_of(shape, random)));
    return step;
}

json_t *run_draw_start(player *self, chance *random)
{
    return with_host(self, json_pack("{s:n}", "start"), random);
}

json_t *run_draw(player *self, chance *random)
{
    int64_t deadline = wfsm_instance_deadline(self->instance);
    json_t *list = run_outstanding(self), *step = NULL;
    uint32_t kind = draw(random, 100);
    if (kind < 45 && json_array_size(list) > 0)
        step = draw_answer(self, list, random);
    else if (kind < 60 && deadline <= self->now)
        step = json_pack("{s:b}", "fire", 1);
    else if (kind < 60 && deadline != WFSM_NEVER)
        step = json_pack("{s:I}", "advance", (json_int_t)(deadline - self->now));
    else if (kind < 65)
        step = json_pack("{s:i}", "advance",
                         (int)draw(random, draw_percent(random, 50) ? 20 : 100000));
    else if (kind < 75)
        step = draw_other_event(self, random);
    else
        step = draw_event(self, random);
    json_decref(list);
    return with_host(self, step, random);
}
