/* The state of an instance in memory: making and freeing. The context is in context.c. */
#include "step/durable.h"

#include <string.h>
#include "base/memory.h"

static const wf_extras nothing = {
    .singles = {.output = {.type = WF_NULL}, .parent = {.type = WF_NULL}}};

static size_t set_bytes(const wfsm_machine *machine, size_t sets)
{
    return sets * machine->words * sizeof(uint64_t);
}

size_t wf_snapshot_room(const wfsm_machine *machine)
{
    return set_bytes(machine, 1) + machine->keys.count * sizeof(wf_value);
}

bool wf_snapshot_place(wf_snapshot *snapshot, wfsm_machine *machine,
                       const wfsm_allocator *allocator, void *room)
{
    *snapshot = (wf_snapshot){.machine = machine, .allocator = allocator, .extras = &nothing};
    snapshot->active = room;
    snapshot->slots = (wf_value *)(void *)((char *)room + set_bytes(machine, 1));
    snapshot->slot_count = machine->keys.count;
    return (machine->history_count == 0 && machine->budget_count == 0) ||
           wf_snapshot_extras(snapshot);
}

bool wf_snapshot_init(wf_snapshot *snapshot, wfsm_machine *machine,
                      const wfsm_allocator *allocator)
{
    void *room = wf_new(allocator, wf_snapshot_room(machine));
    if (!room) {
        memset(snapshot, 0, sizeof *snapshot);
        return false;
    }
    if (wf_snapshot_place(snapshot, machine, allocator, room))
        return true;
    wf_snapshot_fini(snapshot);
    return false;
}

static void free_extras(const wfsm_allocator *allocator, wf_extras *extras)
{
    for (int i = 0; i < WF_KINDS; i++)
        wf_list_free(allocator, wf_kind_of(i), wf_list_of(extras, wf_kind_of(i)));
    wf_value_free(allocator, &extras->singles.output);
    wf_value_free(allocator, &extras->singles.parent);
    wf_free(allocator, extras->histories);
    wf_free(allocator, extras->slots);
    wf_names_fini(&extras->own_keys);
    wf_free(allocator, extras);
}

void wf_snapshot_drop(wf_snapshot *snapshot)
{
    for (uint32_t i = 0; i < snapshot->slot_count; i++)
        wf_snapshot_free_value(snapshot, i, &snapshot->slots[i]);
    if (wf_snapshot_has_extras(snapshot))
        free_extras(snapshot->allocator, wf_own_extras(snapshot));
    snapshot->extras = &nothing;
    snapshot->slot_count = 0;
}

void wf_snapshot_fini(wf_snapshot *snapshot)
{
    if (!snapshot->allocator)
        return;
    wf_snapshot_drop(snapshot);
    wf_free(snapshot->allocator, snapshot->active);
    memset(snapshot, 0, sizeof *snapshot);
}

void wf_snapshot_move(wf_snapshot *to, wf_snapshot *from)
{
    *to = *from;
    memset(from, 0, sizeof *from);
}

bool wf_snapshot_has_extras(const wf_snapshot *snapshot)
{
    return snapshot->extras != &nothing;
}

wf_extras *wf_snapshot_extras(wf_snapshot *snapshot)
{
    const wfsm_allocator *allocator = snapshot->allocator;
    const wfsm_machine *machine = snapshot->machine;
    if (wf_snapshot_has_extras(snapshot))
        return wf_own_extras(snapshot);
    wf_extras *made = wf_new(allocator, sizeof *made);
    if (!made)
        return NULL;
    *made = nothing;
    wf_names_init(&made->own_keys, allocator);
    made->histories = wf_new(allocator, set_bytes(machine, machine->history_count));
    if (!made->histories || !wf_budgets_make(allocator, machine, &made->budgets)) {
        free_extras(allocator, made);
        return NULL;
    }
    snapshot->extras = made;
    return made;
}

void wf_snapshot_trim(wf_snapshot *snapshot)
{
    const wf_extras *extras = snapshot->extras;
    if (!wf_snapshot_has_extras(snapshot) || snapshot->machine->history_count > 0 ||
        extras->slots || extras->limited)
        return;
    for (int i = 0; i < WF_KINDS; i++)
        if (wf_list_of(extras, wf_kind_of(i))->count > 0)
            return;
    if (!wf_entry_same(wf_kind_of(WF_KINDS), &extras->singles, &nothing.singles))
        return;
    free_extras(snapshot->allocator, wf_own_extras(snapshot));
    snapshot->extras = &nothing;
}

bool wf_snapshot_set_parent(wf_snapshot *snapshot, const wf_value *parent)
{
    wf_extras *extras = wf_snapshot_extras(snapshot);
    void *block;
    return extras &&
           wf_value_copy(snapshot->allocator, parent, &extras->singles.parent, &block);
}

static bool is_count(const wf_value *value, double least, double most)
{
    return value && value->type == WF_NUMBER && value->as.number >= least &&
           value->as.number <= most && (double)(int64_t)value->as.number >= value->as.number;
}

bool wf_is_parent(const wf_value *value)
{
    if (value->type != WF_OBJECT || value->length != 5)
        return false;
    const wf_value *invocation = wf_value_get_z(value, "invocation");
    return invocation && invocation->type == WF_STRING && invocation->length > 0 &&
           is_count(wf_value_get_z(value, "attempt"), 1, UINT32_MAX) &&
           is_count(wf_value_get_z(value, "depth"), 1, WF_CHILD_DEPTH) &&
           is_count(wf_value_get_z(value, "descendants"), 0, UINT32_MAX) &&
           is_count(wf_value_get_z(value, "descendants_in_all"), 0, UINT32_MAX);
}

void wf_snapshot_acknowledge(wf_snapshot *snapshot, uint64_t number)
{
    wf_list *outbox = &wf_own_extras(snapshot)->outbox;
    size_t gone = 0;
    if (snapshot->extras->outbox.count == 0)
        return;
    while (gone < outbox->count && wf_effect_at(outbox, gone)->number <= number)
        wf_free(snapshot->allocator, outbox->entries[gone++]);
    outbox->count -= gone;
    if (gone > 0)
        memmove(outbox->entries, outbox->entries + gone, outbox->count * sizeof(void *));
}

size_t wf_snapshot_weight(const wf_snapshot *snapshot)
{
    size_t weight = wf_value_weight(&snapshot->extras->singles.output);
    for (size_t i = 0; i < snapshot->slot_count; i++)
        weight += sizeof(wf_member) + wf_value_weight(&snapshot->slots[i]);
    for (int k = 0; k < WF_KINDS; k++) {
        const wf_list *list = wf_list_of(snapshot->extras, wf_kind_of(k));
        for (size_t i = 0; i < list->count; i++)
            weight += wf_entry_weight(wf_kind_of(k), list->entries[i]);
    }
    return weight;
}
