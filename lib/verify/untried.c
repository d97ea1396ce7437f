/* verify/untried.c: the inputs that may carry values which none of the representatives stands for.
 * What is found there may still be refuted; it cannot be proved. */
#include "verify/explorer.h"
#include "verify/cone_find.h"
#include "verify/input.h"

static const char
    failure_helps[] = "rules that ask for the class of a failure only",
    id_helps[] = "rules that do not read the id of an event",
    type_helps[] = "rules that compare the name of an event with constants",
    person_helps[] =
        "a `quorum` and `rejections` for which few votes are enough, or rules that "
        "ask only whether a person approved",
    output_helps[] = "an `output` that asks only whether a person approved",
    budget_helps[] = "rules that do not ask how much of a budget was used",
    other_helps[] = "rules that read the event and the context only",
    members_help[] = "a schema that names the types of the members";

static const char *const said_by_person[] = {"reason", "digest", "votes", NULL},
                         *const said_of_failure[] = {NULL};

static bool note(wf_explorer *explorer, wf_undecided found)
{
    if (found.is && explorer->gap_count < WF_GAPS_MOST)
        explorer->gaps[explorer->gap_count++] = found;
    if (found.is && !explorer->undecided.is)
        explorer->undecided = found;
    return found.is;
}

/* These members have no classes. */
static wf_undecided of_members(const wf_cone *wanted, const char *const *members,
                               const char *remedy)
{
    const wf_undecided decided = {0};
    if (!wanted)
        return decided;
    if (wanted->whole || wanted->vague.rule || wanted->constant_count > 0)
        return wf_exactness_unread(wanted, remedy);
    for (; *members; members++) {
        const wf_cone *part = wf_cone_member(wanted, *members, strlen(*members));
        if (part && wf_cone_is_wanted(part))
            return wf_exactness_unread(part, remedy);
    }
    for (const wf_cone_schema *fit = wanted->fits; fit; fit = fit->next)
        if (!wf_schema_asks_type_only(fit->schema))
            return (wf_undecided){true, wanted->reader, members_help};
    return decided;
}

/* ---- events ---- */

/* A wildcard takes any name. Those that rules name are tried, and one more: they do not decide an
 * order or a conversion, nor a schema that asks for more than the type. */
static wf_undecided of_names(const wf_explorer *explorer)
{
    const wf_cone *wanted = &explorer->cones.type;
    wf_undecided found = wf_exactness_of(explorer->text_schema, wanted);
    bool fits = false;
    for (const wf_cone_schema *fit = wanted->fits; fit; fit = fit->next)
        fits |= !wf_schema_takes_all(fit->schema, WF_STRING);
    if (wanted->number || wanted->test_count > 0 || fits)
        found = wf_exactness_unread(wanted, type_helps);
    found.remedy = type_helps;
    return found;
}

static void look_at_events(wf_explorer *explorer)
{
    const wf_cones *cones = &explorer->cones;
    bool origins = explorer->origins.count > 0 &&
                   note(explorer, wf_exactness_of(explorer->origin_schema, &cones->origin));
    bool ids = explorer->outside_count > 0 &&
               note(explorer, wf_exactness_unread(&cones->id, id_helps));
    bool types = false;
    for (size_t i = 0; i < explorer->outside_count && !types; i++)
        types =
            explorer->outside[i].begin.type == WF_STRING && note(explorer, of_names(explorer));
    for (size_t i = 0; i < explorer->outside_count; i++) {
        wf_external_event *self = &explorer->outside[i];
        self->untried = note(
            explorer, wf_exactness_of(self->assumed,
                                      wf_cones_of_event(&explorer->cones, self->name.as.text,
                                                        self->name.length)));
        self->untried |= origins || ids;
        self->untried |= self->begin.type == WF_STRING && types;
    }
}

/* ---- invocations ---- */

static const wf_cone *cone_of(wf_explorer *explorer, uint32_t event)
{
    const wf_name *name = &explorer->machine->events.list[event];
    return wf_cones_of_event(&explorer->cones, name->text, name->length);
}

/* The cone of an item's failure under "settled"; NULL: nothing is read of it. */
static const wf_cone *wanted_of_failed(wf_explorer *explorer, const wf_cone *done)
{
    wf_cones *cones = &explorer->cones;
    wf_cone *list = done ? wf_cone_copy(cones, done) : NULL;
    if (!list)
        return NULL;
    wf_cone_split_list(cones, list);
    wf_cone *one = list->whole ? list : list->items;
    if (one && !one->whole)
        wf_cone_split_member(cones, one, "error");
    return !one || one->whole ? one : wf_cone_member(one, "error", 5);
}

/* Each decision of the one kind fits the schema, or none of them does. */
static bool are_alike(const wf_explorer *explorer, const wf_schema *output, bool approved)
{
    const wf_value answer = wf_boolean(approved);
    const wf_schema_group all = {.list = {explorer->decision_schemas[!approved]}, .count = 1};
    bool forbidden = false;
    const wf_schema *own = wf_schema_key(output, "approved", 8, &forbidden);
    return forbidden || (own && wf_schema_check(own, &answer, NULL) != WFSM_OK) ||
           wf_schema_group_implies(&all, output);
}

/* A decision that its schema refuses is a failure. */
static wf_undecided of_decisions(const wf_explorer *explorer, const wf_invoke *self)
{
    if (!self->output ||
        (are_alike(explorer, self->output, true) && are_alike(explorer, self->output, false)))
        return (wf_undecided){0};
    return (wf_undecided){true, {.owner = WF_OWNER_STATE, .number = self->state}, output_helps};
}

static void look_at_invoke(wf_explorer *explorer, uint32_t number)
{
    const wf_invoke *self = &explorer->machine->invokes[number];
    const wf_cone *done = cone_of(explorer, self->done_event),
                  *wanted = self->items ? explorer->of_items[number] : done;
    const bool asks = wf_may_ask_person(explorer->machine, self);
    bool results = asks && note(explorer, of_members(wanted, said_by_person, person_helps));
    results |= asks && note(explorer, of_decisions(explorer, self));
    results |= note(explorer, wf_exactness_of(self->output, wanted));
    bool failures = note(explorer, of_members(cone_of(explorer, self->error_event),
                                              said_of_failure, failure_helps));
    failures |= note(explorer, wf_exactness_of(explorer->text_schema,
                                               wf_cone_of_message(&explorer->cones, self)));
    if (self->items && wf_may_settle(self))
        failures |= note(explorer, of_members(wanted_of_failed(explorer, done), said_of_failure,
                                              failure_helps));
    explorer->results_untried[number] = results;
    explorer->failures_untried[number] = failures;
}

/* ---- budgets ---- */

bool wf_budget_tells_any(const wf_explorer *explorer, const wf_budget *budget)
{
    return budget->counts == WF_COUNT_USAGE ||
           (budget->counts == WF_COUNT_TIME && !explorer->times.punctual);
}

/* Agents use any amount, and a host may be late; the event tells it. */
static void look_at_budgets(wf_explorer *explorer)
{
    static const char *const told[] = {"used", "left", NULL};
    const wfsm_machine *machine = explorer->machine;
    for (uint32_t i = 0; i < machine->budget_count; i++)
        if (wf_budget_tells_any(explorer, &machine->budgets[i]))
            explorer->anything_untried |=
                note(explorer, of_members(cone_of(explorer, machine->budgets[i].event), told,
                                          budget_helps));
}

/* ---- the host ---- */

static wf_undecided of_slot(const wf_explorer *explorer, const wf_tracked *tracked)
{
    const wf_schema *context = explorer->machine->context_schema;
    const wf_name *key = &explorer->machine->keys.list[tracked->slot];
    bool forbidden = false;
    const wf_schema *own =
        context ? wf_schema_key(context, key->text, key->length, &forbidden) : NULL;
    return forbidden ? (wf_undecided){0} : wf_exactness_of(own, tracked->wanted);
}

/* A function may change any key of the context, so that any state may have untried successors. */
static void look_at_patches(wf_explorer *explorer)
{
    explorer->patches_untried |= explorer->many_patches;
    for (uint32_t i = 0; explorer->patch_count > 1 && i < explorer->tracked_count; i++)
        explorer->patches_untried |= note(explorer, of_slot(explorer, &explorer->tracked[i]));
}

/* ---- all of it ---- */

bool wf_find_untried(wf_explorer *explorer)
{
    const wfsm_machine *machine = explorer->machine;
    const wf_reading *unknown = &explorer->cones.unknown;
    size_t count = machine->invoke_count + 1u;
    explorer->results_untried = wf_arena_zero(&explorer->arena, count);
    explorer->failures_untried = wf_arena_zero(&explorer->arena, count);
    if (!explorer->results_untried || !explorer->failures_untried)
        return false;
    look_at_events(explorer);
    for (uint32_t i = 0; i < machine->invoke_count; i++)
        look_at_invoke(explorer, i);
    look_at_patches(explorer);
    look_at_budgets(explorer);
    if (unknown->rule)
        explorer->anything_untried =
            note(explorer, (wf_undecided){true, *unknown, other_helps});
    return true;
}

bool wf_has_untried(const wf_explorer *explorer)
{
    const wf_list *ledger = &explorer->snapshot.extras->ledger;
    if (!explorer->undecided.is && !explorer->many_patches && !explorer->cut_data &&
        !explorer->no_data)
        return false;
    if (explorer->patches_untried || explorer->anything_untried || explorer->origins.cut)
        return true;
    for (size_t i = 0; i < explorer->outside_count; i++)
        if ((explorer->outside[i].untried ||
             wf_data_classes_are_partial(&explorer->outside[i].data)) &&
            wf_is_heard(&explorer->outside[i], &explorer->snapshot))
            return true;
    for (size_t i = 0; i < ledger->count; i++) {
        uint32_t invoke = wf_invocation_at(ledger, i)->invoke;
        if (explorer->results_untried[invoke] || explorer->failures_untried[invoke] ||
            wf_data_classes_are_partial(&explorer->results[invoke]) ||
            explorer->messages[invoke].cut)
            return true;
    }
    return false;
}
