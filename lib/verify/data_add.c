/* verify/data_add.c: a value joins the classes if it fits the schemas and is of no class yet. */
#include "verify/data_make.h"

#include <string.h>
#include "base/invariant.h"

enum { FEW_VALUES = 16 };

void wf_data_push(wf_data_classes *data, wf_value value)
{
    if (data->count == data->capacity) {
        uint32_t capacity = data->capacity == 0 ? 8 : data->capacity * 2;
        wf_value *list = wf_arena_take(data->arena, capacity * sizeof *list);
        if (!list)
            return;
        if (data->count > 0)
            memcpy(list, data->list, data->count * sizeof *list);
        data->list = list;
        data->capacity = capacity;
    }
    WF_INVARIANT(data->count < data->capacity);
    data->list[data->count++] = value;
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

void wf_data_add(wf_data_classes *data, wf_value value, const wf_cone *wanted)
{
    for (uint32_t i = 0; i < data->count; i++)
        if (wf_value_equal(&data->list[i], &value) ||
            (wanted && wf_data_alike(&data->list[i], &value, wanted, data->arena)))
            return;
    if (data->count >= wf_data_most(data))
        data->cut = true;
    else
        wf_data_push(data, value);
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
