/* verify/data_containers.c: objects and lists of the classes of their parts. */
#include "verify/data_make.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_DEPTH = 12,
    MOST_ITEMS = 12,
    FEW_ITEMS = 3, /* in lists that are deep inside */
    MOST_KEYS = 64,
    MOST_SUBSETS = 7
};

/* ---- objects ---- */

/* The cone of a member that no rule reads: it has different values, because whole objects are compared. None of them
 * refers to the context. */
static const wf_cone different = {.whole = true, .link_count = 1};

typedef struct choice {
    const char *key;
    uint32_t length;
    wf_data_classes values;
    bool optional;
    uint32_t at; /* == values.count: absent */
} choice;

static void add_choice(wf_data_classes *out, const wf_schema_group *all, choice *list,
                       uint32_t *count, const char *key, uint32_t length, const wf_cone *wanted)
{
    for (uint32_t i = 0; i < *count; i++)
        if (list[i].length == length && memcmp(list[i].key, key, length) == 0)
            return;
    if (*count == MOST_KEYS) {
        out->cut = true;
        return;
    }
    choice *self = &list[(*count)++];
    *self = (choice){
        .key = key, .length = length, .optional = !wf_schema_group_requires(all, key, length)};
    self->values = wf_data_inside(out);
    if (wanted == &different)
        self->values.links = NULL;
    wf_data_find(&self->values, wf_schema_group_member(all, key, length), wanted);
    out->linked |= self->values.linked;
    out->cut |= self->values.cut;
}

static wf_value object_of(wf_arena *arena, const choice *list, uint32_t count)
{
    wf_member *members = wf_arena_take(arena, (count + 1) * sizeof *members);
    uint32_t used = 0;
    if (!members)
        return wf_absent();
    for (uint32_t i = 0; i < count; i++)
        if (list[i].at < list[i].values.count)
            wf_member_set(&members[used++], list[i].key, list[i].length,
                          list[i].values.list[list[i].at]);
    return wf_object(members, used);
}

static bool next_choice(choice *list, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;) {
        if (++list[i].at < list[i].values.count + (list[i].optional ? 1 : 0))
            return true;
        list[i].at = 0;
    }
    return false;
}

/* One object for each combination of the values. */
static void add_combinations(wf_data_classes *out, const wf_schema_group *all,
                             const wf_cone *wanted, choice *list, uint32_t count)
{
    uint32_t tried = 0;
    bool full = false;
    for (uint32_t i = 0; i < count; i++)
        list[i].at = 0;
    do {
        wf_data_add_fitting(out, all, object_of(out->arena, list, count), wanted);
        full = ++tried > 4 * wf_data_most(out) || out->count >= wf_data_most(out);
    } while (!full && !out->arena->failed && next_choice(list, count));
    out->cut |= full;
}

static const wf_cone *wanted_of(const wf_cone *wanted, const wf_value *key)
{
    const wf_cone *own = wanted ? wf_cone_member(wanted, key->as.text, key->length) : NULL;
    return own || !wanted || (!wanted->whole && wanted->link_count == 0) ? own : &different;
}

static void add_keys(wf_data_classes *out, const wf_schema_group *all, const wf_cone *wanted,
                     choice *list, uint32_t *count)
{
    for (uint32_t i = 0; i < all->count; i++) {
        const wf_value *required = all->list[i]->required;
        for (uint32_t k = 0; required && k < required->length; k++) {
            const wf_value *key = &required->as.items[k];
            add_choice(out, all, list, count, key->as.text, key->length,
                       wanted_of(wanted, key));
        }
    }
    for (const wf_cone_part *part = wanted ? wanted->parts : NULL; part; part = part->next)
        add_choice(out, all, list, count, part->key, part->length, part->cone);
}

/* Adds a member that no rule reads, if the schemas allow one with this name. */
static void add_filler(wf_data_classes *out, const wf_schema_group *all, choice *list,
                       uint32_t *count, const char *key, uint32_t length, const wf_cone *wanted)
{
    const uint32_t before = *count;
    add_choice(out, all, list, count, key, length, wanted);
    if (*count > before && list[before].values.count == 0)
        *count = before;
}

/* Up to `most` of them, first those that the schemas name. */
static void add_fillers(wf_data_classes *out, const wf_schema_group *all, choice *list,
                        uint32_t *count, uint32_t most, const wf_cone *wanted)
{
    const uint32_t end = *count + most < MOST_KEYS ? *count + most : (uint32_t)MOST_KEYS;
    for (uint32_t i = 0; i < all->count; i++)
        for (uint32_t k = 0; k < all->list[i]->property_count && *count < end; k++) {
            const wf_member *key = all->list[i]->properties[k].source;
            add_filler(out, all, list, count, key->key, key->length, wanted);
        }
    for (uint32_t i = 0; i < most + MOST_KEYS && *count < end; i++) {
        char *key = wf_arena_take(out->arena, 16);
        if (!key)
            return;
        const int length = snprintf(key, 16, "other%u", (unsigned)i + 1);
        add_filler(out, all, list, count, key, (uint32_t)length, wanted);
    }
}

static uint32_t present(const choice *list, uint32_t count)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        found += list[i].at < list[i].values.count;
    return found;
}

/* Each combination of the first `own` members, filled up to this length. */
static void add_filled(wf_data_classes *out, const wf_schema_group *all, const wf_cone *wanted,
                       choice *list, uint32_t own, uint32_t fillers, uint32_t length)
{
    for (uint32_t i = 0; i < own + fillers; i++)
        list[i].at = 0;
    do {
        const uint32_t there = present(list, own), more = length > there ? length - there : 0;
        if (more > 0 && more <= fillers)
            wf_data_add_fitting(out, all, object_of(out->arena, list, own + more), wanted);
    } while (out->count < wf_data_most(out) && !out->arena->failed && next_choice(list, own));
    out->cut |= out->count >= wf_data_most(out);
}

/* Objects of each length that is asked for, and of those beside it. */
static void add_lengths_of_object(wf_data_classes *out, const wf_schema_group *all,
                                  const wf_cone *wanted, choice *list, uint32_t own)
{
    uint32_t count = own;
    add_fillers(out, all, list, &count, MOST_KEYS, NULL);
    for (uint32_t i = 0; i <= 2; i++)
        add_filled(out, all, wanted, list, own, count - own, i);
    for (uint32_t i = 0; i < wanted->constant_count; i++)
        for (int step = -1; step <= 1; step++) {
            const wf_value *asked = &wanted->constants[i];
            const double length =
                asked->type == WF_NUMBER ? floor(asked->as.number) + step : -1;
            if (length > 0 && length <= MOST_KEYS)
                add_filled(out, all, wanted, list, own, count - own, (uint32_t)length);
        }
}

/* Each combination again, with different values of one more member. */
static void add_different(wf_data_classes *out, const wf_schema_group *all,
                          const wf_cone *wanted, choice *list, uint32_t own)
{
    uint32_t count = own;
    add_fillers(out, all, list, &count, 1, &different);
    if (count > own)
        add_combinations(out, all, wanted, list, count);
}

void wf_data_add_objects(wf_data_classes *out, const wf_schema_group *all,
                         const wf_cone *wanted)
{
    choice *list = wf_arena_take(out->arena, MOST_KEYS * sizeof *list);
    uint32_t count = 0;
    if (!list || all->depth > MOST_DEPTH)
        return;
    add_keys(out, all, wanted, list, &count);
    add_combinations(out, all, wanted, list, count);
    if (!wanted)
        return;
    if (wanted->length)
        add_lengths_of_object(out, all, wanted, list, count);
    if (wanted->whole || wanted->link_count > 0)
        add_different(out, all, wanted, list, count);
    if (!wanted->truth)
        return;
    add_fillers(out, all, list, &count, 1, NULL);
    add_combinations(out, all, wanted, list, count);
}

/* ---- lists ---- */

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
