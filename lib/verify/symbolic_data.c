/* verify/symbolic_data.c: data from outside as symbols: where its classes are not exact, one symbol
 * stands for all that its schema allows. */
#include <string.h>
#include "verify/cone_find.h"
#include "verify/decision_shape.h"
#include "verify/explorer.h"
#include "verify/hiding.h"
#include "verify/schema_group.h"

enum {
    DATA = WF_SYMBOL_DATA,
    SENDER = WF_SYMBOL_SENDER,
    EVENT_ID = WF_SYMBOL_EVENT_ID,
    MESSAGE = WF_SYMBOL_MESSAGE,
    REASON = WF_SYMBOL_REASON,
    DIGEST = WF_SYMBOL_DIGEST,
    VOTES = WF_SYMBOL_VOTES
};

static const char *const shapes[] = {
    [SENDER] = "{\"type\":[\"string\",\"null\"],\"minLength\":1,\"maxLength\":255}",
    [EVENT_ID] = "{\"type\":[\"string\",\"null\"],\"minLength\":1,\"maxLength\":255}",
    [MESSAGE] = "{\"type\":\"string\"}",
    [REASON] = WF_REASON_SHAPE,
    [WF_SYMBOL_NOW] = "{\"type\":\"integer\",\"minimum\":0,\"maximum\":9007199254740992}",
    [WF_SYMBOL_INSTANCE] = "{\"type\":\"string\",\"minLength\":1,\"maxLength\":255}",
    [WF_SYMBOL_NAME] = "{\"type\":\"string\",\"minLength\":1,\"maxLength\":255}",
    [WF_SYMBOL_USED] = "{\"type\":\"integer\",\"minimum\":0,\"maximum\":9007199254740992}",
    [DIGEST] = WF_DIGEST_SHAPE,
    [VOTES] = WF_VOTES_SHAPE};

static const wf_schema *schema_of(wf_explorer *explorer, const char *shape)
{
    const wf_schema *schema = NULL;
    explorer->symbolic->failed |= !wf_shape_compile(explorer, shape, &schema);
    return schema;
}

static wf_value part(wf_explorer *explorer, uint32_t which)
{
    return wf_symbolic_numbered(explorer->symbolic, which, schema_of(explorer, shapes[which]));
}

wf_value wf_symbolic_input(wf_symbolic *self, uint32_t which)
{
    uint32_t shape = which > WF_SYMBOL_USED ? WF_SYMBOL_USED : which;
    if (!self->shapes[which])
        self->shapes[which] = schema_of(self->explorer, shapes[shape]);
    return wf_symbolic_numbered(self, which, self->shapes[which]);
}

const wf_schema *wf_symbolic_count(wf_symbolic *self)
{
    (void)wf_symbolic_input(self, WF_SYMBOL_USED);
    return self->shapes[WF_SYMBOL_USED];
}

const struct wf_external_event *wf_symbolic_any_name(const wf_symbolic *self,
                                                     const wf_value *name)
{
    const wf_explorer *explorer = self->explorer;
    for (size_t i = 0; i < explorer->outside_count; i++)
        if (explorer->outside[i].begin.type == WF_STRING &&
            wf_value_equal(&explorer->outside[i].name, name))
            return &explorer->outside[i];
    return NULL;
}

/* ---- where classes are not exact ---- */

static bool replace(wf_explorer *explorer, wf_data_classes *data, const wf_schema *schema)
{
    data->list = wf_arena_take(&explorer->arena, sizeof *data->list);
    if (!data->list)
        return false;
    data->list[0] = wf_symbolic_numbered(explorer->symbolic, DATA, schema);
    data->count = data->capacity = 1;
    data->cut = data->linked = false;
    return data->list[0].type != WF_ABSENT;
}

/* There are more classes than are listed. Where only a part of the rules matters, most make no
 * difference. */
static bool is_split(const wf_explorer *explorer, const wf_data_classes *data)
{
    return wf_data_classes_are_partial(data) || (explorer->symbolic->hiding && data->count > 1);
}

static bool of_events(wf_explorer *explorer)
{
    for (size_t i = 0; i < explorer->outside_count; i++) {
        wf_external_event *self = &explorer->outside[i];
        if (!self->untried && !is_split(explorer, &self->data))
            continue;
        self->sample = self->data.count > 0 ? self->data.list[0] : wf_null();
        if (!replace(explorer, &self->data, self->assumed))
            return false;
    }
    return true;
}

static bool of_results(wf_explorer *explorer)
{
    const wfsm_machine *machine = explorer->machine;
    for (uint32_t i = 0; i < machine->invoke_count; i++) {
        const wf_invoke *self = &machine->invokes[i];
        if ((explorer->results_untried[i] || is_split(explorer, &explorer->results[i])) &&
            !replace(explorer, &explorer->results[i], self->output))
            return false;
    }
    return true;
}

/* ---- people, origins, failures ---- */

static bool of_decisions(wf_explorer *explorer)
{
    static const char *const keys[] = {"approved", "reason", "digest", "votes"};
    for (uint32_t i = 0; i < explorer->decisions.count; i++) {
        const wf_value parts[] = {wf_boolean(i == 0), part(explorer, REASON),
                                  part(explorer, DIGEST), part(explorer, VOTES)};
        wf_member *members = wf_arena_take(&explorer->arena, 4 * sizeof *members);
        if (!members)
            return false;
        for (uint32_t k = 0; k < 4; k++)
            wf_member_set(&members[k], keys[k], strlen(keys[k]), parts[k]);
        explorer->decisions.list[i] = wf_object(members, 4);
    }
    return true;
}

/* Each interface, and any sender. */
static bool of_origins(wf_explorer *explorer)
{
    static const char *const interfaces[] = {"engine", "post", "command", "page", "api"};
    wf_data_classes *origins = &explorer->origins;
    if (origins->count == 0)
        return true;
    origins->list = wf_arena_take(&explorer->arena, 5 * sizeof *origins->list);
    origins->count = origins->capacity = 5;
    origins->cut = origins->linked = false;
    for (uint32_t i = 0; origins->list && i < 5; i++) {
        wf_member *members = wf_arena_take(&explorer->arena, 2 * sizeof *members);
        if (!members)
            return false;
        wf_member_set(&members[0], "interface", 9, wf_string_z(interfaces[i]));
        wf_member_set(&members[1], "sender", 6, part(explorer, SENDER));
        origins->list[i] = wf_object(members, 2);
    }
    return origins->list != NULL;
}

static bool of_failures(wf_explorer *explorer)
{
    explorer->event_id = part(explorer, EVENT_ID);
    for (uint32_t i = 0; i < explorer->machine->invoke_count; i++) {
        wf_data_classes *messages = &explorer->messages[i];
        messages->list = wf_arena_take(&explorer->arena, sizeof *messages->list);
        if (!messages->list)
            return false;
        messages->list[0] = part(explorer, MESSAGE);
        messages->count = messages->capacity = 1;
    }
    return true;
}

/* ---- host functions ---- */

/* A key that is there may be set to the value that it has. One that is not there may be left out. */
static bool is_set(wf_symbolic *self, uint32_t slot)
{
    const wfsm_machine *machine = self->explorer->machine;
    bool yes = true;
    if (machine->initial[slot].type == WF_ABSENT)
        wf_decide_freely(self, machine->keys.list[slot].text, 60, &yes);
    return yes;
}

wf_value wf_symbolic_patch(wf_symbolic *self)
{
    const wf_explorer *explorer = self->explorer;
    const wfsm_machine *machine = explorer->machine;
    wf_member *members =
        wf_arena_take(&self->scratch, (machine->keys.count + 1u) * sizeof *members);
    uint32_t count = 0;
    for (uint32_t i = 0; members && i < machine->keys.count; i++) {
        const wf_name *key = &machine->keys.list[i];
        bool forbidden = false;
        const wf_schema *schema =
            machine->context_schema
                ? wf_schema_key(machine->context_schema, key->text, key->length, &forbidden)
                : NULL;
        if (!forbidden && wf_hides(explorer, i))
            wf_member_set(&members[count++], key->text, key->length,
                          wf_hiding_value(self, i, ++self->hiding->made));
        else if (!forbidden && explorer->cones.slots[i] && is_set(self, i))
            wf_member_set(&members[count++], key->text, key->length,
                          wf_symbolic_fresh(self, schema));
    }
    if (!members)
        return wf_absent();
    const wf_value patch = wf_object(members, count);
    if (self->patched_count < WF_PATCHED_MOST)
        self->patched[self->patched_count++] = patch;
    return patch;
}

/* The data of an event that the step makes is known, apart from what agents and hosts say. */
static bool reads(wf_explorer *explorer, uint32_t event)
{
    const wf_name *name = &explorer->machine->events.list[event];
    const wf_cone *wanted = wf_cones_of_event(&explorer->cones, name->text, name->length);
    return wanted && wf_cone_is_wanted(wanted);
}

/* What of an input neither classes nor symbols stand for. */
static const char *not_followed(wf_explorer *explorer)
{
    const wfsm_machine *machine = explorer->machine;
    bool followed =
        !explorer->cones.resets_used && machine->budget_count <= WF_BUDGETS_FOLLOWED;
    for (uint32_t i = 0; i < machine->budget_count && !followed; i++)
        if (wf_budget_tells_any(explorer, &machine->budgets[i]) &&
            reads(explorer, machine->budgets[i].event))
            return "what the event of a budget says";
    if (explorer->cones.other_keys)
        return "a rule that reads the whole context, which may have keys that the document does not name";
    if (explorer->cones.signature)
        return "an expression that reads the signature of a failure";
    return NULL;
}

bool wf_symbolic_sources(wf_explorer *explorer)
{
    const char *gap = not_followed(explorer);
    explorer->cut_data = explorer->no_data = NULL;
    explorer->undecided.is = false;
    if (gap)
        wf_symbolic_give_up(explorer->symbolic, gap, NULL);
    explorer->many_patches = false;
    if (explorer->machine->functions.count > 0)
        explorer->patch_count = 2;
    return of_events(explorer) && of_results(explorer) && of_decisions(explorer) &&
           of_origins(explorer) && of_failures(explorer) && !explorer->symbolic->failed;
}
