/* verify/state_key.c: a state as bytes, and back. Values of the context are numbers of interned,
 * canonical values. */
#include "verify/explorer.h"
#include "verify/hiding.h"

#include <math.h>
#include "base/error.h"
#include "base/memory.h"
#include "base/invariant.h"

/* ---- writing ---- */

typedef struct writer {
    wf_explorer *explorer;
    uint8_t *at, *end;
} writer;

static void put_number(writer *out, uint64_t number)
{
    if (out->end - out->at >= 10)
        out->at += wf_number_write(out->at, number);
    else
        out->at = out->end;
}

static void put_set(writer *out, const uint64_t *set)
{
    uint32_t bytes = out->explorer->state_bytes;
    if ((size_t)(out->end - out->at) <= bytes) {
        out->at = out->end;
        return;
    }
    for (uint32_t i = 0; i < bytes; i++)
        *out->at++ = (uint8_t)(set[i / 8] >> (i % 8 * 8));
}

static bool is_unchanged(const wf_value *a, const wf_value *b)
{
    return a->type == b->type && a->length == b->length &&
           (a->type <= WF_NULL || (a->type == WF_BOOLEAN && a->as.boolean == b->as.boolean) ||
            (a->type == WF_NUMBER && a->as.number == b->as.number) ||
            (a->type > WF_NUMBER && a->as.text == b->as.text));
}

static uint32_t number_of(wf_explorer *explorer, const wf_tracked *tracked,
                          const wf_snapshot *snapshot)
{
    const wf_value given = wf_hiding_facts(explorer, tracked->slot,
                                           &snapshot->slots[tracked->slot]),
                   *value = &given;
    bool renames = explorer->symbolic && wf_symbolic_within(value);
    if (!renames && is_unchanged(value, &tracked->value))
        return tracked->number;
    wf_value kept = value->type == WF_ABSENT
                        ? *value
                        : wf_canonical(explorer, tracked->slot, value, tracked->wanted);
    if (renames && kept.type != WF_ABSENT)
        kept = wf_renamed_key(&explorer->renaming, &kept, tracked->wanted,
                              wf_hiding_schema(explorer, tracked->slot));
    if (kept.type == WF_ABSENT && value->type != WF_ABSENT)
        return WF_NONE;
    return wf_intern_add(&explorer->intern, &kept);
}

static int32_t put_slots(writer *out, const wf_snapshot *snapshot)
{
    for (uint32_t i = 0; i < out->explorer->tracked_count; i++) {
        uint32_t number = number_of(out->explorer, &out->explorer->tracked[i], snapshot);
        if (number == WF_NONE)
            return wf_no_memory(out->explorer->error);
        put_number(out, number);
    }
    return WFSM_OK;
}

/* Beyond the limit, and beyond all that a rule compares it with, more makes no difference. A rule that
 * computes with the number of rounds sees each of them, up to the bound. */
static void cap_used(wf_explorer *explorer, wf_spent *spent)
{
    const wf_budget *budget = &explorer->machine->budgets[spent->budget];
    bool vague = budget->counts == WF_COUNT_ROUNDS && explorer->cones.used_vague;
    double most = fmax((double)spent->limit, floor(explorer->cones.used_most));
    if ((double)spent->used <= most)
        return;
    if (!vague)
        spent->used = (int64_t)fmin(most, 1e15) + 1;
    else if ((double)spent->used > most + explorer->number_most)
        explorer->beyond = &budget->name;
}

/* The same of how often an invocation has failed. */
static void cap_failures(wf_explorer *explorer, wf_repeat *repeat)
{
    double most = floor(explorer->cones.failures_most);
    if (explorer->cones.failures_vague && repeat->count > fmax(most, explorer->number_most))
        explorer->beyond = &explorer->machine->invokes[repeat->invoke].id;
    else if (!explorer->cones.failures_vague && repeat->count > most)
        repeat->count = (uint32_t)fmin(most, 1e9) + 1;
}

/* What makes no difference to what can follow becomes the same. */
static void abstract(wf_explorer *explorer, int kind, wf_any_entry *entry)
{
    wf_spent *spent = &entry->spent;
    if (kind == WF_LEDGER) {
        wf_canonical_work(explorer, &entry->invocation);
        if (!wf_invocation_ended(&entry->invocation))
            entry->invocation.result = wf_symbolic_asks(explorer, &entry->invocation);
    } else if (kind == WF_BUDGETS) {
        cap_used(explorer, spent);
        wf_hiding_used(explorer, spent);
    } else if (kind == WF_REPEATS) {
        cap_failures(explorer, &entry->repeat);
    }
}

/* The entry is a copy. */
static int32_t put_entry(writer *out, const wf_kind *kind, void *entry)
{
    for (uint32_t i = 0; i < kind->field_count; i++) {
        const wf_field *field = &kind->fields[i];
        if ((field->flags & WF_KEY) == 0)
            continue;
        if (field->type == WF_FIELD_VALUE) {
            wf_value *value = wf_field_at(field, entry);
            if (out->explorer->symbolic)
                *value = wf_renamed(&out->explorer->renaming, value);
            uint32_t number = wf_intern_add(&out->explorer->intern, value);
            if (number == WF_NONE || out->explorer->renaming.failed)
                return wf_no_memory(out->explorer->error);
            put_number(out, number);
        } else {
            int64_t number = wf_field_get(field, entry);
            put_number(out, field->type < WF_FIELD_STATE ? (uint64_t)number
                                                         : (uint32_t)(number + 1));
        }
    }
    return WFSM_OK;
}

/* Effects have no future. Failures have one only if an expression reads them. */
static bool is_part(const wf_explorer *explorer, int kind)
{
    return kind != WF_OUTBOX && (kind != WF_REPEATS || explorer->cones.failure);
}

/* `set` of an item becomes its place in the set, from 1. `before` is the entry before it. */
static uint32_t place_in_set(const wf_invocation *work, const wf_invocation *before,
                             uint32_t place_before)
{
    if (work->set == 0)
        return 0;
    return before && before->set == work->set && before->revision == work->revision
               ? place_before + 1
               : 1;
}

static int32_t put_list(writer *out, int k, const wf_list *list, const wf_key_order *order)
{
    const wf_kind *kind = wf_kind_of(k);
    const wf_invocation *before = NULL;
    uint32_t place = 0;
    int32_t status = WFSM_OK;
    for (size_t i = 0; i < list->count && status == WFSM_OK; i++) {
        wf_any_entry entry;
        const void *from = list->entries[wf_key_order_place(order, k, i)];
        memcpy(&entry, from, kind->size);
        abstract(out->explorer, k, &entry);
        if (k == WF_LEDGER) {
            place = place_in_set(from, before, place);
            entry.invocation.set = place;
            before = from;
        }
        status = put_entry(out, kind, &entry);
    }
    return status;
}

static int32_t put_lists(writer *out, const wf_snapshot *snapshot, const wf_key_order *order)
{
    int32_t status = WFSM_OK;
    for (int k = 0; k < WF_KINDS && status == WFSM_OK; k++) {
        const wf_kind *kind = wf_kind_of(k);
        const wf_list *list = wf_list_of(snapshot->extras, kind);
        if (!is_part(out->explorer, k))
            continue;
        if (!kind->in_place)
            put_number(out, list->count);
        status = put_list(out, k, list, order);
    }
    return status;
}

/* What is known of the symbols that stand in the rest of the key. */
static int32_t put_path(writer *out)
{
    wf_explorer *explorer = out->explorer;
    if (!explorer->symbolic)
        return WFSM_OK;
    wf_value path = wf_renamed_path(&explorer->renaming);
    uint32_t number =
        path.type == WF_ABSENT ? WF_NONE : wf_intern_add(&explorer->intern, &path);
    if (number == WF_NONE)
        return wf_no_memory(explorer->error);
    put_number(out, number);
    return WFSM_OK;
}

static void put_bytes(writer *out, const uint8_t *bytes, size_t length)
{
    if ((size_t)(out->end - out->at) <= length)
        out->at = out->end;
    else
        for (size_t i = 0; i < length; i++)
            *out->at++ = bytes[i];
}

static size_t put_times(wf_explorer *explorer, const wf_snapshot *snapshot,
                        const wf_timer_bounds *times, uint8_t *at)
{
    const uint32_t *order = explorer->order.from[WF_TIMERS];
    if (!order || times->count == 0)
        return wf_timer_bounds_write(times, at);
    wf_timer_bounds moved;
    wf_timer_bounds_order(&moved, times, order,
                          wf_explorer_budgets_ahead(explorer, &snapshot->extras->budgets));
    return wf_timer_bounds_write(&moved, at);
}

int32_t wf_state_key_write(wf_explorer *explorer, const wf_snapshot *snapshot,
                           const uint8_t *memory, const wf_timer_bounds *times)
{
    if (!wf_key_order_find(explorer, snapshot, times, &explorer->order))
        return wf_no_memory(explorer->error);
    return wf_state_key_write_as(explorer, snapshot, memory, times);
}

int32_t wf_state_key_write_as(wf_explorer *explorer, const wf_snapshot *snapshot,
                              const uint8_t *memory, const wf_timer_bounds *times)
{
    writer out = {explorer, explorer->key,
                  explorer->key + WF_KEY_BYTES - WF_TIMER_BOUNDS_BYTES};
    explorer->beyond = NULL;
    if (explorer->symbolic)
        wf_renaming_begin(&explorer->renaming, explorer->symbolic);
    wf_hiding_key(explorer);
    *out.at++ = (uint8_t)snapshot->status;
    put_set(&out, snapshot->active);
    for (uint32_t i = 0; i < explorer->machine->history_count; i++)
        put_set(&out, snapshot->extras->histories + (size_t)i * explorer->machine->words);
    int32_t status = put_slots(&out, snapshot);
    if (status != WFSM_OK)
        return status;
    put_bytes(&out, memory, explorer->memory_size);
    if (explorer->restores)
        put_number(&out, explorer->kept_next);
    status = put_lists(&out, snapshot, &explorer->order);
    if (status == WFSM_OK)
        status = put_path(&out);
    if (status != WFSM_OK)
        return status;
    if (out.at == out.end)
        return wf_fail(explorer->error, WFSM_LIMIT, "a state takes more than 64 KiB");
    explorer->timeless = (size_t)(out.at - explorer->key);
    explorer->key_length = explorer->timeless + put_times(explorer, snapshot, times, out.at);
    WF_INVARIANT(explorer->key_length <= WF_KEY_BYTES);
    return WFSM_OK;
}

/* ---- reading ---- */

static const uint8_t *get_set(const wf_explorer *explorer, const uint8_t *at, uint64_t *set)
{
    wf_set_clear(set, explorer->machine->words);
    for (uint32_t i = 0; i < explorer->state_bytes; i++)
        set[i / 8] |= (uint64_t)*at++ << (i % 8 * 8);
    return at;
}

static const uint8_t *get_slots(wf_explorer *explorer, const uint8_t *at)
{
    for (uint32_t i = 0; i < explorer->tracked_count; i++) {
        wf_tracked *tracked = &explorer->tracked[i];
        uint64_t number;
        at += wf_number_read(at, &number);
        WF_INVARIANT(number < explorer->intern.count);
        tracked->number = (uint32_t)number;
        tracked->value = explorer->intern.list[number];
        explorer->snapshot.slots[tracked->slot] = tracked->value;
    }
    wf_hiding_restore(explorer);
    return at;
}

static const uint8_t *get_entry(const wf_explorer *explorer, const uint8_t *at,
                                const wf_kind *kind, void *entry)
{
    for (uint32_t i = 0; i < kind->field_count; i++) {
        const wf_field *field = &kind->fields[i];
        uint64_t number;
        if ((field->flags & WF_KEY) == 0)
            continue;
        at += wf_number_read(at, &number);
        if (field->type == WF_FIELD_VALUE)
            *(wf_value *)wf_field_at(field, entry) = explorer->intern.list[number];
        else
            wf_field_set(field, entry,
                         field->type < WF_FIELD_STATE ? (int64_t)number : (int64_t)number - 1);
    }
    return at;
}

/* Gives the entry what the key leaves out. */
static void complete(const wf_explorer *explorer, int kind, uint32_t place, void *entry)
{
    wf_timer *timer = entry;
    wf_invocation *work = entry;
    wf_spent *spent = entry;
    if (kind == WF_TIMERS) {
        timer->number = place + 1;
        timer->due = WF_FAR;
    } else if (kind == WF_LEDGER) {
        WF_INVARIANT(work->invoke < explorer->machine->invoke_count);
        work->revision = 1;
        work->ordinal = place + 1;
        work->state = explorer->machine->invokes[work->invoke].state;
        work->set = work->set == 0 ? 0 : work->ordinal - work->set + 1;
        work->due = work->status == WF_RUNNING ? WFSM_NEVER : 0;
    } else if (kind == WF_BUDGETS) {
        spent->budget = place;
        spent->since =
            spent->raised && explorer->machine->budgets[place].counts == WF_COUNT_TIME
                ? -spent->limit
                : 0;
    }
}

/* Room for `count` entries, which are the explorer's and not the snapshot's. */
static bool make_room(wf_explorer *explorer, const wf_kind *kind, wf_list *list, wf_list *pool,
                      size_t count)
{
    void **entries = wf_grow(explorer->allocator, list->entries, &list->capacity, count + 1,
                             sizeof *entries);
    if (!entries)
        return false;
    list->entries = entries;
    while (pool->count < count) {
        void **room = wf_grow(explorer->allocator, pool->entries, &pool->capacity,
                              pool->count + 1, sizeof *room);
        if (!room)
            return false;
        pool->entries = room;
        room[pool->count] = wf_new(explorer->allocator, kind->size);
        if (!room[pool->count])
            return false;
        pool->count++;
    }
    if (count > 0)
        memcpy(entries, pool->entries, count * sizeof *entries);
    list->count = count;
    return true;
}

/* NULL when out of memory. */
static const uint8_t *get_lists(wf_explorer *explorer, const uint8_t *at)
{
    for (int k = 0; k < WF_KINDS; k++) {
        const wf_kind *kind = wf_kind_of(k);
        wf_list *list = wf_list_of(explorer->snapshot.extras, kind);
        uint64_t count = list->count;
        if (!kind->in_place)
            count = 0;
        if (!kind->in_place && is_part(explorer, k))
            at += wf_number_read(at, &count);
        if (!kind->in_place && !make_room(explorer, kind, list, &explorer->pools[k], count))
            return NULL;
        for (uint32_t i = 0; i < count; i++) {
            wf_entry_clear(kind, list->entries[i]);
            at = get_entry(explorer, at, kind, list->entries[i]);
            complete(explorer, k, i, list->entries[i]);
        }
    }
    wf_extras *extras = wf_own_extras(&explorer->snapshot);
    extras->singles.timer_number = extras->timers.count;
    return at;
}

int32_t wf_state_key_restore(wf_explorer *explorer, const uint8_t *key, size_t length)
{
    wf_snapshot *snapshot = &explorer->snapshot;
    const uint8_t *at = key;
    snapshot->status = *at++;
    snapshot->revision = 1;
    snapshot->now = 0;
    at = get_set(explorer, at, snapshot->active);
    for (uint32_t i = 0; i < explorer->machine->history_count; i++)
        at = get_set(explorer, at,
                     snapshot->extras->histories + (size_t)i * explorer->machine->words);
    at = get_slots(explorer, at);
    for (size_t i = 0; i < explorer->memory_size; i++)
        explorer->memory[i] = *at++;
    if (explorer->restores) {
        uint64_t kept;
        at += wf_number_read(at, &kept);
        explorer->kept = explorer->kept_next = (uint32_t)kept;
    }
    at = get_lists(explorer, at);
    if (!at)
        return wf_no_memory(explorer->error);
    if (explorer->symbolic) {
        uint64_t path;
        at += wf_number_read(at, &path);
        wf_symbolic_restore(explorer->symbolic, &explorer->intern.list[path]);
    }
    explorer->timeless = (size_t)(at - key);
    explorer->times.ends = wf_ends_count(explorer, &snapshot->extras->ledger);
    explorer->times.limits =
        wf_limits_waited_for(explorer, explorer->memory) + explorer->times.ends;
    at += wf_timer_bounds_read(&explorer->times,
                               wf_explorer_budgets_ahead(explorer, &snapshot->extras->budgets) +
                                   (uint32_t)snapshot->extras->timers.count +
                                   explorer->times.limits,
                               at);
    WF_INVARIANT(at == key + length);
    return WFSM_OK;
}
