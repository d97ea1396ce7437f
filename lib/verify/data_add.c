/* verify/data_add.c: a value joins the classes if it fits the schemas and is of no class yet. */
#include "verify/data_make.h"

#include <string.h>
#include "base/invariant.h"

enum { FEW_VALUES = 16 };

/* Where the search for a hash begins. */
static uint32_t slot_of(const wf_data_classes *data, uint64_t hash)
{
    return (uint32_t)(hash ^ hash >> 32) & (2 * data->capacity - 1);
}

static uint32_t next_slot(const wf_data_classes *data, uint32_t slot)
{
    return (slot + 1) & (2 * data->capacity - 1);
}

static void put(wf_data_classes *data, uint32_t number)
{
    uint32_t slot = slot_of(data, data->hashes[number]);
    while (data->table[slot] != 0)
        slot = next_slot(data, slot);
    data->table[slot] = number + 1;
}

static bool grow(wf_data_classes *data)
{
    uint32_t capacity = data->capacity == 0 ? 8 : data->capacity * 2;
    wf_value *list = wf_arena_take(data->arena, capacity * sizeof *list);
    uint64_t *hashes = wf_arena_take(data->arena, capacity * sizeof *hashes);
    uint32_t *table = wf_arena_zero(data->arena, 2 * capacity * sizeof *table);
    if (!list || !hashes || !table)
        return false;
    if (data->count > 0) {
        memcpy(list, data->list, data->count * sizeof *list);
        memcpy(hashes, data->hashes, data->count * sizeof *hashes);
    }
    data->list = list;
    data->hashes = hashes;
    data->table = table;
    data->capacity = capacity;
    for (uint32_t i = 0; i < data->count; i++)
        put(data, i);
    return true;
}

static void push(wf_data_classes *data, wf_value value, uint64_t hash)
{
    if (data->count == data->capacity && !grow(data))
        return;
    WF_INVARIANT(data->count < data->capacity);
    data->hashes[data->count] = hash;
    data->list[data->count] = value;
    put(data, data->count++);
}

void wf_data_push(wf_data_classes *data, wf_value value, const wf_cone *wanted)
{
    push(data, value, wf_data_hash(&value, wanted, data->arena));
}

void wf_data_keep_first(wf_data_classes *data)
{
    if (data->count < 2)
        return;
    memset(data->table, 0, 2 * data->capacity * sizeof *data->table);
    data->count = 1;
    put(data, 0);
}

uint32_t wf_data_most(const wf_data_classes *data)
{
    return data->most == 0 ? WF_DATA_MOST : data->most;
}

/* Of a part: fewer values. */
wf_data_classes wf_data_inside(const wf_data_classes *out)
{
    uint32_t most = wf_data_most(out) / 4;
    return (wf_data_classes){.arena = out->arena,
                             .links = out->links,
                             .most = most < FEW_VALUES ? FEW_VALUES : most};
}

/* Values of one class have one hash. So have others, but few. */
static bool is_there(const wf_data_classes *data, const wf_value *value, uint64_t hash,
                     const wf_cone *wanted)
{
    if (data->count == 0)
        return false;
    for (uint32_t slot = slot_of(data, hash); data->table[slot] != 0;
         slot = next_slot(data, slot)) {
        const uint32_t number = data->table[slot] - 1;
        if (data->hashes[number] == hash &&
            (wf_value_equal(&data->list[number], value) ||
             (wanted && wf_data_alike(&data->list[number], value, wanted, data->arena))))
            return true;
    }
    return false;
}

void wf_data_add(wf_data_classes *data, wf_value value, const wf_cone *wanted)
{
    const uint64_t hash = wf_data_hash(&value, wanted, data->arena);
    if (is_there(data, &value, hash, wanted))
        return;
    if (data->count >= wf_data_most(data))
        data->cut = true;
    else
        push(data, value, hash);
}

static bool fits(const wf_schema_group *all, const wf_value *value)
{
    return wf_data_is_open(value) || wf_schema_group_accepts(all, value);
}

void wf_data_add_fitting(wf_data_classes *out, const wf_schema_group *all, wf_value value,
                         const wf_cone *wanted)
{
    if (value.type != WF_ABSENT && fits(all, &value))
        wf_data_add(out, value, wanted);
}
