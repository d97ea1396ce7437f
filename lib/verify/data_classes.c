/* verify/data_classes.c: the values of all types that some schemas allow, one of each class. */
#include "verify/data_make.h"

#include "base/invariant.h"
#include "verify/exactness.h"

static bool is_leaf(const wf_cone *wanted)
{
    return wanted->whole || wanted->constant_count > 0 || wanted->link_count > 0;
}

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

static bool add_options(wf_data_classes *out, const wf_schema_group *all, const wf_cone *wanted)
{
    bool found = false;
    for (uint32_t i = 0; i < all->count; i++) {
        const wf_value *options = all->list[i]->options;
        if (all->list[i]->constant)
            wf_data_add_fitting(out, all, *all->list[i]->constant, wanted);
        for (uint32_t k = 0; options && k < options->length; k++)
            wf_data_add_fitting(out, all, options->as.items[k], wanted);
        found |= options || all->list[i]->constant;
    }
    return found;
}

/* A value outside the cone: the simplest one that fits. */
static void add_simplest(wf_data_classes *out, const wf_schema_group *all, uint32_t types)
{
    static void (*const kinds[])(wf_data_classes *, const wf_schema_group *,
                                 const wf_cone *) = {wf_data_add_numbers, wf_data_add_strings,
                                                     wf_data_add_arrays, wf_data_add_objects};
    static const uint32_t bits[] = {1u << WF_NUMBER | 1u << WF_INTEGER_TYPE, 1u << WF_STRING,
                                    1u << WF_ARRAY, 1u << WF_OBJECT};
    if (types & 1u << WF_NULL)
        wf_data_add_fitting(out, all, wf_null(), NULL);
    if (out->count == 0 && types & 1u << WF_BOOLEAN)
        wf_data_add_fitting(out, all, wf_boolean(false), NULL);
    for (uint32_t i = 0; i < 4; i++)
        if (out->count == 0 && types & bits[i])
            kinds[i](out, all, NULL);
    wf_data_keep_first(out);
}

static void make_of_types(wf_data_classes *out, const wf_schema_group *all,
                          const wf_cone *wanted, uint32_t types)
{
    if (types & 1u << WF_NULL)
        wf_data_add_fitting(out, all, wf_null(), wanted);
    for (int yes = 0; yes <= 1 && types & 1u << WF_BOOLEAN; yes++)
        wf_data_add_fitting(out, all, wf_boolean(yes), wanted);
    if (types & (1u << WF_NUMBER | 1u << WF_INTEGER_TYPE))
        wf_data_add_numbers(out, all, wanted);
    if (types & 1u << WF_STRING)
        wf_data_add_strings(out, all, wanted);
    if ((wanted->number || wanted->test_count > 0) && types & 1u << WF_STRING) {
        wf_data_add_number_texts(out, all, wanted);
        wf_data_add_ordered_texts(out, all, wanted);
    }
    if (types & 1u << WF_ARRAY)
        wf_data_add_arrays(out, all, wanted);
    if (types & 1u << WF_OBJECT)
        wf_data_add_objects(out, all, wanted);
}

/* The value itself; for the length of a list also the numbers next to it. */
static void add_link(wf_data_classes *out, const wf_context_link *link, const wf_cone *wanted,
                     const wf_schema_group *all)
{
    const uint32_t beside = wf_schema_group_types(all) & 1u << WF_NUMBER
                                ? (uint32_t)WF_LINK_VALUES
                                : (uint32_t)WF_LINK_WHOLE;
    uint32_t count = link->known ? beside : 1;
    if (link->element)
        count = WF_LINK_ELEMENTS;
    for (uint32_t i = 0; i < count; i++)
        wf_data_push(out, link->stands[i], wanted);
    out->linked = true;
}

/* First values of the types that the rules name, then of the others. */
static void make_of_any(wf_data_classes *out, const wf_schema_group *all, const wf_cone *wanted)
{
    uint32_t first = types_wanted(wanted), rest = WF_ALL_TYPES & ~first;
    if (wf_data_is_unique(wanted))
        rest &= ~(1u << WF_ARRAY | 1u << WF_OBJECT);
    make_of_types(out, all, wanted, first);
    make_of_types(out, all, wanted, rest);
}

static void make(wf_data_classes *out, const wf_schema_group *all, const wf_cone *wanted)
{
    uint32_t types = wf_schema_group_types(all);
    wf_data_classes simple = {.arena = out->arena};
    if (!wanted) {
        if (!add_options(&simple, all, NULL))
            add_simplest(&simple, all, types);
        if (simple.count > 0)
            wf_data_add(out, simple.list[0], NULL);
        return;
    }
    if (add_options(out, all, wanted))
        return;
    out->cut |= wanted->many && out->links;
    for (uint32_t i = 0; i < wanted->link_count && out->links; i++)
        add_link(out, &out->links[wanted->links[i]], wanted, all);
    if (types == WF_ALL_TYPES)
        make_of_any(out, all, wanted);
    else
        make_of_types(out, all, wanted, types);
}

static bool some_fits(const wf_data_classes *data, const wf_schema *schema, bool yes)
{
    for (uint32_t i = 0; i < data->count; i++)
        if ((wf_schema_check(schema, &data->list[i], NULL) == WFSM_OK) == yes)
            return true;
    return false;
}

/* A value that is checked against a schema: values that fit it, and values that do not. */
static void make_fitting(wf_data_classes *out, const wf_schema_group *all,
                         const wf_cone *wanted)
{
    const wf_cone_schema *fits = wanted ? wanted->fits : NULL;
    for (const wf_cone_schema *fit = fits; fit; fit = fit->next) {
        wf_schema_group one = *all;
        if (wf_schema_group_implies(all, fit->schema))
            continue;
        wf_schema_group_add(&one, fit->schema);
        wf_data_find(out, one, wanted);
        out->cut |= !fit->schema->never && !some_fits(out, fit->schema, true);
    }
    make(out, all, wanted);
    for (const wf_cone_schema *fit = fits; fit; fit = fit->next)
        out->cut |=
            !some_fits(out, fit->schema, false) && !wf_schema_group_implies(all, fit->schema);
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

void wf_data_find(wf_data_classes *out, wf_schema_group all, const wf_cone *wanted)
{
    for (uint32_t i = 0; i < all.count; i++)
        if (all.list[i]->never)
            return;
    alternatives(out, all, 0, wanted);
    if (!wanted)
        wf_data_keep_first(out);
}

void wf_data_classes_find(wf_data_classes *data, wf_arena *arena, const wf_schema *schema,
                          const wf_cone *wanted, const wf_context_link *links)
{
    wf_schema_group all = {0};
    *data = (wf_data_classes){.arena = arena, .links = links};
    wf_schema_group_add(&all, schema);
    if (!schema)
        wf_data_push(data, wf_null(), wanted);
    if (schema || wanted)
        wf_data_find(data, all, wanted);
    WF_INVARIANT(links || !data->linked);
}
