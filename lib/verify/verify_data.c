#include "verify/verify_data.h"

#include <math.h>
#include <string.h>
#include "logic/schema_tree.h"

enum { ALL_TYPES = 0xFE, MOST_SCHEMAS = 24, MOST_DEPTH = 12, MOST_ITEMS = 12, MOST_KEYS = 64 };

/* Schemas that hold for the same value, all of them. */
typedef struct together {
    const wf_schema *list[MOST_SCHEMAS];
    uint32_t count;
    uint32_t depth;
} together;

static void find(wf_data *out, together all, const wf_demand *wanted);

static void push(wf_data *data, wf_value value)
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
    data->list[data->count++] = value;
}

static bool is_leaf(const wf_demand *wanted)
{
    return wanted->whole || wanted->constant_count > 0 || wanted->link_count > 0;
}

bool wf_data_stands(const wf_value *value, const wf_tie *links, uint32_t count, uint32_t *link,
                    uint32_t *how)
{
    if (value->type != WF_STRING || value->length != 3 || value->as.text[0] != '\1')
        return false;
    for (*link = 0; *link < count; (*link)++)
        for (*how = 0; *how < 3; (*how)++)
            if (value->as.text == links[*link].stands[*how].as.text)
                return true;
    return false;
}

/* What a value of the context is, is known later, and so whether it fits. */
static bool is_open(const wf_value *value)
{
    if (value->type == WF_STRING)
        return value->length == 3 && value->as.text[0] == '\1';
    for (uint32_t i = 0; value->type == WF_ARRAY && i < value->length; i++)
        if (is_open(&value->as.items[i]))
            return true;
    for (uint32_t i = 0; value->type == WF_OBJECT && i < value->length; i++)
        if (is_open(&value->as.members[i].value))
            return true;
    return false;
}

static bool fit_alike(const wf_value *a, const wf_value *b, const wf_demand *wanted)
{
    bool known = !wanted->fits || (!is_open(a) && !is_open(b));
    for (const wf_fit *fit = wanted->fits; known && fit; fit = fit->next)
        if ((wf_schema_check(fit->schema, a, NULL) == WFSM_OK) !=
            (wf_schema_check(fit->schema, b, NULL) == WFSM_OK))
            return false;
    return true;
}

bool wf_data_alike(const wf_value *a, const wf_value *b, const wf_demand *wanted)
{
    if (!wanted)
        return true;
    if (is_leaf(wanted) || a->type != b->type)
        return wf_value_equal(a, b);
    if ((wanted->truth && wf_value_truth(a) != wf_value_truth(b)) || !fit_alike(a, b, wanted))
        return false;
    if (a->type == WF_ARRAY && (wanted->length || wanted->items)) {
        if (a->length != b->length)
            return false;
        for (uint32_t i = 0; i < a->length; i++)
            if (!wf_data_alike(&a->as.items[i], &b->as.items[i], wanted->items))
                return false;
    }
    for (const wf_demand_part *part = wanted->parts; part; part = part->next) {
        const wf_value *one = wf_value_get(a, part->key, part->length);
        const wf_value *two = wf_value_get(b, part->key, part->length);
        if ((!one) != (!two) || (one && !wf_data_alike(one, two, part->demand)))
            return false;
    }
    return true;
}

static void add(wf_data *data, wf_value value, const wf_demand *wanted)
{
    for (uint32_t i = 0; i < data->count; i++)
        if (wf_value_equal(&data->list[i], &value) ||
            (wanted && data->list[i].type == value.type &&
             wf_data_alike(&data->list[i], &value, wanted)))
            return;
    if (data->count >= WF_DATA_MOST)
        data->cut = true;
    else
        push(data, value);
}

/* ---- what the schemas say together ---- */

static void with(together *all, const wf_schema *schema)
{
    if (schema && all->count < MOST_SCHEMAS)
        all->list[all->count++] = schema;
}

static uint32_t types_of(const together *all)
{
    uint32_t types = ALL_TYPES;
    for (uint32_t i = 0; i < all->count; i++) {
        uint32_t own = all->list[i]->types;
        if (own == 0)
            continue;
        if (own & 1u << WF_NUMBER)
            own |= 1u << WF_INTEGER_TYPE;
        types &= own;
    }
    return types;
}

static bool fits(const together *all, const wf_value *value)
{
    if (is_open(value))
        return true;
    for (uint32_t i = 0; i < all->count; i++)
        if (wf_schema_check(all->list[i], value, NULL) != WFSM_OK)
            return false;
    return true;
}

/* A greatest lower bound, or least upper one, of all of them. */
static double bound(const together *all, size_t offset, double other, bool least)
{
    double found = other;
    for (uint32_t i = 0; i < all->count; i++) {
        const wf_bound *self = (const void *)((const char *)all->list[i] + offset);
        if (self->set && (least ? self->value > found : self->value < found))
            found = self->value;
    }
    return found;
}
#define LEAST(all, member, other) bound(all, offsetof(wf_schema, member), other, true)
#define MOST(all, member, other) bound(all, offsetof(wf_schema, member), other, false)

static bool
    requires(const together *all, const char *key, uint32_t length)
{
    for (uint32_t i = 0; i < all->count; i++) {
        const wf_value *list = all->list[i]->required;
        for (uint32_t k = 0; list && k < list->length; k++)
            if (list->as.items[k].length == length &&
                memcmp(list->as.items[k].as.text, key, length) == 0)
                return true;
    }
    return false;
}

/* What the schemas say about one member. */
static together member_of(const together *all, const char *key, uint32_t length)
{
    together of = {.depth = all->depth + 1};
    for (uint32_t i = 0; i < all->count; i++) {
        const wf_schema *own = wf_schema_find(all->list[i], key, length, wf_hash(key, length));
        with(&of, own ? own : all->list[i]->additional);
    }
    return of;
}

static together items_of(const together *all)
{
    together of = {.depth = all->depth + 1};
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->list[i]->prefix.set && all->list[i]->prefix.count > 0)
            with(&of, all->list[i]->prefix.list[0]);
        else
            with(&of, all->list[i]->items);
    }
    return of;
}

/* ---- scalars ---- */

static void add_fitting(wf_data *out, const together *all, wf_value value,
                        const wf_demand *wanted)
{
    if (value.type != WF_ABSENT && fits(all, &value))
        add(out, value, wanted && is_leaf(wanted) ? NULL : wanted);
}

static bool add_options(wf_data *out, const together *all, const wf_demand *wanted)
{
    bool found = false;
    for (uint32_t i = 0; i < all->count; i++) {
        const wf_value *options = all->list[i]->options;
        if (all->list[i]->constant)
            add_fitting(out, all, *all->list[i]->constant, wanted);
        for (uint32_t k = 0; options && k < options->length; k++)
            add_fitting(out, all, options->as.items[k], wanted);
        found |= options || all->list[i]->constant;
    }
    return found;
}

static void add_numbers(wf_data *out, const together *all, const wf_demand *wanted)
{
    double least = LEAST(all, minimum, -INFINITY), most = MOST(all, maximum, INFINITY);
    double above = LEAST(all, above, -INFINITY), below = MOST(all, below, INFINITY);
    double multiple = LEAST(all, multiple, 1);
    if (above >= least)
        least = above + multiple;
    if (below <= most)
        most = below - multiple;
    uint32_t before = out->count;
    for (uint32_t i = 0; wanted && i < wanted->constant_count; i++)
        for (int step = -1; step <= 1; step++)
            if (wanted->constants[i].type == WF_NUMBER)
                add_fitting(out, all,
                            wf_number(wanted->constants[i].as.number + step * multiple),
                            wanted);
    if (isfinite(least))
        add_fitting(out, all, wf_number(ceil(least / multiple) * multiple), wanted);
    if (wanted && isfinite(most))
        add_fitting(out, all, wf_number(floor(most / multiple) * multiple), wanted);
    if (wanted && isfinite(least) && isfinite(most) && (most - least) / multiple <= 16)
        for (double at = least; at <= most; at += multiple)
            add_fitting(out, all, wf_number(at), wanted);
    bool single = out->count == before;
    if (single || (wanted && wanted->truth))
        add_fitting(out, all, wf_number(0), wanted);
    if (wanted && (single || wanted->truth))
        add_fitting(out, all, wf_number(1), wanted);
}

static wf_value text_of_length(wf_arena *arena, size_t length)
{
    static const char other[] = "other";
    char *text = wf_arena_take(arena, length + 1);
    if (!text)
        return wf_absent();
    for (size_t i = 0; i < length; i++)
        text[i] = other[i % (sizeof other - 1)];
    text[length] = '\0';
    return wf_string(text, length);
}

static void add_strings(wf_data *out, const together *all, const wf_demand *wanted)
{
    double least = LEAST(all, min_length, 0), most = MOST(all, max_length, 5);
    size_t length = least > 5 ? (size_t)least : most < 5 ? (size_t)most : 5;
    if (length > 10000)
        return;
    for (uint32_t i = 0; wanted && i < wanted->constant_count; i++)
        if (wanted->constants[i].type == WF_STRING)
            add_fitting(out, all, wanted->constants[i], wanted);
    add_fitting(out, all, text_of_length(out->arena, length), wanted);
    if (wanted && (wanted->truth || wanted->length))
        add_fitting(out, all, wf_string_z(""), wanted);
}

/* ---- containers ---- */

typedef struct choice {
    const char *key;
    uint32_t length;
    wf_data values;
    bool optional;
    uint32_t at; /* == values.count: absent */
} choice;

static void add_choice(wf_data *out, const together *all, choice *list, uint32_t *count,
                       const char *key, uint32_t length, const wf_demand *wanted)
{
    for (uint32_t i = 0; i < *count; i++)
        if (list[i].length == length && memcmp(list[i].key, key, length) == 0)
            return;
    if (*count == MOST_KEYS)
        return;
    choice *self = &list[(*count)++];
    *self = (choice){.key = key, .length = length, .optional = !requires(all, key, length)};
    self->values.arena = out->arena;
    self->values.links = out->links;
    find(&self->values, member_of(all, key, length), wanted);
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

static void add_objects(wf_data *out, const together *all, const wf_demand *wanted)
{
    choice *list = wf_arena_take(out->arena, MOST_KEYS * sizeof *list);
    uint32_t count = 0, tried = 0;
    if (!list || all->depth > MOST_DEPTH)
        return;
    for (uint32_t i = 0; i < all->count; i++) {
        const wf_value *required = all->list[i]->required;
        for (uint32_t k = 0; required && k < required->length; k++) {
            const wf_value *key = &required->as.items[k];
            add_choice(out, all, list, &count, key->as.text, key->length,
                       !wanted ? NULL : wf_demand_member(wanted, key->as.text, key->length));
        }
    }
    for (const wf_demand_part *part = wanted ? wanted->parts : NULL; part; part = part->next)
        add_choice(out, all, list, &count, part->key, part->length, part->demand);
    do {
        add_fitting(out, all, object_of(out->arena, list, count), wanted);
        out->cut |= ++tried > 4 * WF_DATA_MOST;
    } while (!out->cut && !out->arena->failed && next_choice(list, count));
}

static wf_value list_of(wf_arena *arena, const wf_data *items, uint32_t length, uint32_t first,
                        uint32_t rest)
{
    wf_value *list = wf_arena_take(arena, (length + 1u) * sizeof *list);
    if (!list)
        return wf_absent();
    for (uint32_t i = 0; i < length; i++)
        list[i] = items->list[i == 0 ? first : rest];
    return wf_array(list, length);
}

/* All that are alike, and all with the first one different. */
static void add_lists_of(wf_data *out, const together *all, const wf_demand *wanted,
                         const wf_data *items, uint32_t length)
{
    uint32_t kinds = items->count > MOST_ITEMS ? MOST_ITEMS : items->count;
    if (length == 0 || kinds == 0) {
        add_fitting(out, all, list_of(out->arena, items, 0, 0, 0), wanted);
        return;
    }
    for (uint32_t rest = 0; rest < kinds; rest++)
        for (uint32_t first = 0; first < kinds; first++)
            if (first == rest || length > 1)
                add_fitting(out, all, list_of(out->arena, items, length, first, rest), wanted);
}

static void add_arrays(wf_data *out, const together *all, const wf_demand *wanted)
{
    double least = LEAST(all, min_items, 0);
    wf_data items = {.arena = out->arena, .links = out->links};
    if (all->depth > MOST_DEPTH || least > 1000)
        return;
    find(&items, items_of(all), wanted ? wanted->items : NULL);
    out->cut |= items.cut || items.count > MOST_ITEMS;
    out->linked |= items.linked;
    add_lists_of(out, all, wanted, &items, (uint32_t)least);
    if (!wanted)
        return;
    for (uint32_t i = 0; i <= 2; i++)
        add_lists_of(out, all, wanted, &items, i);
    for (uint32_t i = 0; i < wanted->constant_count; i++)
        for (int step = -1; step <= 1; step++) {
            double length = wanted->constants[i].as.number + step;
            if (wanted->constants[i].type == WF_NUMBER && length >= 0 && length <= 64)
                add_lists_of(out, all, wanted, &items, (uint32_t)length);
        }
}

/* ---- any value ---- */

static bool compared_with(const wf_demand *wanted, enum wf_type type)
{
    for (uint32_t i = 0; i < wanted->constant_count; i++)
        if (wanted->constants[i].type == type)
            return true;
    return false;
}

/* Without a type, those that make a difference. */
static uint32_t types_wanted(const wf_demand *wanted)
{
    uint32_t types = 0;
    if (wanted->parts)
        types |= 1u << WF_OBJECT;
    if (wanted->items || (wanted->length && !is_leaf(wanted)))
        types |= 1u << WF_ARRAY;
    if (compared_with(wanted, WF_NUMBER))
        types |= 1u << WF_NUMBER;
    if (compared_with(wanted, WF_BOOLEAN))
        types |= 1u << WF_BOOLEAN;
    if (compared_with(wanted, WF_NULL))
        types |= 1u << WF_NULL;
    if (compared_with(wanted, WF_STRING) || is_leaf(wanted) || types == 0)
        types |= 1u << WF_STRING;
    return types;
}

/* A value of which nothing is wanted: the simplest that fits. */
static void add_simplest(wf_data *out, const together *all, uint32_t types)
{
    static void (*const kinds[])(wf_data *, const together *, const wf_demand *) = {
        add_numbers, add_strings, add_arrays, add_objects};
    static const uint32_t bits[] = {1u << WF_NUMBER | 1u << WF_INTEGER_TYPE, 1u << WF_STRING,
                                    1u << WF_ARRAY, 1u << WF_OBJECT};
    if (types & 1u << WF_NULL)
        add_fitting(out, all, wf_null(), NULL);
    if (out->count == 0 && types & 1u << WF_BOOLEAN)
        add_fitting(out, all, wf_boolean(false), NULL);
    for (uint32_t i = 0; i < 4; i++)
        if (out->count == 0 && types & bits[i])
            kinds[i](out, all, NULL);
    if (out->count > 1)
        out->count = 1;
}

static void make(wf_data *out, const together *all, const wf_demand *wanted)
{
    uint32_t types = types_of(all);
    wf_data simple = {.arena = out->arena};
    if (!wanted) {
        if (!add_options(&simple, all, NULL))
            add_simplest(&simple, all, types);
        if (simple.count > 0)
            add(out, simple.list[0], NULL);
        return;
    }
    if (add_options(out, all, wanted))
        return;
    out->cut |= wanted->many && out->links;
    for (uint32_t i = 0; i < wanted->link_count && out->links; i++)
        for (uint32_t k = 0; k < 3; k++) {
            push(out, out->links[wanted->links[i]].stands[k]);
            out->linked = true;
        }
    if (types == ALL_TYPES)
        types = types_wanted(wanted);
    if (types & 1u << WF_NULL)
        add_fitting(out, all, wf_null(), wanted);
    for (int yes = 0; yes <= 1 && types & 1u << WF_BOOLEAN; yes++)
        add_fitting(out, all, wf_boolean(yes), wanted);
    if (types & (1u << WF_NUMBER | 1u << WF_INTEGER_TYPE))
        add_numbers(out, all, wanted);
    if (types & 1u << WF_STRING)
        add_strings(out, all, wanted);
    if (types & 1u << WF_ARRAY)
        add_arrays(out, all, wanted);
    if (types & 1u << WF_OBJECT)
        add_objects(out, all, wanted);
}

static bool among(const together *all, const wf_schema *schema)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (all->list[i] == schema)
            return true;
    return false;
}

/* What is asked to fit a schema fits it, or does not. */
static void make_fitting(wf_data *out, const together *all, const wf_demand *wanted)
{
    for (const wf_fit *fit = wanted ? wanted->fits : NULL; fit; fit = fit->next) {
        together one = *all;
        if (among(all, fit->schema))
            continue;
        with(&one, fit->schema);
        find(out, one, wanted);
    }
    make(out, all, wanted);
}

/* Alternatives one after the other, each together with the rest. */
static void alternatives(wf_data *out, together all, uint32_t from, const wf_demand *wanted)
{
    for (uint32_t i = from; i < all.count; i++) {
        const wf_schema *self = all.list[i];
        with(&all, self->reference);
        for (uint32_t k = 0; k < self->all.count; k++)
            with(&all, self->all.list[k]);
        const wf_schema_list *either = self->any.set ? &self->any : &self->one;
        if (!either->set)
            continue;
        for (uint32_t k = 0; k < either->count; k++) {
            together one = all;
            with(&one, either->list[k]);
            alternatives(out, one, i + 1, wanted);
        }
        return;
    }
    make_fitting(out, &all, wanted);
}

static void find(wf_data *out, together all, const wf_demand *wanted)
{
    for (uint32_t i = 0; i < all.count; i++)
        if (all.list[i]->never)
            return;
    alternatives(out, all, 0, wanted);
    if (!wanted && out->count > 1)
        out->count = 1;
}

void wf_data_find(wf_data *data, wf_arena *arena, const wf_schema *schema,
                  const wf_demand *wanted, const wf_tie *links)
{
    together all = {0};
    *data = (wf_data){.arena = arena, .links = links};
    with(&all, schema);
    if (!schema)
        push(data, wf_null());
    if (schema || wanted)
        find(data, all, wanted);
}
