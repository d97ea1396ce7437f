#include "ledger.h"

#include <string.h>

#include "agent_types.h"

typedef struct tally {
    json_t *phases, *features;
    json_int_t active, pending;
} tally;

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static void raise_count(json_t *counts, const char *name)
{
    json_int_t before = json_integer_value(json_object_get(counts, name));

    if (*name)
        json_object_set_new(counts, name, json_integer(before + 1));
}

/* Child workflows and people take no slot. */
static int takes_a_slot(const json_t *work)
{
    const char *agent = text_of(work, "src");

    return strncmp(agent, "machine:", 8) != 0 && strncmp(agent, "person", 6) != 0;
}

static void count(tally *self, const json_t *work)
{
    const json_t *place = json_object_get(work, "pool");

    if (!takes_a_slot(work))
        return;
    if (strcmp(text_of(work, "status"), "running") != 0) {
        self->pending++;
        return;
    }
    self->active++;
    raise_count(self->phases, text_of(place, "phase"));
    raise_count(self->features, text_of(place, "group"));
}

json_t *ledger_status(const task_list *list, json_int_t slots)
{
    tally made = {json_object(), json_object(), 0, 0};
    size_t index, work;
    json_t *one;

    for (index = 0; index < AGENT_PHASES; index++)
        json_object_set_new(made.phases, agent_phases[index], json_integer(0));
    for (index = 0; index < list->count; index++) {
        json_array_foreach(list->all[index].stored.invocations, work, one) count(&made, one);
    }
    return json_pack("{s:{s:I, s:I, s:I}, s:o, s:o, s:I}", "utilization", "active", made.active,
                     "available", made.active < slots ? slots - made.active : 0, "max", slots,
                     "byPhase", made.phases, "byFeature", made.features, "pending",
                     made.pending);
}
