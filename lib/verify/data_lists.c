/* verify/data_lists.c: lists of the classes of their elements. */
#include "verify/data_make.h"

#include <math.h>
#include <string.h>

enum {
    MOST_DEPTH = 12,
    MOST_ITEMS = 12,
    FEW_ITEMS = 3, /* in lists that are deep inside */
    MOST_SUBSETS = 7
};

static wf_value list_of(wf_arena *arena, const wf_data_classes *items, uint32_t length,
                        uint32_t first, uint32_t rest)
{
    wf_value *list = wf_arena_take(arena, (length + 1u) * sizeof *list);
    if (!list)
        return wf_absent();
    for (uint32_t i = 0; i < length; i++)
        list[i] = items->list[i == 0 ? first : rest];
    return wf_array(list, length);
}

/* Lists of equal elements, and lists whose first element is different. */
static void add_lists_of(wf_data_classes *out, const wf_schema_group *all,
                         const wf_cone *wanted, const wf_data_classes *items, uint32_t length)
{
    uint32_t most = all->depth < 3 ? MOST_ITEMS : FEW_ITEMS;
    uint32_t kinds = items->count > most ? most : items->count;
    if (length == 0 || kinds == 0) {
        wf_data_add_fitting(out, all, list_of(out->arena, items, 0, 0, 0), wanted);
        return;
    }
    for (uint32_t rest = 0; rest < kinds && out->count < wf_data_most(out); rest++)
        for (uint32_t first = 0; first < kinds && out->count < wf_data_most(out); first++)
            if (first == rest || length > 1)
                wf_data_add_fitting(out, all, list_of(out->arena, items, length, first, rest),
                                    wanted);
}

static uint32_t elements_of(uint32_t set)
{
    uint32_t count = 0;
    for (; set != 0; set &= set - 1)
        count++;
    return count;
}

/* Several rules look at the elements: which of the classes are there, in any length. */
static void add_subsets(wf_data_classes *out, const wf_schema_group *all, const wf_cone *wanted,
                        const wf_data_classes *items, uint32_t length)
{
    out->cut |= items->count > MOST_SUBSETS;
    for (uint32_t set = 1; !out->cut && set < 1u << items->count; set++) {
        wf_value *list = wf_arena_take(out->arena, (length + 1u) * sizeof *list);
        uint32_t used = 0;
        if (!list || elements_of(set) > length)
            continue;
        for (uint32_t i = 0; i < items->count; i++)
            if (set >> i & 1)
                list[used++] = items->list[i];
        for (; used < length; used++)
            list[used] = list[used - 1];
        wf_data_add_fitting(out, all, wf_array(list, length), wanted);
    }
}

static void add_lists(wf_data_classes *out, const wf_schema_group *all, const wf_cone *wanted,
                      const wf_data_classes *items, uint32_t length)
{
    add_lists_of(out, all, wanted, items, length);
    if (wanted->several)
        add_subsets(out, all, wanted, items, length);
}

/* Lists of each length that is asked for, and of those beside it. */
static void add_lengths(wf_data_classes *out, const wf_schema_group *all, const wf_cone *wanted,
                        const wf_data_classes *items)
{
    double least = WF_GROUP_LEAST(all, min_items, 0),
           most = WF_GROUP_MOST(all, max_items, INFINITY);
    uint32_t longest = wanted->several && items->count > 2 ? items->count : 2;
    for (uint32_t i = 0; i <= longest; i++)
        add_lists(out, all, wanted, items, i);
    for (uint32_t i = 0; i < wanted->constant_count; i++)
        for (int step = -1; step <= 1; step++) {
            double length = wanted->constants[i].as.number + step;
            if (wanted->constants[i].type == WF_NUMBER && length >= 0 &&
                length <= WF_DATA_LONGEST)
                add_lists(out, all, wanted, items, (uint32_t)length);
        }
    for (double i = least; wanted->vague.rule && most <= WF_DATA_LONGEST && i <= most; i++)
        add_lists(out, all, wanted, items, (uint32_t)i);
}

void wf_data_add_arrays(wf_data_classes *out, const wf_schema_group *all, const wf_cone *wanted)
{
    double least = WF_GROUP_LEAST(all, min_items, 0);
    wf_data_classes items = wf_data_inside(out);
    if (all->depth > MOST_DEPTH || least > 1000)
        return;
    wf_data_find(&items, wf_schema_group_items(all), wanted ? wanted->items : NULL);
    out->cut |= items.cut || items.count > (all->depth < 3 ? MOST_ITEMS : FEW_ITEMS);
    out->linked |= items.linked;
    add_lists_of(out, all, wanted, &items, (uint32_t)least);
    if (wanted)
        add_lengths(out, all, wanted, &items);
}
