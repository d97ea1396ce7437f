/* verify/state_key.c: a state as bytes, and back. Values of the context are numbers of interned,
 * canonical values. */
#include "verify/explorer.h"

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
    const wf_value *value = &snapshot->slots[tracked->slot];
    if (is_unchanged(value, &tracked->value))
        return tracked->number;
    wf_value kept = value->type == WF_ABSENT
                        ? *value
                        : wf_canonical(explorer, tracked->slot, value, tracked->wanted);
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

/* An item that waits for its next attempt and one whose attempt is running have the same future. */
static int32_t put_item(writer *out, const wf_invocation *self)
{
    wf_explorer *explorer = out->explorer;
    put_number(out, self->set == 0 ? 0 : self->ordinal - self->set + 1);
    if (self->set == 0)
        return WFSM_OK;
    wf_value result = self->status == WF_ITEM_DONE
                          ? wf_canonical_result(explorer, self->invoke, &self->result)
                          : self->result;
    uint32_t number = wf_intern_add(&explorer->intern, &result);
    put_number(out, self->of);
    put_number(out, self->need);
    put_number(out, self->status);
    put_number(out, number);
    return number == WF_NONE ? wf_no_memory(explorer->error) : WFSM_OK;
}

static int32_t put_ledger(writer *out, const wf_snapshot *snapshot)
{
    int32_t status = WFSM_OK;
    const wf_ledger *ledger = &snapshot->extras->ledger;
    put_number(out, ledger->count);
    for (size_t i = 0; i < ledger->count; i++) {
        const wf_invocation *self = &ledger->list[i];
        uint32_t most = out->explorer->attempts_most[self->invoke];
        put_number(out, self->invoke);
        put_number(out, self->agent);
        put_number(out, self->attempt < most ? self->attempt : most);
        status = put_item(out, self);
        if (status != WFSM_OK)
            return status;
    }
    return status;
}

static int32_t put_timers(writer *out, const wf_snapshot *snapshot)
{
    const wf_timers *timers = &snapshot->extras->timers;
    put_number(out, timers->count);
    for (size_t i = 0; i < timers->count; i++) {
        uint32_t number = wf_intern_add(&out->explorer->intern, &timers->list[i].raised);
        if (number == WF_NONE)
            return wf_no_memory(out->explorer->error);
        put_number(out, number);
        put_number(out, (uint64_t)timers->list[i].state + 1);
    }
    return WFSM_OK;
}

/* A budget is counted up to one more than its limit. A budget of time either has run out or
 * not. */
static void put_budgets(writer *out, const wf_snapshot *snapshot)
{
    const wfsm_machine *machine = out->explorer->machine;
    for (uint32_t i = 0; i < machine->budget_count; i++) {
        const wf_spent *self = &snapshot->extras->budgets[i];
        bool over = self->used > self->limit;
        if (machine->budgets[i].counts == WF_COUNT_TIME)
            put_number(out, 0);
        else
            put_number(out, (uint64_t)(over ? self->limit + 1 : self->used));
        put_number(out, (uint64_t)self->limit);
        put_number(out, self->raised);
    }
}

/* Repeated failures are part of a state only if an expression reads them. */
static int32_t put_repeats(writer *out, const wf_snapshot *snapshot)
{
    const wf_repeats *repeats = &snapshot->extras->repeats;
    if (!out->explorer->cones.failure)
        return WFSM_OK;
    put_number(out, repeats->count);
    for (size_t i = 0; i < repeats->count; i++) {
        wf_value signature = wf_string_z(repeats->list[i].signature);
        uint32_t number = wf_intern_add(&out->explorer->intern, &signature);
        if (number == WF_NONE)
            return wf_no_memory(out->explorer->error);
        put_number(out, repeats->list[i].invoke);
        put_number(out, repeats->list[i].count);
        put_number(out, number);
        if (repeats->list[i].count > out->explorer->number_most)
            out->explorer->beyond =
                &out->explorer->machine->invokes[repeats->list[i].invoke].id;
    }
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

int32_t wf_state_key_write(wf_explorer *explorer, const wf_snapshot *snapshot,
                           const uint8_t *memory, const wf_timer_bounds *times)
{
    writer out = {explorer, explorer->key,
                  explorer->key + WF_KEY_BYTES - WF_TIMER_BOUNDS_BYTES};
    explorer->beyond = NULL;
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
    status = put_ledger(&out, snapshot);
    if (status != WFSM_OK)
        return status;
    put_budgets(&out, snapshot);
    status = put_repeats(&out, snapshot);
    if (status == WFSM_OK)
        status = put_timers(&out, snapshot);
    if (status != WFSM_OK)
        return status;
    if (out.at == out.end)
        return wf_fail(explorer->error, WFSM_LIMIT, "a state takes more than 64 KiB");
    explorer->timeless = (size_t)(out.at - explorer->key);
    explorer->key_length = explorer->timeless + wf_timer_bounds_write(times, out.at);
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
    return at;
}

/* The items of one set are adjacent. */
static const uint8_t *get_item(wf_explorer *explorer, const uint8_t *at, wf_invocation *self)
{
    uint64_t place, of, need, status, number;
    at += wf_number_read(at, &place);
    if (place == 0)
        return at;
    at += wf_number_read(at, &of);
    at += wf_number_read(at, &need);
    at += wf_number_read(at, &status);
    at += wf_number_read(at, &number);
    self->set = self->ordinal - (uint32_t)place + 1;
    self->of = (uint32_t)of;
    self->need = (uint32_t)need;
    self->status = (uint8_t)status;
    self->result = explorer->intern.list[number];
    return at;
}

static const uint8_t *get_ledger(wf_explorer *explorer, const uint8_t *at)
{
    wf_ledger *ledger = &wf_own_extras(&explorer->snapshot)->ledger;
    uint64_t count, invoke, agent, attempt;
    at += wf_number_read(at, &count);
    wf_invocation *list = wf_grow(explorer->allocator, ledger->list, &ledger->capacity,
                                  (size_t)count + 1, sizeof *list);
    if (!list)
        return NULL;
    ledger->list = list;
    ledger->count = (size_t)count;
    for (uint32_t i = 0; i < count; i++) {
        at += wf_number_read(at, &invoke);
        at += wf_number_read(at, &agent);
        at += wf_number_read(at, &attempt);
        WF_INVARIANT(invoke < explorer->machine->invoke_count);
        list[i] = (wf_invocation){.revision = 1,
                                  .ordinal = i + 1,
                                  .invoke = (uint32_t)invoke,
                                  .agent = (uint32_t)agent,
                                  .attempt = (uint32_t)attempt,
                                  .reason = WF_CLASSES,
                                  .status = WF_PENDING,
                                  .input = wf_null(),
                                  .owner = wf_null(),
                                  .pool = wf_null(),
                                  .votes = wf_null(),
                                  .result = wf_null()};
        at = get_item(explorer, at, &list[i]);
    }
    return at;
}

static const uint8_t *get_budgets(wf_explorer *explorer, const uint8_t *at)
{
    for (uint32_t i = 0; i < explorer->machine->budget_count; i++) {
        uint64_t used, limit, raised;
        at += wf_number_read(at, &used);
        at += wf_number_read(at, &limit);
        at += wf_number_read(at, &raised);
        if (raised && explorer->machine->budgets[i].counts == WF_COUNT_TIME)
            explorer->snapshot.extras->budgets[i] =
                (wf_spent){-(int64_t)limit, (int64_t)limit, true};
        else
            explorer->snapshot.extras->budgets[i] =
                (wf_spent){(int64_t)used, (int64_t)limit, raised != 0};
    }
    return at;
}

static const uint8_t *get_repeats(wf_explorer *explorer, const uint8_t *at)
{
    wf_repeats *repeats = &wf_own_extras(&explorer->snapshot)->repeats;
    uint64_t count, invoke, times, signature;
    repeats->count = 0;
    if (!explorer->cones.failure)
        return at;
    at += wf_number_read(at, &count);
    wf_repeat *list = wf_grow(explorer->allocator, repeats->list, &repeats->capacity,
                              (size_t)count + 1, sizeof *list);
    if (!list)
        return NULL;
    repeats->list = list;
    repeats->count = (size_t)count;
    for (uint32_t i = 0; i < count; i++) {
        at += wf_number_read(at, &invoke);
        at += wf_number_read(at, &times);
        at += wf_number_read(at, &signature);
        list[i] = (wf_repeat){.invoke = (uint32_t)invoke, .count = (uint32_t)times};
        const wf_value *text = &explorer->intern.list[signature];
        memcpy(list[i].signature, text->as.text, text->length + 1);
    }
    return at;
}

static const uint8_t *get_timers(wf_explorer *explorer, const uint8_t *at)
{
    wf_timers *timers = &wf_own_extras(&explorer->snapshot)->timers;
    uint64_t count, number, state;
    at += wf_number_read(at, &count);
    wf_timer *list = wf_grow(explorer->allocator, timers->list, &timers->capacity,
                             (size_t)count + 1, sizeof *list);
    if (!list)
        return NULL;
    timers->list = list;
    timers->count = (size_t)count;
    for (uint32_t i = 0; i < count; i++) {
        at += wf_number_read(at, &number);
        at += wf_number_read(at, &state);
        list[i] = (wf_timer){.number = i + 1,
                             .due = WF_FAR,
                             .state = (uint32_t)(state - 1),
                             .raised = explorer->intern.list[number]};
    }
    wf_own_extras(&explorer->snapshot)->timer_number = count;
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
    at = get_ledger(explorer, at);
    if (at)
        at = get_repeats(explorer, get_budgets(explorer, at));
    if (at)
        at = get_timers(explorer, at);
    if (!at)
        return wf_no_memory(explorer->error);
    explorer->timeless = (size_t)(at - key);
    at += wf_timer_bounds_read(&explorer->times,
                               wf_explorer_budgets_ahead(explorer, snapshot->extras->budgets) +
                                   (uint32_t)snapshot->extras->timers.count,
                               at);
    WF_INVARIANT(at == key + length);
    return WFSM_OK;
}

/* ---- checkpoints ---- */

uint32_t wf_state_key_keep(wf_explorer *explorer)
{
    memset(explorer->memory_next, 0, explorer->memory_size);
    explorer->kept_next = 0;
    if (wf_state_key_write(explorer, &explorer->snapshot, explorer->memory_next,
                           &explorer->times) != WFSM_OK)
        return WF_NONE;
    wf_value bytes = {.type = WF_STRING,
                      .length = (uint32_t)explorer->key_length,
                      .as.text = (const char *)explorer->key};
    return wf_intern_add(&explorer->intern, &bytes);
}

/* Invocations start again. Budgets, repeated failures and the monitor's memory stay. */
static void begin_work(wf_ledger *ledger)
{
    for (size_t i = 0; i < ledger->count; i++) {
        ledger->list[i].attempt = 0;
        ledger->list[i].status = WF_PENDING;
        ledger->list[i].result = wf_null();
    }
}

/* The bounds are those of the checkpoint. A budget of time that has run out since has none. */
static void remove_raised(wf_explorer *explorer, const wf_spent *now)
{
    const wf_spent *then = explorer->snapshot.extras->budgets;
    uint32_t place = wf_explorer_budgets_ahead(explorer, then);
    for (uint32_t i = explorer->machine->budget_count; place > 0 && i-- > 0;) {
        if (explorer->machine->budgets[i].counts != WF_COUNT_TIME || then[i].raised)
            continue;
        place--;
        if (now[i].raised)
            wf_timer_bounds_remove(&explorer->times, place);
    }
}

int32_t wf_state_key_go_back(wf_explorer *explorer)
{
    const wf_value *bytes = &explorer->intern.list[explorer->kept];
    wf_extras *extras = wf_own_extras(&explorer->snapshot);
    size_t spent = explorer->machine->budget_count * sizeof *extras->budgets;
    uint32_t kept = explorer->kept;
    wf_repeats repeats = extras->repeats;
    wf_spent *budgets = wf_arena_take(&explorer->scratch, spent + 1);
    if (!budgets)
        return wf_no_memory(explorer->error);
    if (spent > 0)
        memcpy(budgets, extras->budgets, spent);
    memcpy(explorer->memory_next, explorer->memory, explorer->memory_size);
    extras->repeats = (wf_repeats){0};
    int32_t status =
        wf_state_key_restore(explorer, (const uint8_t *)bytes->as.text, bytes->length);
    wf_free(explorer->allocator, extras->repeats.list);
    extras->repeats = repeats;
    if (status == WFSM_OK)
        remove_raised(explorer, budgets);
    if (spent > 0)
        memcpy(extras->budgets, budgets, spent);
    memcpy(explorer->memory, explorer->memory_next, explorer->memory_size);
    explorer->kept = explorer->kept_next = kept;
    begin_work(&extras->ledger);
    return status;
}
