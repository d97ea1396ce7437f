#include "step/snapshot.h"

#include <string.h>
#include "base/memory.h"

static size_t set_bytes(const wfsm_machine *machine, size_t sets)
{
    return sets * machine->words * sizeof(uint64_t);
}

bool wf_snapshot_init(wf_snapshot *snapshot, wfsm_machine *machine,
                      const wfsm_allocator *allocator)
{
    memset(snapshot, 0, sizeof *snapshot);
    snapshot->machine = machine;
    snapshot->allocator = allocator;
    snapshot->keys = &machine->keys;
    snapshot->output = wf_null();
    wf_names_init(&snapshot->own_keys, allocator);
    snapshot->active = wf_new(allocator, set_bytes(machine, 1));
    snapshot->histories = wf_new(allocator, set_bytes(machine, machine->history_count));
    snapshot->slot_count = machine->keys.count;
    snapshot->slot_capacity = snapshot->block_capacity = snapshot->slot_count;
    snapshot->slots = wf_new(allocator, snapshot->slot_count * sizeof(wf_value));
    snapshot->blocks = wf_new(allocator, snapshot->slot_count * sizeof(void *));
    if (snapshot->active != NULL && snapshot->histories != NULL && snapshot->slots != NULL &&
        snapshot->blocks != NULL)
        return true;
    wf_snapshot_fini(snapshot);
    return false;
}

void wf_snapshot_fini(wf_snapshot *snapshot)
{
    const wfsm_allocator *allocator = snapshot->allocator;
    if (allocator == NULL)
        return;
    for (size_t i = 0; snapshot->blocks != NULL && i < snapshot->slot_count; i++)
        wf_free(allocator, snapshot->blocks[i]);
    for (size_t i = 0; i < snapshot->timers.count; i++)
        wf_free(allocator, snapshot->timers.list[i].block);
    for (size_t i = 0; i < snapshot->ledger.count; i++) {
        wf_free(allocator, snapshot->ledger.list[i].input_block);
        wf_free(allocator, snapshot->ledger.list[i].owner_block);
    }
    for (size_t i = 0; i < snapshot->outbox.count; i++)
        wf_free(allocator, snapshot->outbox.list[i].block);
    wf_free(allocator, snapshot->timers.list);
    wf_free(allocator, snapshot->ledger.list);
    wf_free(allocator, snapshot->outbox.list);
    wf_free(allocator, snapshot->slots);
    wf_free(allocator, snapshot->blocks);
    wf_free(allocator, snapshot->active);
    wf_free(allocator, snapshot->histories);
    wf_free(allocator, snapshot->output_block);
    wf_names_fini(&snapshot->own_keys);
    memset(snapshot, 0, sizeof *snapshot);
}

void wf_snapshot_move(wf_snapshot *to, wf_snapshot *from)
{
    bool own = from->keys == &from->own_keys;
    *to = *from;
    if (own)
        to->keys = &to->own_keys;
    memset(from, 0, sizeof *from);
}

/* The machine's names are shared between instances, so a key that only this instance has
 * needs a table of its own. */
static bool own_keys(wf_snapshot *snapshot)
{
    const wf_names *shared = &snapshot->machine->keys;
    if (snapshot->keys == &snapshot->own_keys)
        return true;
    for (uint32_t i = snapshot->own_keys.count; i < shared->count; i++) {
        const wf_name *name = &shared->list[i];
        if (wf_names_add(&snapshot->own_keys, name->text, name->length) == WF_NONE)
            return false;
    }
    snapshot->keys = &snapshot->own_keys;
    return true;
}

static bool more_slots(wf_snapshot *snapshot)
{
    size_t need = snapshot->slot_count + 1;
    wf_value *slots = wf_grow(snapshot->allocator, snapshot->slots,
                              &snapshot->slot_capacity, need, sizeof *slots);
    if (slots == NULL)
        return false;
    snapshot->slots = slots;
    void **blocks = wf_grow(snapshot->allocator, snapshot->blocks, &snapshot->block_capacity,
                            need, sizeof *blocks);
    if (blocks == NULL)
        return false;
    snapshot->blocks = blocks;
    return true;
}

uint32_t wf_snapshot_slot(wf_snapshot *snapshot, const char *key, size_t length)
{
    uint32_t slot = wf_names_find(snapshot->keys, key, length);
    if (slot != WF_NONE)
        return slot;
    if (!more_slots(snapshot) || !own_keys(snapshot))
        return WF_NONE;
    slot = wf_names_add(&snapshot->own_keys, key, length);
    if (slot != WF_NONE) {
        snapshot->slots[slot] = wf_absent();
        snapshot->blocks[slot] = NULL;
        snapshot->slot_count = slot + 1;
    }
    return slot;
}

void wf_snapshot_cut(wf_snapshot *snapshot, size_t count)
{
    if (snapshot->slot_count == count)
        return;
    wf_names_cut(&snapshot->own_keys, (uint32_t)count);
    snapshot->slot_count = count;
}

static void remove_slot(wf_snapshot *snapshot, size_t slot)
{
    size_t behind = --snapshot->slot_count - slot;
    memmove(&snapshot->slots[slot], &snapshot->slots[slot + 1],
            behind * sizeof *snapshot->slots);
    memmove(&snapshot->blocks[slot], &snapshot->blocks[slot + 1],
            behind * sizeof *snapshot->blocks);
    wf_names_remove(&snapshot->own_keys, (uint32_t)slot);
}

void wf_snapshot_settle(wf_snapshot *snapshot)
{
    for (size_t i = snapshot->slot_count; i-- > snapshot->machine->keys.count;)
        if (snapshot->slots[i].type == WF_ABSENT)
            remove_slot(snapshot, i);
}

wf_value wf_snapshot_get(const wf_snapshot *snapshot, uint32_t slot)
{
    return slot < snapshot->slot_count ? snapshot->slots[slot] : wf_absent();
}

wf_value wf_snapshot_context(const wf_snapshot *snapshot, wf_arena *arena)
{
    size_t count = 0;
    wf_member *members = wf_arena_take(arena, snapshot->slot_count * sizeof *members + 1);
    if (members == NULL)
        return wf_absent();
    for (size_t i = 0; i < snapshot->slot_count; i++) {
        const wf_name *name = &snapshot->keys->list[i];
        if (snapshot->slots[i].type != WF_ABSENT)
            wf_member_set(&members[count++], name->text, name->length, snapshot->slots[i]);
    }
    return wf_object(members, count);
}

void wf_snapshot_acknowledge(wf_snapshot *snapshot, uint64_t number)
{
    wf_outbox *outbox = &snapshot->outbox;
    size_t gone = 0;
    while (gone < outbox->count && outbox->list[gone].number <= number)
        wf_free(snapshot->allocator, outbox->list[gone++].block);
    outbox->count -= gone;
    if (gone > 0)
        memmove(outbox->list, outbox->list + gone, outbox->count * sizeof *outbox->list);
}

size_t wf_snapshot_weight(const wf_snapshot *snapshot)
{
    size_t weight = wf_value_weight(&snapshot->output);
    for (size_t i = 0; i < snapshot->slot_count; i++)
        weight += sizeof(wf_member) + wf_value_weight(&snapshot->slots[i]);
    for (size_t i = 0; i < snapshot->timers.count; i++)
        weight += sizeof(wf_timer) + wf_value_weight(&snapshot->timers.list[i].raised);
    for (size_t i = 0; i < snapshot->ledger.count; i++)
        weight += sizeof(wf_invocation) + wf_value_weight(&snapshot->ledger.list[i].input);
    for (size_t i = 0; i < snapshot->outbox.count; i++)
        weight += sizeof(wf_effect) + wf_value_weight(&snapshot->outbox.list[i].value);
    return weight;
}

static bool is_history(const wf_state *state)
{
    return state->type == WF_SHALLOW || state->type == WF_DEEP;
}

bool wf_children_fit(const wfsm_machine *machine, const uint64_t *set, uint32_t top)
{
    const wf_state *state = &machine->states[top];
    uint32_t on = 0, off = 0;
    for (uint32_t c = top + 1; c < state->end; c = machine->states[c].end)
        if (!is_history(&machine->states[c]))
            *(wf_set_has(set, c) ? &on : &off) += 1;
    return state->type == WF_COMPOUND ? on == 1 : state->type != WF_PARALLEL || off == 0;
}

bool wf_is_legal(const wfsm_machine *machine, const uint64_t *active, uint32_t top)
{
    if (!wf_set_has(active, top))
        return false;
    for (uint32_t s = top; s < machine->states[top].end;
         s = wf_set_next(active, machine->words, s + 1))
        if (is_history(&machine->states[s]) || !wf_children_fit(machine, active, s))
            return false;
    return true;
}

bool wf_snapshot_complete(const wf_snapshot *snapshot, uint32_t state)
{
    const wfsm_machine *machine = snapshot->machine;
    const wf_state *self = &machine->states[state];
    if (!wf_set_has(snapshot->active, state))
        return false;
    if (self->type == WF_FINAL)
        return true;
    if (self->type != WF_COMPOUND && self->type != WF_PARALLEL)
        return false;
    for (uint32_t child = state + 1; child < self->end; child = machine->states[child].end) {
        const wf_state *region = &machine->states[child];
        if (is_history(region))
            continue;
        bool done = self->type == WF_PARALLEL
                        ? wf_snapshot_complete(snapshot, child)
                        : region->type == WF_FINAL && wf_set_has(snapshot->active, child);
        if (done != (self->type == WF_PARALLEL))
            return done;
    }
    return self->type == WF_PARALLEL;
}

static bool bears(const wfsm_machine *machine, uint32_t state, uint32_t tag)
{
    wf_span tags = machine->states[state].tags;
    for (uint32_t i = tags.first; i < tags.first + tags.count; i++)
        if (machine->lists[i] == tag)
            return true;
    return false;
}

bool wf_snapshot_has_tag(const wf_snapshot *snapshot, uint32_t tag)
{
    const wfsm_machine *machine = snapshot->machine;
    for (uint32_t s = wf_set_next(snapshot->active, machine->words, 0); s != WF_NONE;
         s = wf_set_next(snapshot->active, machine->words, s + 1))
        if (bears(machine, s, tag))
            return true;
    return false;
}

int64_t wf_snapshot_deadline(const wf_snapshot *snapshot, bool retries)
{
    int64_t deadline = WFSM_NEVER;
    for (size_t i = 0; i < snapshot->timers.count; i++)
        if (snapshot->timers.list[i].due < deadline)
            deadline = snapshot->timers.list[i].due;
    for (size_t i = 0; i < snapshot->ledger.count; i++) {
        const wf_invocation *invocation = &snapshot->ledger.list[i];
        bool counts = invocation->status == WF_RUNNING || retries;
        if (counts && invocation->due < deadline)
            deadline = invocation->due;
    }
    return deadline;
}
