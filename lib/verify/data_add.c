/* verify/data_add.c: a value joins the classes if it fits the schemas and is of no class yet. */
#include "verify/data_make.h"

#include <string.h>
#include "base/invariant.h"

enum { FEW_VALUES = 16 };

static bool grow(wf_data_classes *data)
{
    uint32_t capacity = data->capacity == 0 ? 8 : data->capacity * 2;
    wf_value *list = wf_arena_take(data->arena, capacity * sizeof *list);
    uint64_t *hashes = wf_arena_take(data->arena, capacity * sizeof *hashes);
    if (!list || !hashes)
        return false;
    if (data->count > 0) {
        memcpy(list, data->list, data->count * sizeof *list);
        memcpy(hashes, data->hashes, data->count * sizeof *hashes);
    }
    data->list = list;
    data->hashes = hashes;
    data->capacity = capacity;
    return true;
}

static void push(wf_data_classes *data, wf_value value, uint64_t hash)
{
    if (data->count == data->capacity && !grow(data))
        return;
    WF_INVARIANT(data->count < data->capacity);
    data->hashes[data->count] = hash;
    data->list[data->count++] = value;
}

void wf_data_push(wf_data_classes *data, wf_value value, const wf_cone *wanted)
{
    push(data, value, wf_data_hash(&value, wanted, data->arena));
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
void wf_data_add(wf_data_classes *data, wf_value value, const wf_cone *wanted)
{
    uint64_t hash = wf_data_hash(&value, wanted, data->arena);
    for (uint32_t i = 0; i < data->count; i++)
        if (data->hashes[i] == hash &&
            (wf_value_equal(&data->list[i], &value) ||
             (wanted && wf_data_alike(&data->list[i], &value, wanted, data->arena))))
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
