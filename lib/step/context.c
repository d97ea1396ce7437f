/* The context of an instance: its slots, the keys that are the instance's own, and the log with
 * which a step takes its changes back. */
#include "step/step.h"

#include <string.h>
#include "base/error.h"
#include "base/invariant.h"

static bool says_the_same(const wf_value *a, const wf_value *b)
{
    return a->type == WF_STRING && b->type == WF_STRING && a->length == b->length &&
           memcmp(a->as.text, b->as.text, a->length) == 0;
}

bool wf_snapshot_copy_value(const wf_snapshot *snapshot, uint32_t slot, const wf_value *value,
                            wf_value *copy)
{
    const wfsm_machine *machine = snapshot->machine;
    void *block;
    *copy = *value;
    if (value->type < WF_STRING || wf_slot_is_initial(snapshot, slot, value))
        return true;
    if (slot < machine->keys.count && says_the_same(value, &machine->initial[slot])) {
        *copy = machine->initial[slot];
        return true;
    }
    return wf_value_copy(snapshot->allocator, value, copy, &block);
}

/* Instances share the names of the machine, so an instance with a key of its own needs its own
 * table. */
static bool own_keys(wf_snapshot *snapshot, wf_extras *extras)
{
    const wf_names *shared = &snapshot->machine->keys;
    if (extras->own_keys.count > 0)
        return true;
    for (uint32_t i = 0; i < shared->count; i++) {
        const wf_name *name = &shared->list[i];
        if (wf_names_add(&extras->own_keys, name->text, name->length) == WF_NONE) {
            wf_names_cut(&extras->own_keys, 0);
            return false;
        }
    }
    return true;
}

static bool more_slots(wf_snapshot *snapshot, wf_extras *extras)
{
    bool first = !extras->slots;
    wf_value *slots = wf_grow(snapshot->allocator, extras->slots, &extras->slot_capacity,
                              (size_t)snapshot->slot_count + 1, sizeof *slots);
    if (!slots)
        return false;
    if (first && snapshot->slot_count > 0)
        memcpy(slots, snapshot->slots, snapshot->slot_count * sizeof *slots);
    extras->slots = snapshot->slots = slots;
    return true;
}

uint32_t wf_snapshot_slot(wf_snapshot *snapshot, const char *key, size_t length)
{
    uint32_t slot = wf_names_find(wf_snapshot_keys(snapshot), key, length);
    if (slot != WF_NONE)
        return slot;
    wf_extras *extras = wf_snapshot_extras(snapshot);
    if (!extras || !more_slots(snapshot, extras) || !own_keys(snapshot, extras))
        return WF_NONE;
    slot = wf_names_add(&extras->own_keys, key, length);
    if (slot != WF_NONE) {
        snapshot->slots[slot] = wf_absent();
        snapshot->slot_count = slot + 1;
    }
    return slot;
}

void wf_snapshot_cut(wf_snapshot *snapshot, size_t count)
{
    WF_INVARIANT(count >= snapshot->machine->keys.count && count <= snapshot->slot_count);
    if (snapshot->slot_count == count)
        return;
    wf_names_cut(&wf_own_extras(snapshot)->own_keys, (uint32_t)count);
    snapshot->slot_count = (uint32_t)count;
}

static bool stays(const void *user, uint32_t slot)
{
    const wf_snapshot *snapshot = user;
    return slot < snapshot->machine->keys.count || snapshot->slots[slot].type != WF_ABSENT;
}

void wf_snapshot_settle(wf_snapshot *snapshot)
{
    uint32_t kept = snapshot->machine->keys.count;
    if (snapshot->slot_count == kept)
        return;
    wf_names_filter(&wf_own_extras(snapshot)->own_keys, stays, snapshot);
    for (uint32_t i = kept; i < snapshot->slot_count; i++)
        if (snapshot->slots[i].type != WF_ABSENT)
            snapshot->slots[kept++] = snapshot->slots[i];
    snapshot->slot_count = kept;
    WF_INVARIANT(kept == snapshot->extras->own_keys.count);
}

wf_value wf_snapshot_get(const wf_snapshot *snapshot, uint32_t slot)
{
    return slot < snapshot->slot_count ? snapshot->slots[slot] : wf_absent();
}

wf_value wf_snapshot_context(const wf_snapshot *snapshot, wf_arena *arena)
{
    size_t count = 0;
    wf_member *members = wf_arena_take(arena, snapshot->slot_count * sizeof *members + 1);
    if (!members)
        return wf_absent();
    for (size_t i = 0; i < snapshot->slot_count; i++) {
        const wf_name *name = &wf_snapshot_keys(snapshot)->list[i];
        if (snapshot->slots[i].type != WF_ABSENT)
            wf_member_set(&members[count++], name->text, name->length, snapshot->slots[i]);
    }
    return wf_object(members, count);
}

/* ---- in a draft ---- */

/* The place of a slot in the undo log, or its end. An old mark is recognized because the log has
 * another slot there, or ends before it. */
static size_t undo_of(const wf_step *step, uint32_t slot)
{
    if (slot >= step->mark_capacity)
        return step->before.undo_count;
    size_t place = step->marks[slot];
    bool valid = place < step->before.undo_count && step->before.undo[place].slot == slot;
    return valid ? place : step->before.undo_count;
}

static bool more_marks(wf_step *step, uint32_t slot)
{
    size_t before = step->mark_capacity;
    uint32_t *marks = wf_grow(step->allocator, step->marks, &step->mark_capacity,
                              (size_t)slot + 1, sizeof *marks);
    if (!marks)
        return false;
    if (step->mark_capacity > before)
        memset(marks + before, 0, (step->mark_capacity - before) * sizeof *marks);
    step->marks = marks;
    return true;
}

static int32_t log_undo(wf_step *step, uint32_t slot)
{
    if (!more_marks(step, slot))
        return wf_no_memory(step->error);
    wf_undo *undo = wf_grow(step->allocator, step->before.undo, &step->before.undo_capacity,
                            step->before.undo_count + 1, sizeof *undo);
    if (!undo)
        return wf_no_memory(step->error);
    step->before.undo = undo;
    undo[step->before.undo_count] = (wf_undo){.slot = slot, .old = step->snapshot->slots[slot]};
    step->marks[slot] = (uint32_t)step->before.undo_count++;
    return WFSM_OK;
}

int32_t wf_draft_assign(wf_step *step, uint32_t slot, const wf_value *value)
{
    wf_value *now = &step->snapshot->slots[slot];
    WF_INVARIANT(slot < step->snapshot->slot_count);
    if (value->type != WF_ABSENT && wf_step_keeps(step, value) != WFSM_OK)
        return WFSM_SEMANTIC;
    size_t place = undo_of(step, slot);
    int32_t status = place < step->before.undo_count ? WFSM_OK : log_undo(step, slot);
    if (status != WFSM_OK)
        return status;
    /* Nothing is assigned after wf_step_prepare(). */
    WF_INVARIANT(!step->before.undo[place].owned);
    step->grown |= value->type >= WF_STRING || now->type == WF_ABSENT;
    *now = *value;
    step->assigned++;
    return WFSM_OK;
}

int32_t wf_step_prepare(wf_step *step)
{
    wf_snapshot *snapshot = step->snapshot;
    for (size_t i = 0; i < step->before.undo_count; i++) {
        wf_undo *undo = &step->before.undo[i];
        wf_value *value = &snapshot->slots[undo->slot], copy;
        if (undo->owned)
            continue;
        if (!wf_snapshot_copy_value(snapshot, undo->slot, value, &copy))
            return wf_no_memory(step->error);
        *value = copy;
        undo->owned = true;
    }
    return WFSM_OK;
}

void wf_context_swap(wf_snapshot *snapshot, wf_before *before)
{
    uint32_t count = snapshot->slot_count;
    for (size_t i = 0; i < before->undo_count; i++) {
        wf_undo *undo = &before->undo[i];
        wf_value other = undo->old;
        undo->old = snapshot->slots[undo->slot];
        snapshot->slots[undo->slot] = other;
    }
    snapshot->slot_count = before->slot_count;
    before->slot_count = count;
}

void wf_context_discard(wf_snapshot *snapshot, wf_before *before)
{
    uint32_t count = snapshot->slot_count;
    for (size_t i = 0; i < before->undo_count; i++)
        if (before->undo[i].owned)
            wf_snapshot_free_value(snapshot, before->undo[i].slot, &before->undo[i].old);
    before->undo_count = 0;
    snapshot->slot_count = before->slot_count;
    wf_snapshot_cut(snapshot, count);
}

bool wf_context_is_settled(const wf_step *step)
{
    const wf_snapshot *snapshot = step->snapshot;
    bool settled = true;
    for (size_t i = 0; i < step->before.undo_count && settled; i++)
        settled = snapshot->slots[step->before.undo[i].slot].type != WF_ABSENT;
    for (size_t i = step->before.slot_count; i < snapshot->slot_count && settled; i++)
        settled = snapshot->slots[i].type != WF_ABSENT;
    return settled;
}

void wf_context_keep(const wf_snapshot *snapshot, wf_before *before)
{
    for (size_t i = 0; i < before->undo_count; i++) {
        const wf_undo *undo = &before->undo[i];
        WF_INVARIANT(undo->owned);
        wf_snapshot_free_value(snapshot, undo->slot, &undo->old);
    }
    before->undo_count = 0;
}
