#include "verify/exactness.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "verify/cone_find.h"

enum { LONGEST_LIST = 62, DEEPEST = 10, BITS_NUMBER = 1u << WF_NUMBER | 1u << WF_INTEGER_TYPE };

static const char any_helps[] = "a schema that says what the value may be",
                  list_helps[] = "an `enum`, or a list that is kept in the context",
                  number_helps[] =
                      "an `enum`, or a `minimum` and a `maximum` close to each other",
                  length_helps[] = "a `maxItems`",
                  elements_helps[] = "a small `maxItems`, and an `enum` for the elements",
                  text_helps[] = "an `enum`, or a comparison with constants";

static wf_undecided undecided(const wf_cone *wanted, wf_schema_group all);

static const wf_undecided decided = {.remedy = ""};

static wf_undecided by(const wf_cone *wanted, const char *remedy)
{
    return (wf_undecided){true, wanted->vague.rule ? wanted->vague : wanted->reader, remedy};
}

/* ---- schemas ---- */

/* All of its values are tried. */
static bool is_finite(const wf_schema_group *all, uint32_t types)
{
    double least = wf_schema_group_bound(all, offsetof(wf_schema, minimum), -INFINITY, true);
    double most = wf_schema_group_bound(all, offsetof(wf_schema, maximum), INFINITY, false);
    for (uint32_t i = 0; i < all->count; i++)
        if (all->list[i]->options || all->list[i]->constant)
            return true;
    if (types & ~(1u << WF_NULL | 1u << WF_BOOLEAN | 1u << WF_INTEGER_TYPE))
        return false;
    return !(types & 1u << WF_INTEGER_TYPE) || most - least <= 16;
}

/* Only the multiples of one number are tried. A value that is a multiple of two numbers may be further away. And
 * `multipleOf` allows for rounding, so that numbers beside a multiple fit, too: only for integers, and a divisor that is
 * whole and not very large, it is exact. */
static bool has_odd_multiples(const wf_schema_group *all)
{
    uint32_t count = 0;
    bool whole = !(wf_schema_group_types(all) & 1u << WF_NUMBER), exact = true;
    for (uint32_t i = 0; i < all->count; i++) {
        const wf_bound *multiple = &all->list[i]->multiple;
        count += multiple->set;
        exact &= !multiple->set ||
                 (whole && multiple->value == floor(multiple->value) && multiple->value < 1e8);
    }
    return count > 1 || !exact;
}

/* Words that data_classes.c only checks afterwards. */
static bool is_odd(const wf_schema_group *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        const wf_schema *self = all->list[i];
        if (self->negated || self->prefix.set || self->unique || self->min_members.set ||
            self->max_members.set || self->one.set)
            return true;
    }
    return has_odd_multiples(all);
}

bool wf_schema_asks_type_only(const wf_schema *schema)
{
    return !schema->never && !schema->options && !schema->constant && !schema->required &&
           !schema->minimum.set && !schema->maximum.set && !schema->above.set &&
           !schema->below.set && !schema->multiple.set && !schema->min_length.set &&
           !schema->max_length.set && !schema->min_items.set && !schema->max_items.set &&
           !schema->min_members.set && !schema->max_members.set && !schema->property_count &&
           !schema->additional && !schema->items && !schema->negated && !schema->reference &&
           !schema->prefix.set && !schema->any.set && !schema->one.set && !schema->all.set &&
           !schema->unique;
}

bool wf_schema_takes_all(const wf_schema *schema, enum wf_type type)
{
    return wf_schema_asks_type_only(schema) &&
           (schema->types == 0 || (schema->types >> type & 1) != 0);
}

static bool asks_scalar(const wf_schema *schema)
{
    uint32_t containers = 1u << WF_ARRAY | 1u << WF_OBJECT;
    return schema->types != 0 && !(schema->types & containers) && !schema->multiple.set &&
           !schema->min_length.set && !schema->max_length.set && !schema->negated &&
           !schema->any.set && !schema->one.set && !schema->all.set && !schema->reference;
}

/* There are values that fit, and values that do not, in every class of the rest. */
static bool is_split(const wf_cone *wanted, const wf_schema *fit, uint32_t types)
{
    bool parts = wanted->parts || wanted->items || wanted->length || wanted->text ||
                 wanted->kind || wanted->test_count > 0;
    if (wf_schema_asks_type_only(fit))
        return true;
    if (types == WF_ALL_TYPES)
        return !parts;
    return !parts && asks_scalar(fit) && !(types & (1u << WF_ARRAY | 1u << WF_OBJECT));
}

/* Whether numbers are integers: both kinds are tried in every class, unless they are multiples. */
static bool are_both_kinds_tried(const wf_schema_group *all, const wf_schema *fit,
                                 uint32_t types)
{
    bool asked = types & 1u << WF_NUMBER && wf_schema_is_whole(fit);
    return !asked || wf_schema_group_bound(all, offsetof(wf_schema, multiple), 0, true) == 0;
}

static bool are_fits_decided(const wf_cone *wanted, const wf_schema_group *all, uint32_t types)
{
    for (const wf_cone_schema *fit = wanted->fits; fit; fit = fit->next)
        if (!wf_schema_group_implies(all, fit->schema) &&
            (!is_split(wanted, fit->schema, types) ||
             !are_both_kinds_tried(all, fit->schema, types)))
            return false;
    return true;
}

/* ---- scalars ---- */

static bool has_constant(const wf_cone *wanted, enum wf_type type)
{
    for (uint32_t i = 0; i < wanted->constant_count; i++)
        if (wanted->constants[i].type == type)
            return true;
    return false;
}

/* A text that may be a number in a form that JSON does not have, as 0x10. */
static bool looks_like_number(const wf_value *text)
{
    uint32_t signs = 0;
    for (uint32_t i = 0; i < text->length; i++) {
        signs += text->as.text[i] == '-';
        if (!strchr("0123456789abcdefxoABCDEFXO.+- \t\n", text->as.text[i]))
            return false;
    }
    return signs < 2 && strpbrk(text->as.text, "0123456789") != NULL;
}

/* Texts are compared as texts or as numbers, not as both. */
static bool is_mixed(const wf_cone *wanted)
{
    for (uint32_t i = 0; wanted->test_count > 0 && i < wanted->constant_count; i++)
        if (wanted->constants[i].type == WF_STRING && looks_like_number(&wanted->constants[i]))
            return true;
    return wanted->test_count > 0 && has_constant(wanted, WF_STRING) &&
           (has_constant(wanted, WF_NUMBER) || has_constant(wanted, WF_NULL) ||
            has_constant(wanted, WF_BOOLEAN) || wanted->number);
}

static bool has_lengths(const wf_schema_group *all)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (all->list[i]->min_length.set || all->list[i]->max_length.set)
            return true;
    return false;
}

static bool is_text_decided(const wf_cone *wanted, const wf_schema_group *all)
{
    bool asked = wanted->number || wanted->test_count > 0;
    return !wanted->length && !wanted->searched && !is_mixed(wanted) &&
           !(asked && has_lengths(all));
}

/* ---- containers ---- */

static bool are_lengths_tried(const wf_cone *wanted)
{
    for (uint32_t i = 0; i < wanted->constant_count; i++)
        if (wanted->constants[i].type == WF_NUMBER &&
            wanted->constants[i].as.number > LONGEST_LIST)
            return false;
    return true;
}

/* How many elements are selected is tried for none, one and all. */
static bool are_counts_tried(const wf_cone *wanted)
{
    for (uint32_t i = 0; wanted->counted && i < wanted->constant_count; i++)
        if (wanted->constants[i].type == WF_NUMBER && wanted->constants[i].as.number > 0)
            return false;
    return true;
}

static wf_undecided of_list(const wf_cone *wanted, const wf_schema_group *all)
{
    bool seen = wanted->items && wf_cone_is_wanted(wanted->items);
    bool fails = wanted->several && seen && wanted->items->kind;
    if (!are_lengths_tried(wanted) || !are_counts_tried(wanted) || fails ||
        (seen && (wanted->order || !wanted->over.rule)))
        return by(wanted, list_helps);
    return wanted->items ? undecided(wanted->items, wf_schema_group_items(all)) : decided;
}

static wf_undecided of_members(const wf_cone *wanted, const wf_schema_group *all)
{
    wf_undecided found = decided;
    for (const wf_cone_part *part = wanted->parts; part && !found.is; part = part->next)
        found = undecided(part->cone, wf_schema_group_member(all, part->key, part->length));
    return found;
}

/* ---- comparisons with the context ---- */

/* Two kinds of values of the context are decided by classes: one of a few that a schema names, and the length of a list.
 * Other values came from other data, with schemas and rules of their own. Only the search over symbols can tell whether
 * data is equal to them. */
static bool are_links_decided(const wf_cone *wanted, const wf_schema_group *all)
{
    const bool bare = !wanted->length && !wanted->searched && !wanted->items && !wanted->parts;
    return wanted->link_count == 0 ||
           (!wanted->kept && !wanted->many && bare && wanted->test_count == 0 &&
            wf_schema_group_bound(all, offsetof(wf_schema, multiple), 0, true) == 0);
}

/* ---- arithmetic ---- */

/* Whether a sum, a product or a quotient is too large is tried with the largest numbers that there are, and with the
 * smallest. */
static bool are_extremes_tried(const wf_cone *wanted, const wf_schema_group *all)
{
    const double least =
        wf_schema_group_bound(all, offsetof(wf_schema, minimum), -DBL_MAX, true);
    const double most =
        wf_schema_group_bound(all, offsetof(wf_schema, maximum), DBL_MAX, false);
    return !wanted->number ||
           ((most < WF_LARGE || most == DBL_MAX) && (least > -WF_LARGE || least == -DBL_MAX));
}

/* ---- any value ---- */

static wf_undecided of_types(const wf_cone *wanted, const wf_schema_group *all, uint32_t types)
{
    bool any = types == WF_ALL_TYPES;
    if (any && (wanted->length || wanted->items))
        return by(wanted, any_helps);
    if (types & 1u << WF_OBJECT && wanted->length && !are_lengths_tried(wanted))
        return by(wanted, any_helps);
    if (types & 1u << WF_STRING && !is_text_decided(wanted, all))
        return by(wanted, any ? any_helps : text_helps);
    wf_undecided found = of_members(wanted, all);
    if (!found.is && types & 1u << WF_ARRAY && (wanted->length || wanted->items))
        found = of_list(wanted, all);
    return found;
}

/* A list of any length that the schema allows is tried, and its elements are not looked at. */
static bool has_each_length(const wf_cone *wanted, const wf_schema_group *all, uint32_t types)
{
    double most = wf_schema_group_bound(all, offsetof(wf_schema, max_items), INFINITY, false);
    return types == 1u << WF_ARRAY && !wanted->whole && most <= LONGEST_LIST &&
           (!wanted->items || !wf_cone_is_wanted(wanted->items));
}

static const char *what_helps(const wf_schema_group *all, uint32_t types)
{
    double most = wf_schema_group_bound(all, offsetof(wf_schema, max_items), INFINITY, false);
    if (types == 1u << WF_ARRAY)
        return most <= LONGEST_LIST ? elements_helps : length_helps;
    return types & BITS_NUMBER && types != WF_ALL_TYPES ? number_helps : any_helps;
}

static wf_undecided of_one(const wf_cone *wanted, const wf_schema_group *all)
{
    uint32_t types = wf_schema_group_types(all);
    if (is_finite(all, types))
        return decided;
    if (wanted->vague.rule && !has_each_length(wanted, all, types))
        return by(wanted, what_helps(all, types));
    if (!are_links_decided(wanted, all) || !are_extremes_tried(wanted, all))
        return by(wanted, any_helps);
    if (is_odd(all) || !are_fits_decided(wanted, all, types) || all->depth > DEEPEST ||
        all->count == WF_SCHEMA_GROUP_MOST)
        return by(wanted, any_helps);
    return of_types(wanted, all, types);
}

/* Alternatives one after the other, as data_classes.c tries them. */
static wf_undecided alternatives(const wf_cone *wanted, wf_schema_group all, uint32_t from)
{
    wf_undecided found = decided;
    for (uint32_t i = from; i < all.count; i++) {
        const wf_schema *self = all.list[i];
        wf_schema_group_add(&all, self->reference);
        for (uint32_t k = 0; k < self->all.count; k++)
            wf_schema_group_add(&all, self->all.list[k]);
        for (uint32_t k = 0; k < self->any.count && !found.is; k++) {
            wf_schema_group one = all;
            wf_schema_group_add(&one, self->any.list[k]);
            found = alternatives(wanted, one, i + 1);
        }
        if (self->any.set)
            return found;
    }
    return of_one(wanted, &all);
}

static wf_undecided undecided(const wf_cone *wanted, wf_schema_group all)
{
    if (!wanted || !wf_cone_is_wanted(wanted))
        return decided;
    for (uint32_t i = 0; i < all.count; i++)
        if (all.list[i]->never)
            return decided;
    return alternatives(wanted, all, 0);
}

wf_undecided wf_exactness_of(const wf_schema *schema, const wf_cone *wanted)
{
    wf_schema_group all = {0};
    wf_schema_group_add(&all, schema);
    return undecided(wanted, all);
}

wf_undecided wf_exactness_unread(const wf_cone *wanted, const char *remedy)
{
    return wanted && wf_cone_is_wanted(wanted) ? by(wanted, remedy) : decided;
}
