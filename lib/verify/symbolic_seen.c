/* verify/symbolic_seen.c: what a step sees of the event, the instance and the budgets. Symbols stand for the parts
 * that may be anything. */
#include "verify/symbolic_eval.h"

#include <string.h>
#include "verify/explorer.h"
#include "verify/hiding.h"

/* What a step sees of the instance: the time, and an id that the host has chosen. */
static void read_instance(wf_symbolic *self, wf_value *result)
{
    wf_member *members = wf_arena_take(&self->scratch, 3 * sizeof *members);
    if (!members || result->type != WF_OBJECT)
        return;
    for (uint32_t i = 0; i < 3 && i < result->length; i++)
        members[i] = result->as.members[i];
    members[0].value = wf_symbolic_input(self, WF_SYMBOL_INSTANCE);
    members[2].value = wf_symbolic_now(self);
    *result = wf_object(members, 3);
}

/* The limit or more was used, and nothing is left. */
static wf_value told_by_event(wf_symbolic *self, uint32_t budget, const wf_value *data)
{
    const wf_value number = wf_symbolic_input(self, WF_SYMBOL_TOLD + budget);
    const wf_value *limit = wf_value_get_z(data, "limit");
    wf_member *members = wf_arena_take(&self->scratch, (data->length + 1u) * sizeof *members);
    wf_term used;
    if (!members || !limit || !wf_symbolic_term(&number, &used))
        return *data;
    used = wf_symbolic_applied(self, "max", used, wf_term_known(&self->terms, limit));
    for (uint32_t i = 0; i < data->length; i++) {
        members[i] = data->as.members[i];
        if (strcmp(members[i].key, "used") == 0)
            members[i].value = wf_symbolic_value(self, used);
    }
    return wf_object(members, data->length);
}

/* Of an event of a budget of usage or time, any amount; else the data as it is. */
static wf_value data_of_event(wf_symbolic *self, const wf_value *type, const wf_value *data)
{
    const wfsm_machine *machine = self->explorer->machine;
    for (uint32_t i = 0; i < machine->budget_count && i < WF_BUDGETS_FOLLOWED; i++) {
        const wf_budget *budget = &machine->budgets[i];
        if (wf_budget_tells_any(self->explorer, budget) && data->type == WF_OBJECT &&
            strcmp(machine->events.list[budget->event].text, type->as.text) == 0)
            return told_by_event(self, i, data);
    }
    return *data;
}

static bool reads_type(const wf_var *var)
{
    return var->count == 0 || strcmp(var->parts[0].key, "type") == 0;
}

/* An event that matches no name but a prefix has one of many names. That of a budget tells how much was
 * used. */
static void read_event(wf_symbolic *self, const wf_var *var, wf_value *result)
{
    const wf_value *type = result->type == WF_OBJECT ? wf_value_get_z(result, "type") : NULL;
    if (!type || type->type != WF_STRING || result->length < 2)
        return;
    const wf_external_event *any = wf_symbolic_any_name(self, type);
    wf_member *members = wf_arena_take(&self->scratch, result->length * sizeof *members);
    if (!members)
        return;
    memcpy(members, result->as.members, result->length * sizeof *members);
    if (any && reads_type(var))
        members[0].value = wf_symbolic_name(self, any);
    else if (!any)
        members[1].value = data_of_event(self, type, &members[1].value);
    *result = wf_object(members, result->length);
}

/* The state keeps how much was used. */
static bool is_counted(const wf_budget *budget)
{
    return budget->counts == WF_COUNT_CLAIMS || budget->counts == WF_COUNT_ROUNDS;
}

/* Any amount was used, and no less than nothing is left; of attempts no more than the limit was used. */
static wf_value told_of_budget(wf_symbolic *self, uint32_t budget, const wf_value *limit,
                               wf_value number)
{
    const wf_value nothing = wf_number(0);
    wf_member *members = wf_arena_take(&self->scratch, 3 * sizeof *members);
    wf_term used = WF_NONE, most = wf_term_known(&self->terms, limit);
    if (!members || !wf_symbolic_term(&number, &used))
        return wf_null();
    if (is_counted(&self->explorer->machine->budgets[budget]))
        used = wf_symbolic_applied(self, "min", used, most);
    wf_term left = wf_symbolic_applied(self, "max", wf_symbolic_applied(self, "-", most, used),
                                       wf_term_known(&self->terms, &nothing));
    wf_member_set(&members[0], "used", 4, wf_symbolic_value(self, used));
    wf_member_set(&members[1], "limit", 5, *limit);
    wf_member_set(&members[2], "left", 4, wf_symbolic_value(self, left));
    return wf_object(members, 3);
}

static wf_value any_used(wf_symbolic *self, uint32_t budget, const wf_value *limit)
{
    bool followed = budget < WF_BUDGETS_FOLLOWED && !self->explorer->cones.resets_used;
    if (!followed)
        wf_symbolic_give_up(self, "an expression that reads budgets", NULL);
    return told_of_budget(
        self, budget, limit,
        wf_symbolic_input(self, WF_SYMBOL_USED + (budget < WF_BUDGETS_FOLLOWED ? budget : 0)));
}

/* What agents have used, and how much time has passed, does not change within a step, unless an action
 * resets it. Rounds and claims are counted. */
static void read_budgets(wf_symbolic *self, wf_value *result)
{
    const wfsm_machine *machine = self->explorer->machine;
    wf_member *members = wf_arena_take(&self->scratch, (result->length + 1u) * sizeof *members);
    if (!members || result->type != WF_OBJECT)
        return;
    for (uint32_t i = 0; i < result->length; i++) {
        const wf_value *limit = wf_value_get_z(&result->as.members[i].value, "limit");
        wf_value used;
        members[i] = result->as.members[i];
        if (limit && wf_hiding_tells(self, i, &used))
            members[i].value = told_of_budget(self, i, limit, used);
        else if (limit && !is_counted(&machine->budgets[i]))
            members[i].value = any_used(self, i, limit);
    }
    *result = wf_object(members, result->length);
}

/* All that there is: the context, the event and the instance. */
static void read_all(wf_symbolic *self, const wf_var *var, wf_value *result)
{
    wf_member *members = wf_arena_take(&self->scratch, (result->length + 1u) * sizeof *members);
    if (!members || result->type != WF_OBJECT)
        return;
    for (uint32_t i = 0; i < result->length; i++) {
        members[i] = result->as.members[i];
        if (strcmp(members[i].key, "event") == 0)
            read_event(self, var, &members[i].value);
        else if (strcmp(members[i].key, "instance") == 0)
            read_instance(self, &members[i].value);
    }
    *result = wf_object(members, result->length);
}

void wf_symbolic_see(wf_symbolic *self, const wf_var *var, wf_value *seen)
{
    if (var->origin == WF_FROM_ROOT)
        read_all(self, var, seen);
    if (var->origin == WF_FROM_BUDGETS)
        read_budgets(self, seen);
    if (var->origin == WF_FROM_INSTANCE)
        read_instance(self, seen);
    if (var->origin == WF_FROM_EVENT)
        read_event(self, var, seen);
}
