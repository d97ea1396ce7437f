/* verify/explorer.c: prepares the exploration: the slots of the context that are in the cone, the
 * events that come from outside, and the classes of all data. */
#include "verify/cone_find.h"
#include "verify/data_reads.h"
#include "verify/hiding.h"
#include "verify/selection.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/invariant.h"

enum { PATCHES_MOST = 256, PARTIAL_CLASSES = 4096 };

/* ---- events from outside ---- */

/* Events with a reserved name do not come from outside. Refused votes do: anybody may cast one. */
static bool is_own(const wf_name *name)
{
    return wf_event_reserved(name->text) && strcmp(name->text, WF_APPROVAL_REFUSED) != 0;
}

bool wf_state_names(const wfsm_machine *machine, const wf_state *state, uint32_t number,
                    const wf_name *name)
{
    for (uint32_t i = state->exact.first; i < state->exact.first + state->exact.count; i++)
        if (machine->handlers[i].event == number)
            return true;
    for (uint32_t i = state->generic.first; i < state->generic.first + state->generic.count;
         i++) {
        uint32_t descriptor = machine->candidates[i].descriptor;
        if (descriptor != WF_NONE &&
            wf_prefix_matches(&machine->prefixes[descriptor], name->text, name->length))
            return true;
    }
    return false;
}

/* Of classes that are not all tried, a few will do: what they do not find is left to the search over
 * symbols. */
static void note_cut(wf_explorer *explorer, wf_data_classes *data, const wf_name *event)
{
    if (data->cut && !explorer->cut_data)
        explorer->cut_data = event->text;
    if (data->cut && data->count > PARTIAL_CLASSES)
        data->count = PARTIAL_CLASSES;
}

static bool add_outside(wf_explorer *explorer, uint32_t number, const wf_name *name)
{
    const wfsm_machine *machine = explorer->machine;
    wf_external_event self = {.name = wf_string(name->text, name->length),
                              .number = number,
                              .assumed = wf_assumed_of(machine, number)};
    bool handled = false;
    self.handlers = wf_arena_zero(&explorer->arena, machine->words * sizeof(uint64_t));
    if (!self.handlers)
        return false;
    for (uint32_t s = 0; s < machine->state_count; s++)
        if (wf_state_names(machine, &machine->states[s], number, name)) {
            wf_set_add(self.handlers, s);
            handled = true;
        }
    if (!handled)
        return true;
    wf_external_event *list =
        wf_grow(explorer->allocator, explorer->outside, &explorer->outside_capacity,
                explorer->outside_count + 1, sizeof *list);
    if (!list)
        return false;
    explorer->outside = list;
    wf_data_classes_find(&self.data, &explorer->arena, self.assumed,
                         wf_cones_of_event(&explorer->cones, name->text, name->length),
                         explorer->cones.links);
    note_cut(explorer, &self.data, name);
    if (!explorer->symbolic)
        wf_data_mark(&self.data, machine, &explorer->arena);
    if (self.data.count == 0)
        explorer->no_data = name->text;
    list[explorer->outside_count++] = self;
    return true;
}

static bool is_outside(const wf_explorer *explorer, const wf_name *name)
{
    for (size_t i = 0; i < explorer->outside_count; i++)
        if (explorer->outside[i].name.length == name->length &&
            memcmp(explorer->outside[i].name.as.text, name->text, name->length) == 0)
            return true;
    return false;
}

/* For each prefix one more event, which no descriptor names exactly. */
static bool add_for_prefix(wf_explorer *explorer, const wf_name *prefix)
{
    size_t length = prefix->length + 7;
    char *text = wf_arena_take(&explorer->arena, length);
    if (!text)
        return false;
    if (prefix->length > 0) {
        memcpy(text, prefix->text, prefix->length);
        text[prefix->length] = '.';
    }
    size_t at = prefix->length > 0 ? prefix->length + 1 : 0;
    memcpy(text + at, "other", 6);
    wf_name name = {text, (uint32_t)(at + 5), 0};
    if (is_own(&name)) { /* `done.*` also matches `done`, which is not reserved */
        text[prefix->length] = '\0';
        name.length = prefix->length;
        return is_own(&name) ||
               wf_names_find(&explorer->machine->events, text, name.length) != WF_NONE ||
               is_outside(explorer, &name) || add_outside(explorer, WF_NONE, &name);
    }
    if (wf_names_find(&explorer->machine->events, text, name.length) != WF_NONE)
        return add_for_prefix(explorer, &name);
    return is_outside(explorer, &name) || add_outside(explorer, WF_NONE, &name);
}

/* One of a few interfaces, and anybody. */
static bool find_origins(wf_explorer *explorer)
{
    static const char shape[] =
        "{\"type\":\"object\",\"required\":[\"interface\",\"sender\"],"
        "\"additionalProperties\":false,\"properties\":{\"interface\":{\"enum\":"
        "[\"engine\",\"post\",\"command\",\"page\",\"api\"]},"
        "\"sender\":{\"type\":[\"string\",\"null\"],\"minLength\":1}}}";
    const wf_place place = {0};
    const wf_schema *schema = NULL;
    wf_value source;
    if (!wf_cone_is_relevant(&explorer->cones.origin))
        return true;
    if (wf_json_parse(&explorer->arena, shape, sizeof shape - 1, &source, NULL) != WFSM_OK ||
        wf_schema_compile(&schema, &source, &explorer->arena, &place, NULL) != WFSM_OK)
        return false;
    explorer->origin_schema = schema;
    wf_data_classes_find(&explorer->origins, &explorer->arena, schema, &explorer->cones.origin,
                         explorer->cones.links);
    if (explorer->origins.cut)
        explorer->cut_data = "origin";
    return true;
}

/* Names that only a rule asks for reach it through a wildcard. */
static bool add_asked(wf_explorer *explorer)
{
    const wf_cone *asked = &explorer->cones.type;
    bool fine = true;
    for (uint32_t i = 0; i < asked->constant_count && fine; i++) {
        const wf_value *text = &asked->constants[i];
        wf_name name = {text->as.text, text->length, 0};
        bool new = text->type == WF_STRING && text->length > 0 && !is_own(&name) &&
                   wf_names_find(&explorer->machine->events, name.text, name.length) == WF_NONE;
        if (new && !is_outside(explorer, &name))
            fine = add_outside(explorer, WF_NONE, &name);
    }
    return fine;
}

static bool find_outside(wf_explorer *explorer)
{
    const wfsm_machine *machine = explorer->machine;
    bool fine = find_origins(explorer);
    for (uint32_t i = 0; i < machine->events.count && fine; i++) {
        const wf_name *name = &machine->events.list[i];
        bool raised = wf_cones_raise(&explorer->cones, name->text, name->length);
        explorer->inner_events |= raised && !explorer->open;
        if (!is_own(name) && (explorer->open || !raised))
            fine = add_outside(explorer, i, name);
    }
    fine = fine && add_asked(explorer);
    for (uint32_t s = 0; s < machine->state_count && fine; s++) {
        wf_span generic = machine->states[s].generic;
        for (uint32_t i = generic.first; i < generic.first + generic.count && fine; i++)
            if (machine->candidates[i].descriptor != WF_NONE)
                fine = add_for_prefix(explorer,
                                      &machine->prefixes[machine->candidates[i].descriptor]);
    }
    return fine;
}

/* ---- invocations ---- */

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

/* Under "settled", the result of an item is the `output` of its element. */
static void add_of_place(wf_explorer *explorer, const wf_invoke *self, wf_cone *to,
                         const wf_cone *place)
{
    wf_value complete = wf_absent();
    bool known = !self->complete || wf_expr_constant(self->complete, &complete);
    if (!known || complete.type != WF_STRING)
        wf_cone_add(&explorer->cones, to, place);
    if (!known || complete.type == WF_STRING)
        wf_cone_add(&explorer->cones, to, wf_cone_member(place, "output", 6));
    add_whole(explorer, to, place);
}

/* Whether a rule reads which item it was that failed. */
static bool asks_item(wf_explorer *explorer, const wf_invoke *invoke)
{
    const wf_name *name = &explorer->machine->events.list[invoke->error_event];
    const wf_cone *told = wf_cones_of_event(&explorer->cones, name->text, name->length);
    const wf_cone *item = told ? wf_cone_member(told, "item", 4) : NULL;
    return told && (told->whole || (item && wf_cone_is_relevant(item)));
}

/* Under "settled", what is told of the failure of an item. */
static const wf_cone *wanted_of_failed(wf_explorer *explorer, const wf_cone *all)
{
    const wf_cone *place = all ? all->items : NULL;
    if (!all || (!all->whole && !place))
        return NULL;
    if (place && !all->whole && !place->whole)
        return wf_cone_member(place, "error", 5);
    wf_cone *one = wf_cone_new(&explorer->cones, 0);
    if (one)
        wf_cone_whole(&explorer->cones, one);
    return one;
}

/* The cone of an item's result is that of an element of the list of results. */
static const wf_cone *wanted_of_one(wf_explorer *explorer, uint32_t number, const wf_cone *all)
{
    const wf_invoke *self = &explorer->machine->invokes[number];
    if (!self->items)
        return all;
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
    if (wf_cone_is_relevant(one) || one->fits)
        explorer->of_items[number] = one;
    return explorer->of_items[number];
}

/* A person approves or rejects; the reason is outside the cone. */
static bool find_decisions(wf_explorer *explorer)
{
    static const char *const keys[] = {"approved", "reason", "digest", "votes"};
    explorer->decisions =
        (wf_data_classes){.arena = &explorer->arena, .count = 2, .capacity = 2};
    explorer->decisions.list = wf_arena_take(&explorer->arena, 2 * sizeof(wf_value));
    for (uint32_t i = 0; i < 2 && explorer->decisions.list; i++) {
        wf_value parts[] = {wf_boolean(i == 0), wf_null(), wf_string_z(""), wf_array(NULL, 0)};
        wf_member *members = wf_arena_take(&explorer->arena, 4 * sizeof *members);
        for (uint32_t k = 0; k < 4 && members; k++)
            wf_member_set(&members[k], keys[k], strlen(keys[k]), parts[k]);
        if (members)
            explorer->decisions.list[i] = wf_object(members, 4);
    }
    return !explorer->arena.failed;
}

/* The messages of failures: texts. */
static bool find_messages(wf_explorer *explorer)
{
    static const char shape[] = "{\"type\":\"string\"}";
    const wfsm_machine *machine = explorer->machine;
    const wf_place place = {0};
    wf_value source;
    explorer->messages =
        wf_arena_zero(&explorer->arena, (machine->invoke_count + 1u) * sizeof(wf_data_classes));
    if (!explorer->messages ||
        wf_json_parse(&explorer->arena, shape, sizeof shape - 1, &source, NULL) != WFSM_OK ||
        wf_schema_compile(&explorer->text_schema, &source, &explorer->arena, &place, NULL) !=
            WFSM_OK)
        return false;
    for (uint32_t i = 0; i < machine->invoke_count; i++) {
        const wf_cone *wanted = wf_cone_of_message(&explorer->cones, &machine->invokes[i]);
        if (wanted)
            wf_data_classes_find(&explorer->messages[i], &explorer->arena,
                                 explorer->text_schema, wanted, NULL);
        note_cut(explorer, &explorer->messages[i],
                 &machine->events.list[machine->invokes[i].error_event]);
    }
    return true;
}

static bool find_used(wf_explorer *explorer)
{
    const wfsm_machine *machine = explorer->machine;
    explorer->used_asked = wf_arena_zero(&explorer->arena, (machine->budget_count + 1u) *
                                                               sizeof *explorer->used_asked);
    for (uint32_t i = 0; explorer->used_asked && i < machine->budget_count; i++) {
        const wf_name *name = &machine->events.list[machine->budgets[i].event];
        const wf_cone *told = wf_cones_of_event(&explorer->cones, name->text, name->length);
        explorer->used_asked[i] = told ? wf_cone_member(told, "used", 4) : NULL;
    }
    return explorer->used_asked != NULL;
}

static bool find_results(wf_explorer *explorer)
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
        note_cut(explorer, &explorer->results[i], done);
        if (explorer->results[i].count == 0)
            explorer->no_data = self->id.text;
        explorer->attempts_most[i] = attempts_of(machine, self);
    }
    return true;
}

/* ---- host functions ---- */

static wf_data_classes values_of(wf_explorer *explorer, const wf_tracked *tracked)
{
    wf_data_classes data;
    bool forbidden = false;
    const wf_name *key = &explorer->machine->keys.list[tracked->slot];
    const wf_schema *schema = !explorer->machine->context_schema
                                  ? NULL
                                  : wf_schema_key(explorer->machine->context_schema, key->text,
                                                  key->length, &forbidden);
    wf_data_classes_find(&data, &explorer->arena, schema, tracked->wanted, NULL);
    if (forbidden)
        data.count = 0;
    return data;
}

static bool add_patch(wf_explorer *explorer, const wf_data_classes *values, const uint32_t *at)
{
    const wf_names *keys = &explorer->machine->keys;
    wf_member *members =
        wf_arena_take(&explorer->arena, (explorer->tracked_count + 1u) * sizeof *members);
    uint32_t count = 0;
    if (!members)
        return false;
    for (uint32_t i = 0; i < explorer->tracked_count; i++)
        if (at[i] < values[i].count) {
            const wf_name *key = &keys->list[explorer->tracked[i].slot];
            wf_member_set(&members[count++], key->text, key->length, values[i].list[at[i]]);
        }
    if (count > 0)
        explorer->patches[explorer->patch_count++] = wf_object(members, count);
    return true;
}

static bool next_patch(const wf_explorer *explorer, const wf_data_classes *values, uint32_t *at)
{
    for (uint32_t i = 0; i < explorer->tracked_count; i++) {
        if (++at[i] <= values[i].count)
            return true;
        at[i] = 0;
    }
    return false;
}

/* The patches that schemas.context allows for the slots that are in the cone. */
static bool find_patches(wf_explorer *explorer)
{
    wf_data_classes *values =
        wf_arena_zero(&explorer->arena, (explorer->tracked_count + 1u) * sizeof *values);
    uint32_t *at = wf_arena_zero(&explorer->arena, (explorer->tracked_count + 1u) * sizeof *at);
    explorer->patches =
        wf_arena_zero(&explorer->arena, PATCHES_MOST * sizeof *explorer->patches);
    if (!values || !at || !explorer->patches)
        return false;
    explorer->patches[0] = wf_absent();
    explorer->patch_count = 1;
    if (explorer->machine->functions.count == 0)
        return true;
    for (uint32_t i = 0; i < explorer->tracked_count; i++) {
        values[i] = values_of(explorer, &explorer->tracked[i]);
        at[i] = 0;
    }
    do {
        if (explorer->patch_count == PATCHES_MOST) {
            explorer->many_choices = true;
            return true;
        }
        if (!add_patch(explorer, values, at))
            return false;
    } while (next_patch(explorer, values, at));
    return true;
}

/* ---- budgets ---- */

uint32_t wf_explorer_budgets_ahead(const wf_explorer *explorer, const wf_list *budgets)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < explorer->machine->budget_count && !explorer->resets_time; i++)
        count += explorer->machine->budgets[i].counts == WF_COUNT_TIME &&
                 !wf_spent_at(budgets, i)->raised;
    return count;
}

/* ---- all of it ---- */

static bool begin_symbolic(wf_explorer *explorer)
{
    if (!explorer->symbolic)
        return true;
    if (explorer->restores)
        wf_symbolic_give_up(explorer->symbolic, "going back to a checkpoint", NULL);
    wf_symbolic_evaluator(explorer->symbolic);
    explorer->step.evaluator = &explorer->symbolic->evaluator;
    if (!wf_symbolic_init(explorer->symbolic, explorer) || !wf_symbolic_sources(explorer))
        return false;
    explorer->symbolic->gap = explorer->symbolic->unproved;
    return wf_hiding_begin(explorer);
}

static bool note_tried(wf_explorer *explorer)
{
    wf_note_tried(explorer);
    return true;
}

static bool prepare(wf_explorer *explorer, double bound)
{
    const wfsm_machine *machine = explorer->machine;
    if (!wf_intern_init(&explorer->intern, explorer->allocator) ||
        !wf_snapshot_init(&explorer->snapshot, explorer->machine, explorer->allocator) ||
        !wf_snapshot_extras(&explorer->snapshot) ||
        !wf_step_init(&explorer->step, &explorer->snapshot, "sim") ||
        !wf_cones_find(&explorer->cones, machine, &explorer->arena))
        return false;
    explorer->state_bytes = (machine->state_count + 7) / 8;
    WF_INVARIANT(explorer->state_bytes * 8u >= machine->state_count);
    explorer->memory_size = wf_monitor_size(machine);
    explorer->memory = wf_arena_zero(&explorer->arena, explorer->memory_size + 1);
    explorer->memory_next = wf_arena_zero(&explorer->arena, explorer->memory_size + 1);
    explorer->verdicts = wf_arena_zero(&explorer->arena, machine->property_count + 1u);
    explorer->triggered = wf_arena_zero(&explorer->arena, machine->property_count + 1u);
    explorer->late = wf_arena_zero(&explorer->arena, machine->property_count + 1u);
    explorer->key = wf_arena_zero(&explorer->arena, WF_KEY_BYTES);
    if (!explorer->memory || !explorer->memory_next || !explorer->verdicts ||
        !explorer->triggered || !explorer->late || !explorer->key || !wf_find_tracked(explorer))
        return false;
    explorer->resets_time = explorer->cones.resets_time;
    explorer->claims = wf_claims_count(machine);
    explorer->limits = machine->has_limits && !explorer->restores &&
                       !(explorer->times.punctual && explorer->resets_time);
    explorer->ends = wf_ends_are_kept(explorer);
    wf_find_bounds(explorer, bound);
    return find_outside(explorer) && find_results(explorer) && find_messages(explorer) &&
           find_used(explorer) && find_decisions(explorer) && find_patches(explorer) &&
           wf_find_untried(explorer) && wf_selection_watch(explorer) &&
           wf_coverage_init(&explorer->coverage, machine, &explorer->arena) &&
           note_tried(explorer) && begin_symbolic(explorer) && !explorer->arena.failed &&
           !explorer->cones.failed;
}

int32_t wf_explorer_init(wf_explorer *explorer, wfsm_machine *machine,
                         const wfsm_verify_options *options, wf_symbolic *symbolic,
                         wfsm_error *error)
{
    memset(explorer, 0, sizeof *explorer);
    explorer->machine = machine;
    explorer->symbolic = symbolic;
    explorer->open = options->open != 0;
    explorer->restores =
        options->restores != 0 && (machine->restore_any || machine->restore_from.count > 0);
    explorer->times.punctual = options->punctual != 0;
    explorer->allocator = &machine->allocator;
    explorer->error = error;
    wf_arena_init(&explorer->arena, explorer->allocator, 0);
    wf_arena_init(&explorer->scratch, explorer->allocator, 0);
    return prepare(explorer, (double)options->bound) ? WFSM_OK : wf_no_memory(error);
}

static void forget(wf_explorer *explorer)
{
    memset(explorer->verdicts, 0, explorer->machine->property_count);
    memset(explorer->triggered, 0, explorer->machine->property_count);
    explorer->representative_count = 0;
    explorer->voted_count = 0;
    explorer->grain = 0;
    explorer->beyond = NULL;
    explorer->many_timers = explorer->many_choices = explorer->undecided.is = false;
}

bool wf_explorer_again(wf_explorer *explorer)
{
    forget(explorer);
    if (!wf_find_tracked(explorer))
        return false;
    wf_intern_fini(&explorer->intern);
    if (!wf_intern_init(&explorer->intern, explorer->allocator))
        return false;
    if (explorer->symbolic)
        wf_symbolic_again(explorer->symbolic);
    return wf_hiding_begin(explorer) && !explorer->arena.failed;
}

/* The entries of the restored state belong to the pools, and not to the snapshot. */
static void free_pools(wf_explorer *explorer)
{
    for (int k = 0; k < WF_KINDS; k++)
        wf_list_free(explorer->allocator, wf_kind_of(k), &explorer->pools[k]);
    wf_extras *extras =
        explorer->snapshot.machine ? wf_snapshot_extras(&explorer->snapshot) : NULL;
    if (extras)
        extras->timers.count = extras->ledger.count = extras->repeats.count = 0;
}

void wf_explorer_fini(wf_explorer *explorer)
{
    if (!explorer->allocator)
        return;
    wf_step_fini(&explorer->step);
    /* The values of the slots belong to the intern table or to the machine. */
    for (uint32_t i = 0; i < explorer->snapshot.slot_count; i++)
        explorer->snapshot.slots[i] = wf_absent();
    free_pools(explorer);
    wf_snapshot_fini(&explorer->snapshot);
    wf_intern_fini(&explorer->intern);
    if (explorer->symbolic)
        wf_symbolic_fini(explorer->symbolic);
    wf_free(explorer->allocator, explorer->representatives);
    wf_free(explorer->allocator, explorer->outside);
    wf_free(explorer->allocator, explorer->voted);
    wf_arena_fini(&explorer->arena);
    wf_arena_fini(&explorer->scratch);
    memset(explorer, 0, sizeof *explorer);
}
