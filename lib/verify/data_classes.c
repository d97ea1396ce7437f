#include "verify/data_classes.h"

#include <math.h>
#include <string.h>
#include "logic/json.h"
#include "verify/schema_group.h"
#include "base/invariant.h"

enum { MOST_DEPTH = 12, MOST_ITEMS = 12, MOST_KEYS = 64 };

static void find(wf_data_classes *out, wf_schema_group all, const wf_cone *wanted);

static void push(wf_data_classes *data, wf_value value)
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

static bool is_leaf(const wf_cone *wanted)
{
    return wanted->whole || wanted->constant_count > 0 || wanted->link_count > 0;
}

bool wf_data_stands_for(const wf_value *value, const wf_context_link *links, uint32_t count,
                        uint32_t *link, uint32_t *how)
{
    if (value->type != WF_STRING || value->length != 3 || value->as.text[0] != '\1')
        return false;
    for (*link = 0; *link < count; (*link)++)
        for (*how = 0; *how < 3; (*how)++)
            if (value->as.text == links[*link].stands[*how].as.text)
                return true;
    return false;
}

/* Whether a value of the context fits is known only in a state. */
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

static bool fit_alike(const wf_value *a, const wf_value *b, const wf_cone *wanted)
{
    bool known = !wanted->fits || (!is_open(a) && !is_open(b));
    for (const wf_cone_schema *fit = wanted->fits; known && fit; fit = fit->next)
        if ((wf_schema_check(fit->schema, a, NULL) == WFSM_OK) !=
            (wf_schema_check(fit->schema, b, NULL) == WFSM_OK))
            return false;
    return true;
}

bool wf_data_alike(const wf_value *a, const wf_value *b, const wf_cone *wanted)
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
    for (const wf_cone_part *part = wanted->parts; part; part = part->next) {
        const wf_value *one = wf_value_get(a, part->key, part->length);
        const wf_value *two = wf_value_get(b, part->key, part->length);
        if ((!one) != (!two) || (one && !wf_data_alike(one, two, part->cone)))
            return false;
    }
    return true;
}

static void add(wf_data_classes *data, wf_value value, const wf_cone *wanted)
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

static bool fits(const wf_schema_group *all, const wf_value *value)
{
    return is_open(value) || wf_schema_group_accepts(all, value);
}

#define LEAST(all, member, other)                                                              \
    wf_schema_group_bound(all, offsetof(wf_schema, member), other, true)
#define MOST(all, member, other)                                                               \
    wf_schema_group_bound(all, offsetof(wf_schema, member), other, false)

/* ---- scalars ---- */

static void add_fitting(wf_data_classes *out, const wf_schema_group *all, wf_value value,
                        const wf_cone *wanted)
{
    if (value.type != WF_ABSENT && fits(all, &value))
        add(out, value, wanted && is_leaf(wanted) ? NULL : wanted);
}

static bool add_options(wf_data_classes *out, const wf_schema_group *all, const wf_cone *wanted)
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

static void add_numbers(wf_data_classes *out, const wf_schema_group *all, const wf_cone *wanted)
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

/* The texts of a length differ in their numbers, below 10. */
static wf_value text_of_length(wf_arena *arena, size_t length, uint32_t number)
{
    static const char other[] = "other";
    char *text = wf_arena_take(arena, length + 1);
    if (!text)
        return wf_absent();
    for (size_t i = 0; i < length; i++)
        text[i] = other[i % (sizeof other - 1)];
    if (number > 0 && length > 0)
        text[length - 1] = (char)('0' + number);
    text[length] = '\0';
    return wf_string(text, length);
}

static void add_strings(wf_data_classes *out, const wf_schema_group *all, const wf_cone *wanted)
{
    double least = LEAST(all, min_length, 0), most = MOST(all, max_length, 5);
    size_t length = least > 5 ? (size_t)least : most < 5 ? (size_t)most : 5;
    if (length > 10000)
        return;
    for (uint32_t i = 0; wanted && i < wanted->constant_count; i++)
        if (wanted->constants[i].type == WF_STRING)
            add_fitting(out, all, wanted->constants[i], wanted);
    /* As many as are compared with texts of the context, and one that differs from all of them. */
    for (uint32_t i = 0; i <= (wanted ? wanted->link_count : 0); i++)
        add_fitting(out, all, text_of_length(out->arena, length, i), wanted);
    if (wanted && (wanted->truth || wanted->length))
        add_fitting(out, all, wf_string_z(""), wanted);
}

/* Texts that operators read as numbers; beside numbers they would make no difference. */
static void add_number_texts(wf_data_classes *out, const wf_schema_group *all,
                             const wf_cone *wanted)
{
    const wf_value one = wf_number(1);
    for (uint32_t i = 0; i <= wanted->constant_count; i++) {
        const wf_value *number = i < wanted->constant_count ? &wanted->constants[i] : &one;
        for (int step = -1; step <= 1 && number->type == WF_NUMBER; step++) {
            char text[WF_NUMBER_BYTES];
            size_t length = wf_number_text(number->as.number + step, text);
            add_fitting(out, all, wf_string_copy(out->arena, text, length), NULL);
        }
    }
}

/* ---- containers ---- */

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
    if (*count == MOST_KEYS)
        return;
    choice *self = &list[(*count)++];
    *self = (choice){
        .key = key, .length = length, .optional = !wf_schema_group_requires(all, key, length)};
    self->values.arena = out->arena;
    self->values.links = out->links;
    find(&self->values, wf_schema_group_member(all, key, length), wanted);
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

static void add_objects(wf_data_classes *out, const wf_schema_group *all, const wf_cone *wanted)
{
    choice *list = wf_arena_take(out->arena, MOST_KEYS * sizeof *list);
    uint32_t count = 0, tried = 0;
    wf_value null = wf_null();
    if (!list || all->depth > MOST_DEPTH)
        return;
    for (uint32_t i = 0; i < all->count; i++) {
        const wf_value *required = all->list[i]->required;
        for (uint32_t k = 0; required && k < required->length; k++) {
            const wf_value *key = &required->as.items[k];
            add_choice(out, all, list, &count, key->as.text, key->length,
                       !wanted ? NULL : wf_cone_member(wanted, key->as.text, key->length));
        }
    }
    for (const wf_cone_part *part = wanted ? wanted->parts : NULL; part; part = part->next)
        add_choice(out, all, list, &count, part->key, part->length, part->cone);
    do {
        add_fitting(out, all, object_of(out->arena, list, count), wanted);
        out->cut |= ++tried > 4 * WF_DATA_MOST;
    } while (!out->cut && !out->arena->failed && next_choice(list, count));
    if (wanted && wanted->truth && count == 0) {
        choice some = {.key = "some", .length = 4, .values = {.list = &null, .count = 1}};
        add_fitting(out, all, object_of(out->arena, &some, 1), wanted);
    }
}

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

static void add_arrays(wf_data_classes *out, const wf_schema_group *all, const wf_cone *wanted)
{
    double least = LEAST(all, min_items, 0);
    wf_data_classes items = {.arena = out->arena, .links = out->links};
    if (all->depth > MOST_DEPTH || least > 1000)
        return;
    find(&items, wf_schema_group_items(all), wanted ? wanted->items : NULL);
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

static bool compared_with(const wf_cone *wanted, enum wf_type type)
{
    for (uint32_t i = 0; i < wanted->constant_count; i++)
        if (wanted->constants[i].type == type)
            return true;
    return false;
}

/* If the schema names no type: the types that differ in the cone. */
static uint32_t types_wanted(const wf_cone *wanted)
{
    uint32_t types = 0;
    if (wanted->parts)
        types |= 1u << WF_OBJECT;
    if (wanted->items || wanted->length)
        types |= 1u << WF_ARRAY;
    if (compared_with(wanted, WF_NUMBER))
        types |= 1u << WF_NUMBER;
    if (compared_with(wanted, WF_BOOLEAN))
        types |= 1u << WF_BOOLEAN;
    if (compared_with(wanted, WF_NULL))
        types |= 1u << WF_NULL;
    if (compared_with(wanted, WF_STRING) || is_leaf(wanted) || types == 0)
        types |= 1u << WF_STRING;
    if (wanted->kind && types == 1u << WF_STRING && !is_leaf(wanted))
        types |= 1u << WF_NUMBER;
    return types;
}

/* A value outside the cone: the simplest one that fits. */
static void add_simplest(wf_data_classes *out, const wf_schema_group *all, uint32_t types)
{
    static void (*const kinds[])(wf_data_classes *, const wf_schema_group *,
                                 const wf_cone *) = {add_numbers, add_strings, add_arrays,
                                                     add_objects};
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

static void make(wf_data_classes *out, const wf_schema_group *all, const wf_cone *wanted)
{
    uint32_t types = wf_schema_group_types(all);
    wf_data_classes simple = {.arena = out->arena};
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
    bool any = types == WF_ALL_TYPES;
    if (any)
        types = types_wanted(wanted);
    if (types & 1u << WF_NULL)
        add_fitting(out, all, wf_null(), wanted);
    for (int yes = 0; yes <= 1 && types & 1u << WF_BOOLEAN; yes++)
        add_fitting(out, all, wf_boolean(yes), wanted);
    if (types & (1u << WF_NUMBER | 1u << WF_INTEGER_TYPE))
        add_numbers(out, all, wanted);
    if (types & 1u << WF_STRING)
        add_strings(out, all, wanted);
    if (wanted->kind && !(types & (1u << WF_NUMBER | 1u << WF_INTEGER_TYPE)) &&
        types & 1u << WF_STRING && !any)
        add_number_texts(out, all, wanted);
    if (types & 1u << WF_ARRAY)
        add_arrays(out, all, wanted);
    if (types & 1u << WF_OBJECT)
        add_objects(out, all, wanted);
    if (any && wanted->kind) /* nearly no operator takes it */
        add_fitting(out, all, wf_boolean(true), wanted);
}

/* A value that is checked against a schema: values that fit it, and values that do not. */
static void make_fitting(wf_data_classes *out, const wf_schema_group *all,
                         const wf_cone *wanted)
{
    for (const wf_cone_schema *fit = wanted ? wanted->fits : NULL; fit; fit = fit->next) {
        wf_schema_group one = *all;
        if (wf_schema_group_has(all, fit->schema))
            continue;
        wf_schema_group_add(&one, fit->schema);
        find(out, one, wanted);
    }
    make(out, all, wanted);
}

/* Alternatives (anyOf, oneOf) one after the other, each together with the other schemas. */
static void alternatives(wf_data_classes *out, wf_schema_group all, uint32_t from,
                         const wf_cone *wanted)
{
    for (uint32_t i = from; i < all.count; i++) {
        const wf_schema *self = all.list[i];
        wf_schema_group_add(&all, self->reference);
        for (uint32_t k = 0; k < self->all.count; k++)
            wf_schema_group_add(&all, self->all.list[k]);
        const wf_schema_list *either = self->any.set ? &self->any : &self->one;
        if (!either->set)
            continue;
        for (uint32_t k = 0; k < either->count; k++) {
            wf_schema_group one = all;
            wf_schema_group_add(&one, either->list[k]);
            alternatives(out, one, i + 1, wanted);
        }
        return;
    }
    make_fitting(out, &all, wanted);
}

static void find(wf_data_classes *out, wf_schema_group all, const wf_cone *wanted)
{
    for (uint32_t i = 0; i < all.count; i++)
        if (all.list[i]->never)
            return;
    alternatives(out, all, 0, wanted);
    if (!wanted && out->count > 1)
        out->count = 1;
}

void wf_data_classes_find(wf_data_classes *data, wf_arena *arena, const wf_schema *schema,
                          const wf_cone *wanted, const wf_context_link *links)
{
    wf_schema_group all = {0};
    *data = (wf_data_classes){.arena = arena, .links = links};
    wf_schema_group_add(&all, schema);
    if (!schema)
        push(data, wf_null());
    if (schema || wanted)
        find(data, all, wanted);
    WF_INVARIANT(links || !data->linked);
}
