#include "verify/draw_value.h"

#include <math.h>
#include <string.h>
#include "logic/expr_tree.h"
#include "logic/json.h"
#include "verify/constraints.h"
#include "verify/schema_group.h"

enum { TRIES = 8, MOST_DEPTH = 5, MOST_ITEMS = 48, MOST_TEXT = 200, MOST_MEMBERS = 24 };

/* ---- chance ---- */

uint32_t wf_draw_below(wf_draw *draw, uint32_t most)
{
    draw->state = draw->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(draw->state >> 33) % most;
}

static bool one_in(wf_draw *draw, uint32_t many)
{
    return wf_draw_below(draw, many) == 0;
}

/* ---- the document's constants ---- */

static bool is_rule(const wf_value *value)
{
    return value->type == WF_OBJECT && value->length == 1 &&
           wf_operator_find(value->as.members[0].key, value->as.members[0].length);
}

static void read_constants(wf_draw *draw, const wf_value *value, bool in_rule)
{
    bool rule = is_rule(value);
    if (value->type == WF_NUMBER && draw->number_count < WF_DRAW_CONSTANTS)
        draw->numbers[draw->number_count++] = value->as.number;
    if (value->type == WF_STRING && in_rule && draw->text_count < WF_DRAW_CONSTANTS)
        draw->texts[draw->text_count++] = *value;
    for (uint32_t i = 0; value->type == WF_ARRAY && i < value->length; i++)
        read_constants(draw, &value->as.items[i], in_rule);
    for (uint32_t i = 0; value->type == WF_OBJECT && i < value->length; i++)
        read_constants(draw, &value->as.members[i].value, in_rule || rule);
}

static void read_document(wf_draw *draw, const wf_value *document)
{
    const wf_value *context = wf_value_get_z(document, "context");
    if (context)
        read_constants(draw, context, true);
    read_constants(draw, document, false);
}

bool wf_draw_init(wf_draw *draw, const wfsm_machine *machine, wf_arena *keep)
{
    wf_value document;
    *draw = (wf_draw){.state = 1};
    if (wf_json_parse(keep, machine->document, machine->document_length, &document, NULL) !=
        WFSM_OK)
        return false;
    read_document(draw, &document);
    return true;
}

/* ---- scalars ---- */

static double constant(wf_draw *draw)
{
    if (draw->number_count == 0 || one_in(draw, 5))
        return wf_draw_below(draw, 12);
    return draw->numbers[wf_draw_below(draw, draw->number_count)];
}

static double number(wf_draw *draw)
{
    double near = constant(draw);
    switch (wf_draw_below(draw, 10)) {
    case 0:
        return near + 1;
    case 1:
        return near - 1;
    case 2:
        return nextafter(near, one_in(draw, 2) ? INFINITY : -INFINITY);
    case 3:
        return near + constant(draw);
    case 4:
        return near - constant(draw);
    case 5:
        return near / (1 + wf_draw_below(draw, 4));
    case 6:
        return near * wf_draw_below(draw, 1000) / 1000;
    default:
        return near;
    }
}

double wf_draw_duration(wf_draw *draw)
{
    return floor(fmin(fabs(number(draw)), 1e12));
}

static double limit_of(wf_bound bound, wf_bound other, double none)
{
    return bound.set ? bound.value : other.set ? other.value : none;
}

static wf_value number_of(wf_draw *draw, const wf_schema *schema)
{
    double drawn = number(draw);
    if (schema) {
        double least = limit_of(schema->minimum, schema->above, -INFINITY);
        double most = limit_of(schema->maximum, schema->below, INFINITY);
        if (isfinite(least) && isfinite(most) && one_in(draw, 2))
            drawn = least + (most - least) * wf_draw_below(draw, 1001) / 1000;
        drawn = fmax(least, fmin(most, drawn));
        drawn = wf_schema_is_whole(schema) ? floor(drawn) : drawn;
    }
    return wf_number(drawn);
}

static wf_value joined(wf_draw *draw, const char *first, size_t length, const char *last,
                       size_t more)
{
    char *text = wf_arena_take(draw->arena, length + more + 1);
    if (!text)
        return wf_absent();
    memcpy(text, first, length);
    memcpy(text + length, last, more);
    text[length + more] = '\0';
    return wf_string(text, length + more);
}

/* As long as a number of the document says, or nearly so. */
static wf_value text_of_length(wf_draw *draw, const wf_value *begin)
{
    char letters[MOST_TEXT];
    double wanted = constant(draw) + wf_draw_below(draw, 3) - 1;
    size_t length = wanted >= 0 && wanted <= MOST_TEXT ? (size_t)wanted : 3;
    memset(letters, 'a' + (int)wf_draw_below(draw, 4), length);
    if (begin->length <= length)
        memcpy(letters, begin->as.text, begin->length);
    return joined(draw, letters, length, "", 0);
}

static wf_value with_other_letter(wf_draw *draw, const wf_value *text)
{
    static const char letters[] = "0123456789ax-. ";
    char *copy = wf_arena_text(draw->arena, text->as.text, text->length);
    uint32_t at = text->length > 0 ? wf_draw_below(draw, text->length) : 0;
    if (!copy || text->length == 0 || (unsigned char)copy[at] >= 0x80)
        return *text;
    copy[at] = letters[wf_draw_below(draw, sizeof letters - 1)];
    return wf_string(copy, text->length);
}

wf_value wf_draw_text_after(wf_draw *draw, const char *begin, size_t length)
{
    wf_value text = wf_draw_text(draw);
    return text.type == WF_ABSENT ? text
                                  : joined(draw, begin, length, text.as.text, text.length);
}

wf_value wf_draw_text(wf_draw *draw)
{
    static const wf_value none = {.type = WF_STRING, .as.text = ""};
    char digits[WF_NUMBER_BYTES];
    uint32_t count = draw->text_count;
    const wf_value *one = count > 0 ? &draw->texts[wf_draw_below(draw, count)] : &none;
    const wf_value *other = count > 0 ? &draw->texts[wf_draw_below(draw, count)] : &none;
    size_t length;
    switch (wf_draw_below(draw, 10)) {
    case 0:
        return joined(draw, one->as.text, one->length, other->as.text, other->length);
    case 1:
        return text_of_length(draw, one_in(draw, 2) ? one : &none);
    case 5:
        return with_other_letter(draw, one);
    case 2:
        return joined(draw, one->as.text, one->length, "x1", 1 + wf_draw_below(draw, 2));
    case 3:
        return joined(draw, "ab", 1 + wf_draw_below(draw, 2), one->as.text, one->length);
    case 4:
        length = wf_number_text(number(draw), digits);
        return joined(draw, digits, length, "", 0);
    default:
        return *one;
    }
}

/* ---- lists and objects ---- */

static wf_value draw_once(wf_draw *draw, const wf_schema *schema, const wf_cone *wanted,
                          uint32_t depth);

static wf_value list_of(wf_draw *draw, const wf_schema *schema, const wf_cone *wanted,
                        uint32_t depth)
{
    const wf_schema *item = schema ? schema->items : NULL;
    double most = schema && schema->max_items.set ? schema->max_items.value : MOST_ITEMS;
    double length = one_in(draw, 4) ? fabs(number(draw)) : wf_draw_below(draw, 5);
    if (schema && schema->min_items.set)
        length = fmax(length, schema->min_items.value);
    uint32_t count = (uint32_t)fmin(length, fmin(most, MOST_ITEMS));
    bool alike = one_in(draw, 3);
    wf_value *items = wf_arena_take(draw->arena, (count + 1u) * sizeof *items);
    for (uint32_t i = 0; items && i < count; i++) {
        items[i] = i > 0 && (alike || one_in(draw, 4))
                       ? items[0]
                       : draw_once(draw, item, wanted ? wanted->items : NULL, depth + 1);
        if (items[i].type == WF_ABSENT)
            return items[i];
    }
    return items ? wf_array(items, count) : wf_absent();
}

static bool add_member(wf_member *members, uint32_t *count, const char *key, size_t length,
                       wf_value value)
{
    for (uint32_t i = 0; i < *count; i++)
        if (members[i].length == length && memcmp(members[i].key, key, length) == 0)
            return true;
    if (value.type == WF_ABSENT)
        return false;
    if (*count < MOST_MEMBERS)
        wf_member_set(&members[(*count)++], key, length, value);
    return true;
}

static bool is_required(const wf_schema *schema, const wf_member *key)
{
    for (uint32_t i = 0; schema->required && i < schema->required->length; i++)
        if (schema->required->as.items[i].length == key->length &&
            memcmp(schema->required->as.items[i].as.text, key->key, key->length) == 0)
            return true;
    return false;
}

static const wf_cone *part_of(const wf_cone *wanted, const char *key, size_t length)
{
    return wanted ? wf_cone_member(wanted, key, length) : NULL;
}

static wf_value object_of(wf_draw *draw, const wf_schema *schema, const wf_cone *wanted,
                          uint32_t depth)
{
    uint32_t count = 0;
    bool fine = true;
    wf_member *members = wf_arena_take(draw->arena, MOST_MEMBERS * sizeof *members);
    if (!members)
        return wf_absent();
    for (uint32_t i = 0; schema && i < schema->property_count && fine; i++) {
        const wf_member *key = schema->properties[i].source;
        if (is_required(schema, key) || !one_in(draw, 4))
            fine = add_member(members, &count, key->key, key->length,
                              draw_once(draw, schema->properties[i].schema,
                                        part_of(wanted, key->key, key->length), depth + 1));
    }
    bool closed = schema && schema->additional && schema->additional->never;
    for (const wf_cone_part *part = wanted && !closed ? wanted->parts : NULL; part && fine;
         part = part->next)
        if (!one_in(draw, 8))
            fine = add_member(members, &count, part->key, part->length,
                              draw_once(draw, NULL, part->cone, depth + 1));
    return fine ? wf_object(members, count) : wf_absent();
}

/* ---- any value ---- */

static uint32_t type_of_cone(wf_draw *draw, const wf_cone *wanted)
{
    static const uint8_t scalars[] = {WF_NUMBER, WF_NUMBER,  WF_STRING,
                                      WF_STRING, WF_BOOLEAN, WF_NULL};
    if (wanted && wanted->parts && !one_in(draw, 10))
        return WF_OBJECT;
    if (wanted && (wanted->items || wanted->counted || wanted->length) && !one_in(draw, 3))
        return WF_ARRAY;
    return scalars[wf_draw_below(draw, sizeof scalars)];
}

static uint32_t type_of(wf_draw *draw, const wf_schema *schema, const wf_cone *wanted)
{
    uint32_t types = schema ? schema->types : 0, at = wf_draw_below(draw, 8);
    if (types == 0)
        return type_of_cone(draw, wanted);
    while (!(types >> at & 1))
        at = (at + 1) % 8;
    return at == WF_INTEGER_TYPE ? WF_NUMBER : at;
}

static wf_value value_of_type(wf_draw *draw, uint32_t type, const wf_schema *schema,
                              const wf_cone *wanted, uint32_t depth)
{
    switch (type) {
    case WF_BOOLEAN:
        return wf_boolean(one_in(draw, 2));
    case WF_NUMBER:
        return number_of(draw, schema);
    case WF_STRING:
        return wf_draw_text(draw);
    case WF_ARRAY:
        return depth < MOST_DEPTH ? list_of(draw, schema, wanted, depth) : wf_array(NULL, 0);
    case WF_OBJECT:
        return depth < MOST_DEPTH ? object_of(draw, schema, wanted, depth) : wf_object(NULL, 0);
    default:
        return wf_null();
    }
}

static const wf_schema *one_of(wf_draw *draw, const wf_schema_list *list)
{
    return list->list[wf_draw_below(draw, list->count)];
}

static wf_value draw_once(wf_draw *draw, const wf_schema *schema, const wf_cone *wanted,
                          uint32_t depth)
{
    if (schema && schema->constant)
        return *schema->constant;
    if (schema && schema->options && schema->options->length > 0)
        return schema->options->as.items[wf_draw_below(draw, schema->options->length)];
    if (schema && depth < MOST_DEPTH) {
        const wf_schema *other = schema->reference       ? schema->reference
                                 : schema->any.count > 0 ? one_of(draw, &schema->any)
                                 : schema->one.count > 0 ? one_of(draw, &schema->one)
                                 : schema->all.count > 0 ? one_of(draw, &schema->all)
                                                         : NULL;
        if (other && (schema->types == 0 || schema->reference))
            return draw_once(draw, other, wanted, depth + 1);
    }
    return value_of_type(draw, type_of(draw, schema, wanted), schema, wanted, depth);
}

wf_value wf_draw_value(wf_draw *draw, const wf_schema *schema, const wf_cone *wanted)
{
    for (int i = 0; i < TRIES; i++) {
        wf_value value = draw_once(draw, schema, wanted, 0);
        if (value.type == WF_ABSENT || !schema ||
            wf_schema_check(schema, &value, NULL) == WFSM_OK)
            return value;
    }
    wf_value value = wf_value_of_schema(schema, draw->arena, 0);
    bool fits = value.type != WF_ABSENT && wf_schema_check(schema, &value, NULL) == WFSM_OK;
    return fits ? value : wf_absent();
}
