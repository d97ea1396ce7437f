/* Before the exploration: what counts of the context, what may come from outside. */
#include "verify/verify_reads.h"
#include "verify/verify_remarks.h"

#include <math.h>
#include "base/error.h"
#include "base/memory.h"

enum { PATCHES_MOST = 256 };

/* ---- the context ---- */

static void note_number(wf_kit *kit, const wf_value *value)
{
    if (value->type == WF_NUMBER && fabs(value->as.number) > kit->number_most)
        kit->number_most = fabs(value->as.number);
    if (value->type == WF_ARRAY && (double)value->length > kit->length_most)
        kit->length_most = (double)value->length;
}

/* What the document names by itself is not beyond any bound. */
static void find_bounds(wf_kit *kit, double bound)
{
    for (uint32_t i = 0; i < kit->tracked_count; i++) {
        const wf_tracked *self = &kit->tracked[i];
        note_number(kit, &kit->machine->initial[self->slot]);
        for (uint32_t k = 0; k < self->wanted->constant_count; k++)
            note_number(kit, &self->wanted->constants[k]);
    }
    kit->number_most += bound;
    kit->length_most += bound;
}

static bool find_tracked(wf_kit *kit)
{
    uint32_t count = kit->machine->keys.count;
    kit->tracked = wf_arena_zero(&kit->arena, (count + 1u) * sizeof *kit->tracked);
    if (!kit->tracked)
        return false;
    for (uint32_t slot = 0; slot < count; slot++) {
        kit->snapshot.slots[slot] = kit->machine->initial[slot];
        if (kit->demands.slots[slot])
            kit->tracked[kit->tracked_count++] =
                (wf_tracked){.slot = slot, .wanted = kit->demands.slots[slot]};
    }
    return true;
}

/* ---- events from outside ---- */

static bool begins(const wf_name *name, const char *prefix)
{
    size_t length = strlen(prefix);
    return name->length >= length && memcmp(name->text, prefix, length) == 0;
}

/* What the algorithm itself raises does not come from outside; but for votes that are
 * refused, which anybody may cast. */
static bool is_own(const wf_name *name)
{
    return begins(name, "done.state.") || begins(name, "done.invoke.") ||
           (begins(name, "error.") && strcmp(name->text, WF_APPROVAL_REFUSED) != 0) ||
           begins(name, "after.");
}

static bool names_event(const wfsm_machine *machine, const wf_state *state, uint32_t number,
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

static void note_cut(wf_kit *kit, const wf_data *data, const wf_name *event)
{
    if (data->cut && !kit->cut_data)
        kit->cut_data = event->text;
}

static bool add_outside(wf_kit *kit, uint32_t number, const wf_name *name)
{
    const wfsm_machine *machine = kit->machine;
    wf_outside self = {.name = wf_string(name->text, name->length), .number = number};
    bool handled = false;
    self.handlers = wf_arena_zero(&kit->arena, machine->words * sizeof(uint64_t));
    if (!self.handlers)
        return false;
    for (uint32_t s = 0; s < machine->state_count; s++)
        if (names_event(machine, &machine->states[s], number, name)) {
            wf_set_add(self.handlers, s);
            handled = true;
        }
    if (!handled)
        return true;
    wf_outside *list = wf_grow(kit->allocator, kit->outside, &kit->outside_capacity,
                               kit->outside_count + 1, sizeof *list);
    if (!list)
        return false;
    kit->outside = list;
    wf_data_find(&self.data, &kit->arena, NULL,
                 wf_demands_of_event(&kit->demands, name->text, name->length),
                 kit->demands.links);
    note_cut(kit, &self.data, name);
    list[kit->outside_count++] = self;
    return true;
}

/* One more event for each prefix, which no exact name gives. */
static bool add_for_prefix(wf_kit *kit, const wf_name *prefix)
{
    size_t length = prefix->length + 7;
    char *text = wf_arena_take(&kit->arena, length);
    if (!text)
        return false;
    if (prefix->length > 0) {
        memcpy(text, prefix->text, prefix->length);
        text[prefix->length] = '.';
    }
    size_t at = prefix->length > 0 ? prefix->length + 1 : 0;
    memcpy(text + at, "other", 6);
    wf_name name = {text, (uint32_t)(at + 5), 0};
    if (wf_names_find(&kit->machine->events, text, name.length) != WF_NONE)
        return add_for_prefix(kit, &name);
    for (size_t i = 0; i < kit->outside_count; i++)
        if (kit->outside[i].name.length == name.length &&
            memcmp(kit->outside[i].name.as.text, text, name.length) == 0)
            return true;
    return is_own(&name) || add_outside(kit, WF_NONE, &name);
}

static bool find_outside(wf_kit *kit)
{
    const wfsm_machine *machine = kit->machine;
    bool fine = true;
    for (uint32_t i = 0; i < machine->events.count && fine; i++) {
        const wf_name *name = &machine->events.list[i];
        bool raised = wf_demands_raise(&kit->demands, name->text, name->length);
        kit->inner_events |= raised && !kit->open;
        if (!is_own(name) && (kit->open || !raised))
            fine = add_outside(kit, i, name);
    }
    for (uint32_t s = 0; s < machine->state_count && fine; s++) {
        wf_span generic = machine->states[s].generic;
        for (uint32_t i = generic.first; i < generic.first + generic.count && fine; i++)
            if (machine->candidates[i].descriptor != WF_NONE)
                fine =
                    add_for_prefix(kit, &machine->prefixes[machine->candidates[i].descriptor]);
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

/* Under "settled" a result stands in the list as the `output` of its place. */
static void add_of_place(wf_kit *kit, const wf_invoke *self, wf_demand *to,
                         const wf_demand *place)
{
    wf_value complete = wf_absent();
    bool known = !self->complete || wf_expr_constant(self->complete, &complete);
    if (!known || complete.type != WF_STRING)
        wf_demand_add(&kit->demands, to, place);
    if (!known || complete.type == WF_STRING)
        wf_demand_add(&kit->demands, to, wf_demand_member(place, "output", 6));
    if (place->whole)
        wf_demand_whole(&kit->demands, to);
}

/* What is wanted of all results is wanted of an item by being one of them. */
static const wf_demand *wanted_of_one(wf_kit *kit, uint32_t number, const wf_demand *all)
{
    const wf_invoke *self = &kit->machine->invokes[number];
    if (!self->items)
        return all;
    kit->alike[number] = !all || (!all->order && !all->whole);
    wf_demand *one = all ? wf_demand_new(&kit->demands, 0) : NULL;
    if (!one)
        return NULL;
    if (all->whole)
        wf_demand_whole(&kit->demands, one);
    if (all->items)
        add_of_place(kit, self, one, all->items);
    if (wf_demand_looks(one) || one->fits)
        kit->of_items[number] = one;
    return kit->of_items[number];
}

/* A person says yes or no; for what reason nobody asks. */
static bool find_decisions(wf_kit *kit)
{
    static const char *const keys[] = {"approved", "reason", "digest", "votes"};
    kit->decisions = (wf_data){.arena = &kit->arena, .count = 2, .capacity = 2};
    kit->decisions.list = wf_arena_take(&kit->arena, 2 * sizeof(wf_value));
    for (uint32_t i = 0; i < 2 && kit->decisions.list; i++) {
        wf_value parts[] = {wf_boolean(i == 0), wf_null(), wf_string_z(""), wf_array(NULL, 0)};
        wf_member *members = wf_arena_take(&kit->arena, 4 * sizeof *members);
        for (uint32_t k = 0; k < 4 && members; k++)
            wf_member_set(&members[k], keys[k], strlen(keys[k]), parts[k]);
        if (members)
            kit->decisions.list[i] = wf_object(members, 4);
    }
    return !kit->arena.failed;
}

static bool find_results(wf_kit *kit)
{
    const wfsm_machine *machine = kit->machine;
    kit->of_items =
        wf_arena_zero(&kit->arena, (machine->invoke_count + 1u) * sizeof *kit->of_items);
    kit->alike = wf_arena_zero(&kit->arena, machine->invoke_count + 1u);
    if (!kit->of_items || !kit->alike)
        return false;
    kit->results = wf_arena_zero(&kit->arena, (machine->invoke_count + 1u) * sizeof(wf_data));
    kit->attempts_most =
        wf_arena_zero(&kit->arena, (machine->invoke_count + 1u) * sizeof(uint32_t));
    if (!kit->results || !kit->attempts_most)
        return false;
    for (uint32_t i = 0; i < machine->invoke_count; i++) {
        const wf_invoke *self = &machine->invokes[i];
        const wf_name *done = &machine->events.list[self->done_event];
        const wf_demand *wanted = wf_demands_of_event(&kit->demands, done->text, done->length);
        wf_data_find(&kit->results[i], &kit->arena, self->output, wanted_of_one(kit, i, wanted),
                     kit->demands.links);
        note_cut(kit, &kit->results[i], done);
        if (kit->results[i].count == 0)
            kit->no_data = self->id.text;
        kit->attempts_most[i] = attempts_of(machine, self);
    }
    return true;
}

/* ---- host functions ---- */

static wf_data values_of(wf_kit *kit, const wf_tracked *tracked)
{
    wf_data data;
    bool forbidden = false;
    const wf_name *key = &kit->machine->keys.list[tracked->slot];
    const wf_schema *schema =
        !kit->machine->context_schema
            ? NULL
            : wf_schema_key(kit->machine->context_schema, key->text, key->length, &forbidden);
    wf_data_find(&data, &kit->arena, schema, tracked->wanted, NULL);
    if (forbidden)
        data.count = 0;
    return data;
}

static bool add_patch(wf_kit *kit, const wf_data *values, const uint32_t *at)
{
    const wf_names *keys = &kit->machine->keys;
    wf_member *members =
        wf_arena_take(&kit->arena, (kit->tracked_count + 1u) * sizeof *members);
    uint32_t count = 0;
    if (!members)
        return false;
    for (uint32_t i = 0; i < kit->tracked_count; i++)
        if (at[i] < values[i].count) {
            const wf_name *key = &keys->list[kit->tracked[i].slot];
            wf_member_set(&members[count++], key->text, key->length, values[i].list[at[i]]);
        }
    if (count > 0)
        kit->patches[kit->patch_count++] = wf_object(members, count);
    return true;
}

static bool next_patch(const wf_kit *kit, const wf_data *values, uint32_t *at)
{
    for (uint32_t i = 0; i < kit->tracked_count; i++) {
        if (++at[i] <= values[i].count)
            return true;
        at[i] = 0;
    }
    return false;
}

/* Whatever schemas.context lets a host function change of what counts. */
static bool find_patches(wf_kit *kit)
{
    wf_data *values = wf_arena_zero(&kit->arena, (kit->tracked_count + 1u) * sizeof *values);
    uint32_t *at = wf_arena_zero(&kit->arena, (kit->tracked_count + 1u) * sizeof *at);
    kit->patches = wf_arena_zero(&kit->arena, PATCHES_MOST * sizeof *kit->patches);
    if (!values || !at || !kit->patches)
        return false;
    kit->patches[0] = wf_absent();
    kit->patch_count = 1;
    if (kit->machine->functions.count == 0)
        return true;
    for (uint32_t i = 0; i < kit->tracked_count; i++) {
        values[i] = values_of(kit, &kit->tracked[i]);
        at[i] = 0;
    }
    do {
        if (kit->patch_count == PATCHES_MOST) {
            kit->many_choices = true;
            return true;
        }
        if (!add_patch(kit, values, at))
            return false;
    } while (next_patch(kit, values, at));
    return true;
}

/* ---- budgets ---- */

uint32_t wf_kit_ahead(const wf_kit *kit, const wf_spent *budgets)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < kit->machine->budget_count && !kit->resets_time; i++)
        count += kit->machine->budgets[i].counts == WF_COUNT_TIME && !budgets[i].raised;
    return count;
}

bool wf_kit_claims(const wf_snapshot *snapshot)
{
    const wfsm_machine *machine = snapshot->machine;
    for (uint32_t i = 0; i < machine->budget_count; i++)
        if (machine->budgets[i].counts == WF_COUNT_CLAIMS &&
            snapshot->more->budgets[i].used >= snapshot->more->budgets[i].limit)
            return false;
    return true;
}

/* ---- all of it ---- */

static bool prepare(wf_kit *kit, double bound)
{
    const wfsm_machine *machine = kit->machine;
    if (!wf_pool_init(&kit->pool, kit->allocator) ||
        !wf_snapshot_init(&kit->snapshot, kit->machine, kit->allocator) ||
        !wf_snapshot_more(&kit->snapshot) || !wf_step_init(&kit->step, &kit->snapshot, "sim") ||
        !wf_demands_find(&kit->demands, machine, &kit->arena))
        return false;
    kit->state_bytes = (machine->state_count + 7) / 8;
    kit->memory_size = wf_monitor_size(machine);
    kit->memory = wf_arena_zero(&kit->arena, kit->memory_size + 1);
    kit->memory_next = wf_arena_zero(&kit->arena, kit->memory_size + 1);
    kit->verdicts = wf_arena_zero(&kit->arena, machine->property_count + 1u);
    kit->key = wf_arena_zero(&kit->arena, WF_KEY_BYTES);
    if (!kit->memory || !kit->memory_next || !kit->verdicts || !kit->key || !find_tracked(kit))
        return false;
    kit->resets_time = kit->demands.resets_time;
    find_bounds(kit, bound);
    return find_outside(kit) && find_results(kit) && find_decisions(kit) && find_patches(kit) &&
           wf_remarks_init(kit) && !kit->arena.failed && !kit->demands.failed;
}

int32_t wf_kit_init(wf_kit *kit, wfsm_machine *machine, const wfsm_verify_options *options,
                    wfsm_error *error)
{
    memset(kit, 0, sizeof *kit);
    kit->machine = machine;
    kit->open = options->open != 0;
    kit->restores =
        options->restores != 0 && (machine->restore_any || machine->restore_from.count > 0);
    kit->times.punctual = options->punctual != 0;
    kit->allocator = &machine->allocator;
    kit->error = error;
    wf_arena_init(&kit->arena, kit->allocator, 0);
    wf_arena_init(&kit->scratch, kit->allocator, 0);
    return prepare(kit, (double)options->bound) ? WFSM_OK : wf_no_memory(error);
}

/* What the slots hold belongs to the pool, or to the machine. */
void wf_kit_fini(wf_kit *kit)
{
    if (!kit->allocator)
        return;
    wf_step_fini(&kit->step);
    for (uint32_t i = 0; i < kit->snapshot.slot_count; i++)
        kit->snapshot.slots[i] = wf_absent();
    wf_snapshot_fini(&kit->snapshot);
    wf_pool_fini(&kit->pool);
    wf_free(kit->allocator, kit->stand_ins);
    wf_free(kit->allocator, kit->outside);
    wf_arena_fini(&kit->arena);
    wf_arena_fini(&kit->scratch);
    memset(kit, 0, sizeof *kit);
}
