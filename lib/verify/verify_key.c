/* A state as bytes, and back. Values of the context are numbers of the pool; of what nothing
 * is wanted a value stands for all of its type, so that states that differ only there are one. */
#include "verify/verify_kit.h"

#include <math.h>
#include "base/error.h"
#include "base/memory.h"

/* ---- values, as far as they count ---- */

typedef struct reading {
    wf_kit *kit;
    uint32_t slot; /* WF_NONE: it is no key of the context */
} reading;

static const wf_name *name_of(const reading *in)
{
    return in->slot == WF_NONE ? in->kit->beyond : &in->kit->machine->keys.list[in->slot];
}

static uint32_t below(uint32_t place, const char *key, uint32_t length)
{
    return (place ^ wf_hash(key, length)) * 0x9E3779B1u + 1;
}

/* Truth is kept apart, so that it survives. */
static wf_value stand_in(wf_kit *kit, uint32_t place, const wf_value *value)
{
    uint32_t own = place * 2 + wf_value_truth(value);
    if (value->type <= WF_BOOLEAN)
        return *value;
    for (size_t i = 0; i < kit->stand_in_count; i++)
        if (kit->stand_ins[i].place == own && kit->stand_ins[i].type == value->type)
            return kit->stand_ins[i].value;
    wf_stand_in *list = wf_grow(kit->allocator, kit->stand_ins, &kit->stand_in_capacity,
                                kit->stand_in_count + 1, sizeof *list);
    if (!list)
        return wf_absent();
    kit->stand_ins = list;
    list[kit->stand_in_count++] =
        (wf_stand_in){own, value->type, wf_value_clone(&kit->arena, value)};
    return list[kit->stand_in_count - 1].value;
}

static wf_value canonical(const reading *in, const wf_value *value, const wf_demand *wanted,
                          uint32_t place);

static wf_value canonical_list(const reading *in, const wf_value *value,
                               const wf_demand *wanted, uint32_t place)
{
    wf_arena *arena = &in->kit->step.arena;
    wf_value *items = wf_arena_take(arena, (value->length + 1u) * sizeof *items);
    if (!items)
        return wf_absent();
    if ((double)value->length > in->kit->length_most)
        in->kit->beyond = name_of(in);
    for (uint32_t i = 0; i < value->length; i++)
        items[i] = canonical(in, &value->as.items[i], wanted->items, place + 1);
    return wf_array(items, value->length);
}

static wf_value canonical_object(const reading *in, const wf_value *value,
                                 const wf_demand *wanted, uint32_t place)
{
    wf_arena *arena = &in->kit->step.arena;
    wf_member *members = wf_arena_take(arena, (value->length + 1u) * sizeof *members);
    if (!members)
        return wf_absent();
    for (uint32_t i = 0; i < value->length; i++) {
        const wf_member *from = &value->as.members[i];
        members[i] = *from;
        members[i].value =
            canonical(in, &from->value, wf_demand_member(wanted, from->key, from->length),
                      below(place, from->key, from->length));
    }
    return wf_object(members, value->length);
}

static wf_value canonical(const reading *in, const wf_value *value, const wf_demand *wanted,
                          uint32_t place)
{
    if (!wanted)
        return stand_in(in->kit, place, value);
    if (value->type == WF_NUMBER && fabs(value->as.number) > in->kit->number_most)
        in->kit->beyond = name_of(in);
    if (value->type == WF_ARRAY && (double)value->length > in->kit->length_most)
        in->kit->beyond = name_of(in);
    if (wanted->whole || wanted->constant_count > 0 || wanted->fits)
        return *value;
    if (value->type == WF_ARRAY && (wanted->length || wanted->items))
        return canonical_list(in, value, wanted, place);
    if (value->type == WF_OBJECT)
        return canonical_object(in, value, wanted, place);
    return wanted->length ? *value : stand_in(in->kit, place, value);
}

/* ---- writing ---- */

typedef struct writer {
    wf_kit *kit;
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
    uint32_t bytes = out->kit->state_bytes;
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

static uint32_t number_of(wf_kit *kit, const wf_tracked *tracked, const wf_snapshot *snapshot)
{
    const reading in = {kit, tracked->slot};
    const wf_value *value = &snapshot->slots[tracked->slot];
    if (is_unchanged(value, &tracked->value))
        return tracked->number;
    wf_value kept = value->type == WF_ABSENT
                        ? *value
                        : canonical(&in, value, tracked->wanted, tracked->slot * 7919 + 1);
    if (kept.type == WF_ABSENT && value->type != WF_ABSENT)
        return WF_NONE;
    return wf_pool_add(&kit->pool, &kept);
}

static int32_t put_slots(writer *out, const wf_snapshot *snapshot)
{
    for (uint32_t i = 0; i < out->kit->tracked_count; i++) {
        uint32_t number = number_of(out->kit, &out->kit->tracked[i], snapshot);
        if (number == WF_NONE)
            return wf_no_memory(out->kit->error);
        put_number(out, number);
    }
    return WFSM_OK;
}

/* One that waits for its next attempt is the same as one that is at work on it: only what
 * becomes of it counts. */
static int32_t put_item(writer *out, const wf_invocation *self)
{
    wf_kit *kit = out->kit;
    const wf_demand *wanted = kit->of_items[self->invoke];
    const reading in = {kit, WF_NONE};
    put_number(out, self->set == 0 ? 0 : self->ordinal - self->set + 1);
    if (self->set == 0)
        return WFSM_OK;
    wf_value result = self->status == WF_ITEM_DONE
                          ? canonical(&in, &self->result, wanted, self->invoke * 104729)
                          : self->result;
    uint32_t number = wf_pool_add(&kit->pool, &result);
    put_number(out, self->of);
    put_number(out, self->need);
    put_number(out, self->status);
    put_number(out, number);
    return number == WF_NONE ? wf_no_memory(kit->error) : WFSM_OK;
}

static int32_t put_ledger(writer *out, const wf_snapshot *snapshot)
{
    int32_t status = WFSM_OK;
    const wf_ledger *ledger = &snapshot->more->ledger;
    put_number(out, ledger->count);
    for (size_t i = 0; i < ledger->count; i++) {
        const wf_invocation *self = &ledger->list[i];
        uint32_t most = out->kit->attempts_most[self->invoke];
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
    const wf_timers *timers = &snapshot->more->timers;
    put_number(out, timers->count);
    for (size_t i = 0; i < timers->count; i++) {
        uint32_t number = wf_pool_add(&out->kit->pool, &timers->list[i].raised);
        if (number == WF_NONE)
            return wf_no_memory(out->kit->error);
        put_number(out, number);
        put_number(out, (uint64_t)timers->list[i].state + 1);
    }
    return WFSM_OK;
}

/* Beyond one more than its limit a budget is the same; one of time is new or has run out. */
static void put_budgets(writer *out, const wf_snapshot *snapshot)
{
    const wfsm_machine *machine = out->kit->machine;
    for (uint32_t i = 0; i < machine->budget_count; i++) {
        const wf_spent *self = &snapshot->more->budgets[i];
        bool over = self->used > self->limit;
        if (machine->budgets[i].counts == WF_COUNT_TIME)
            put_number(out, 0);
        else
            put_number(out, (uint64_t)(over ? self->limit + 1 : self->used));
        put_number(out, (uint64_t)self->limit);
        put_number(out, self->raised);
    }
}

/* What has failed time after time counts only where something looks at it. */
static int32_t put_repeats(writer *out, const wf_snapshot *snapshot)
{
    const wf_repeats *repeats = &snapshot->more->repeats;
    if (!out->kit->demands.failure)
        return WFSM_OK;
    put_number(out, repeats->count);
    for (size_t i = 0; i < repeats->count; i++) {
        wf_value signature = wf_string_z(repeats->list[i].signature);
        uint32_t number = wf_pool_add(&out->kit->pool, &signature);
        if (number == WF_NONE)
            return wf_no_memory(out->kit->error);
        put_number(out, repeats->list[i].invoke);
        put_number(out, repeats->list[i].count);
        put_number(out, number);
        if (repeats->list[i].count > out->kit->number_most)
            out->kit->beyond = &out->kit->machine->invokes[repeats->list[i].invoke].id;
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

int32_t wf_kit_write(wf_kit *kit, const wf_snapshot *snapshot, const uint8_t *memory,
                     const wf_times *times)
{
    writer out = {kit, kit->key, kit->key + WF_KEY_BYTES - WF_TIMES_BYTES};
    kit->beyond = NULL;
    *out.at++ = (uint8_t)snapshot->status;
    put_set(&out, snapshot->active);
    for (uint32_t i = 0; i < kit->machine->history_count; i++)
        put_set(&out, snapshot->more->histories + (size_t)i * kit->machine->words);
    int32_t status = put_slots(&out, snapshot);
    if (status != WFSM_OK)
        return status;
    put_bytes(&out, memory, kit->memory_size);
    if (kit->restores)
        put_number(&out, kit->kept_next);
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
        return wf_fail(kit->error, WFSM_LIMIT, "a state takes more than 64 KiB");
    kit->timeless = (size_t)(out.at - kit->key);
    kit->key_length = kit->timeless + wf_times_write(times, out.at);
    return WFSM_OK;
}

/* ---- reading ---- */

static const uint8_t *get_set(const wf_kit *kit, const uint8_t *at, uint64_t *set)
{
    wf_set_clear(set, kit->machine->words);
    for (uint32_t i = 0; i < kit->state_bytes; i++)
        set[i / 8] |= (uint64_t)*at++ << (i % 8 * 8);
    return at;
}

static const uint8_t *get_slots(wf_kit *kit, const uint8_t *at)
{
    for (uint32_t i = 0; i < kit->tracked_count; i++) {
        wf_tracked *tracked = &kit->tracked[i];
        uint64_t number;
        at += wf_number_read(at, &number);
        tracked->number = (uint32_t)number;
        tracked->value = kit->pool.list[number];
        kit->snapshot.slots[tracked->slot] = tracked->value;
    }
    return at;
}

/* The items of one set stand together. */
static const uint8_t *get_item(wf_kit *kit, const uint8_t *at, wf_invocation *self)
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
    self->result = kit->pool.list[number];
    return at;
}

static const uint8_t *get_ledger(wf_kit *kit, const uint8_t *at)
{
    wf_ledger *ledger = &wf_more_made(&kit->snapshot)->ledger;
    uint64_t count, invoke, agent, attempt;
    at += wf_number_read(at, &count);
    wf_invocation *list = wf_grow(kit->allocator, ledger->list, &ledger->capacity,
                                  (size_t)count + 1, sizeof *list);
    if (!list)
        return NULL;
    ledger->list = list;
    ledger->count = (size_t)count;
    for (uint32_t i = 0; i < count; i++) {
        at += wf_number_read(at, &invoke);
        at += wf_number_read(at, &agent);
        at += wf_number_read(at, &attempt);
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
        at = get_item(kit, at, &list[i]);
    }
    return at;
}

static const uint8_t *get_budgets(wf_kit *kit, const uint8_t *at)
{
    for (uint32_t i = 0; i < kit->machine->budget_count; i++) {
        uint64_t used, limit, raised;
        at += wf_number_read(at, &used);
        at += wf_number_read(at, &limit);
        at += wf_number_read(at, &raised);
        if (raised && kit->machine->budgets[i].counts == WF_COUNT_TIME)
            kit->snapshot.more->budgets[i] = (wf_spent){-(int64_t)limit, (int64_t)limit, true};
        else
            kit->snapshot.more->budgets[i] =
                (wf_spent){(int64_t)used, (int64_t)limit, raised != 0};
    }
    return at;
}

static const uint8_t *get_repeats(wf_kit *kit, const uint8_t *at)
{
    wf_repeats *repeats = &wf_more_made(&kit->snapshot)->repeats;
    uint64_t count, invoke, times, signature;
    repeats->count = 0;
    if (!kit->demands.failure)
        return at;
    at += wf_number_read(at, &count);
    wf_repeat *list = wf_grow(kit->allocator, repeats->list, &repeats->capacity,
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
        const wf_value *text = &kit->pool.list[signature];
        memcpy(list[i].signature, text->as.text, text->length + 1);
    }
    return at;
}

static const uint8_t *get_timers(wf_kit *kit, const uint8_t *at)
{
    wf_timers *timers = &wf_more_made(&kit->snapshot)->timers;
    uint64_t count, number, state;
    at += wf_number_read(at, &count);
    wf_timer *list = wf_grow(kit->allocator, timers->list, &timers->capacity, (size_t)count + 1,
                             sizeof *list);
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
                             .raised = kit->pool.list[number]};
    }
    wf_more_made(&kit->snapshot)->timer_number = count;
    return at;
}

int32_t wf_kit_restore(wf_kit *kit, const uint8_t *key, size_t length)
{
    wf_snapshot *snapshot = &kit->snapshot;
    const uint8_t *at = key;
    (void)length;
    snapshot->status = *at++;
    snapshot->revision = 1;
    snapshot->now = 0;
    at = get_set(kit, at, snapshot->active);
    for (uint32_t i = 0; i < kit->machine->history_count; i++)
        at = get_set(kit, at, snapshot->more->histories + (size_t)i * kit->machine->words);
    at = get_slots(kit, at);
    for (size_t i = 0; i < kit->memory_size; i++)
        kit->memory[i] = *at++;
    if (kit->restores) {
        uint64_t kept;
        at += wf_number_read(at, &kept);
        kit->kept = kit->kept_next = (uint32_t)kept;
    }
    at = get_ledger(kit, at);
    if (at)
        at = get_repeats(kit, get_budgets(kit, at));
    if (at)
        at = get_timers(kit, at);
    if (!at)
        return wf_no_memory(kit->error);
    kit->timeless = (size_t)(at - key);
    wf_times_read(&kit->times,
                  wf_kit_ahead(kit, snapshot->more->budgets) +
                      (uint32_t)snapshot->more->timers.count,
                  at);
    return WFSM_OK;
}

/* ---- checkpoints ---- */

uint32_t wf_kit_keep(wf_kit *kit)
{
    memset(kit->memory_next, 0, kit->memory_size);
    kit->kept_next = 0;
    if (wf_kit_write(kit, &kit->snapshot, kit->memory_next, &kit->times) != WFSM_OK)
        return WF_NONE;
    wf_value bytes = {.type = WF_STRING,
                      .length = (uint32_t)kit->key_length,
                      .as.text = (const char *)kit->key};
    return wf_pool_add(&kit->pool, &bytes);
}

/* Its work begins anew; what was used up and has failed stays so, and so does what the monitor
 * remembers. */
static void begin_work(wf_ledger *ledger)
{
    for (size_t i = 0; i < ledger->count; i++) {
        ledger->list[i].attempt = 0;
        ledger->list[i].status = WF_PENDING;
        ledger->list[i].result = wf_null();
    }
}

int32_t wf_kit_go_back(wf_kit *kit)
{
    const wf_value *bytes = &kit->pool.list[kit->kept];
    wf_more *more = wf_more_made(&kit->snapshot);
    size_t spent = kit->machine->budget_count * sizeof *more->budgets;
    uint32_t kept = kit->kept;
    wf_repeats repeats = more->repeats;
    wf_spent *budgets = wf_arena_take(&kit->scratch, spent + 1);
    if (!budgets)
        return wf_no_memory(kit->error);
    if (spent > 0)
        memcpy(budgets, more->budgets, spent);
    memcpy(kit->memory_next, kit->memory, kit->memory_size);
    more->repeats = (wf_repeats){0};
    int32_t status = wf_kit_restore(kit, (const uint8_t *)bytes->as.text, bytes->length);
    wf_free(kit->allocator, more->repeats.list);
    more->repeats = repeats;
    if (spent > 0)
        memcpy(more->budgets, budgets, spent);
    memcpy(kit->memory, kit->memory_next, kit->memory_size);
    kit->kept = kit->kept_next = kept;
    begin_work(&more->ledger);
    return status;
}
