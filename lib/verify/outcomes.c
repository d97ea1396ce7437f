/* verify/outcomes.c: what invocations can answer: the results of agents, their failures, and the decisions of
 * people. */
#include <string.h>
#include "verify/cone_find.h"
#include "verify/decision_shape.h"
#include "verify/prepare.h"

static uint32_t attempts_of(const wfsm_machine *machine, const wf_invoke *invoke)
{
    uint32_t most = 1;
    for (uint32_t i = invoke->retries.first; i < invoke->retries.first + invoke->retries.count;
         i++)
        if (machine->retries[i].max_attempts > most)
            most = machine->retries[i].max_attempts;
    return most;
}

/* If all of a value is wanted, all of its part is, and no constants decide more about it. */
static void add_whole(wf_explorer *explorer, wf_cone *to, const wf_cone *from)
{
    if (!from->whole)
        return;
    wf_cone_whole(&explorer->cones, to);
    if (!to->vague.rule)
        to->vague = from->vague;
}

bool wf_may_settle(const wf_invoke *invoke)
{
    wf_value complete = wf_absent();
    return invoke->complete &&
           (!wf_expr_constant(invoke->complete, &complete) || complete.type == WF_STRING);
}

/* Under "settled", the result of an item is the `output` of its element. */
static void add_of_place(wf_explorer *explorer, const wf_invoke *self, wf_cone *to,
                         const wf_cone *place)
{
    wf_value complete = wf_absent();
    const bool settles = wf_may_settle(self);
    if (!settles || !wf_expr_constant(self->complete, &complete))
        wf_cone_add(&explorer->cones, to, place);
    wf_cone *settled = settles ? wf_cone_copy(&explorer->cones, place) : NULL;
    if (!settled) {
        add_whole(explorer, to, place);
        return;
    }
    wf_cone_split_member(&explorer->cones, settled, "output");
    wf_cone_add(&explorer->cones, to, wf_cone_member(settled, "output", 6));
    add_whole(explorer, to, settled);
}

/* Whether a rule reads which item it was that failed. */
static bool asks_item(wf_explorer *explorer, const wf_invoke *invoke)
{
    const wf_name *name = &explorer->machine->events.list[invoke->error_event];
    const wf_cone *told = wf_cones_of_event(&explorer->cones, name->text, name->length);
    const wf_cone *item = told ? wf_cone_member(told, "item", 4) : NULL;
    return told && (told->whole || told->fits || (item && wf_cone_is_wanted(item)));
}

/* Under "settled", what is told of the failure of an item. */
static const wf_cone *wanted_of_failed(wf_explorer *explorer, const wf_cone *all)
{
    const wf_cone *place = all ? all->items : NULL;
    if (!all || (!all->whole && !place))
        return NULL;
    if (place && !all->whole && !place->whole && !place->fits)
        return wf_cone_member(place, "error", 5);
    wf_cone *one = wf_cone_new(&explorer->cones, 0);
    if (one)
        wf_cone_whole(&explorer->cones, one);
    return one;
}

/* The cone of an item's result is that of an element of the list of results. */
static const wf_cone *wanted_of_one(wf_explorer *explorer, uint32_t number, const wf_cone *told)
{
    const wf_invoke *self = &explorer->machine->invokes[number];
    if (!self->items)
        return told;
    wf_cone *all = told ? wf_cone_copy(&explorer->cones, told) : NULL;
    if (told && !all)
        return NULL;
    if (all)
        wf_cone_split_list(&explorer->cones, all);
    explorer->alike[number] =
        (!all || (!all->order && !all->whole)) && !asks_item(explorer, self);
    explorer->of_failed[number] = wanted_of_failed(explorer, all);
    explorer->unseen[number] = !all || (!all->whole && !all->items);
    wf_cone *one = all ? wf_cone_new(&explorer->cones, 0) : NULL;
    if (!one)
        return NULL;
    add_whole(explorer, one, all);
    if (all->items)
        add_of_place(explorer, self, one, all->items);
    if (wf_cone_is_wanted(one))
        explorer->of_items[number] = one;
    return explorer->of_items[number];
}

bool wf_shape_compile(wf_explorer *explorer, const char *shape, const wf_schema **out)
{
    const wf_place place = {0};
    wf_value source;
    return wf_json_parse(&explorer->arena, shape, strlen(shape), &source, NULL) == WFSM_OK &&
           wf_schema_compile(out, &source, &explorer->arena, &place, NULL) == WFSM_OK;
}

/* A person approves or rejects. The reason is outside the cone, and the votes are left out. */
bool wf_find_decisions(wf_explorer *explorer)
{
    static const char *const keys[] = {"approved", "reason", "digest", "votes"};
    static const char digest[] =
        "0000000000000000000000000000000000000000000000000000000000000000";
    explorer->decisions =
        (wf_data_classes){.arena = &explorer->arena, .count = 2, .capacity = 2};
    explorer->decisions.list = wf_arena_take(&explorer->arena, 2 * sizeof(wf_value));
    for (uint32_t i = 0; i < 2 && explorer->decisions.list; i++) {
        wf_value parts[] = {wf_boolean(i == 0), wf_null(), wf_string_z(digest),
                            wf_array(NULL, 0)};
        wf_member *members = wf_arena_take(&explorer->arena, 4 * sizeof *members);
        for (uint32_t k = 0; k < 4 && members; k++)
            wf_member_set(&members[k], keys[k], strlen(keys[k]), parts[k]);
        if (members)
            explorer->decisions.list[i] = wf_object(members, 4);
    }
    return wf_shape_compile(explorer, WF_DECISION_SHAPE("true"),
                            &explorer->decision_schemas[0]) &&
           wf_shape_compile(explorer, WF_DECISION_SHAPE("false"),
                            &explorer->decision_schemas[1]) &&
           !explorer->arena.failed;
}

/* The messages of failures: texts. */
bool wf_find_messages(wf_explorer *explorer)
{
    const wfsm_machine *machine = explorer->machine;
    explorer->messages =
        wf_arena_zero(&explorer->arena, (machine->invoke_count + 1u) * sizeof(wf_data_classes));
    if (!explorer->messages ||
        !wf_shape_compile(explorer, "{\"type\":\"string\"}", &explorer->text_schema))
        return false;
    for (uint32_t i = 0; i < machine->invoke_count; i++) {
        const wf_cone *wanted = wf_cone_of_message(&explorer->cones, &machine->invokes[i]);
        if (wanted)
            wf_data_classes_find(&explorer->messages[i], &explorer->arena,
                                 explorer->text_schema, wanted, explorer->cones.links);
        wf_note_cut(explorer, &explorer->messages[i],
                    &machine->events.list[machine->invokes[i].error_event]);
    }
    return true;
}

bool wf_find_results(wf_explorer *explorer)
{
    const wfsm_machine *machine = explorer->machine;
    explorer->of_items = wf_arena_zero(&explorer->arena, (machine->invoke_count + 1u) *
                                                             sizeof *explorer->of_items);
    explorer->of_failed = wf_arena_zero(&explorer->arena, (machine->invoke_count + 1u) *
                                                              sizeof *explorer->of_failed);
    explorer->alike = wf_arena_zero(&explorer->arena, machine->invoke_count + 1u);
    explorer->unseen = wf_arena_zero(&explorer->arena, machine->invoke_count + 1u);
    if (!explorer->of_items || !explorer->of_failed || !explorer->alike || !explorer->unseen)
        return false;
    explorer->results =
        wf_arena_zero(&explorer->arena, (machine->invoke_count + 1u) * sizeof(wf_data_classes));
    explorer->attempts_most =
        wf_arena_zero(&explorer->arena, (machine->invoke_count + 1u) * sizeof(uint32_t));
    if (!explorer->results || !explorer->attempts_most)
        return false;
    for (uint32_t i = 0; i < machine->invoke_count; i++) {
        const wf_invoke *self = &machine->invokes[i];
        const wf_name *done = &machine->events.list[self->done_event];
        const wf_cone *wanted = wf_cones_of_event(&explorer->cones, done->text, done->length);
        wf_data_classes_find(&explorer->results[i], &explorer->arena, self->output,
                             wanted_of_one(explorer, i, wanted), explorer->cones.links);
        wf_note_cut(explorer, &explorer->results[i], done);
        if (explorer->results[i].count == 0)
            explorer->no_data = self->id.text;
        explorer->attempts_most[i] = attempts_of(machine, self);
    }
    return true;
}
