/* verify/data_alike.c: whether two values are of one class: no rule tells them apart. */
#include "verify/data_make.h"

#include <math.h>
#include <string.h>
#include "logic/expr_tree.h"
#include "base/names.h"
#include "base/utf8.h"
#include "logic/json.h"

#define VERY_SMALL 1e-300

/* Any two values differ: more is asked than whether it is equal to a constant. */
bool wf_data_is_unique(const wf_cone *wanted)
{
    bool sizes = wanted->length && !wanted->whole;
    return (wanted->vague.rule && !sizes) || wanted->link_count > 0;
}

static bool is_list(const wf_cone *wanted)
{
    return wanted->items || wanted->length;
}

/* What is no object has no members. */
static const wf_value *part_of(const wf_value *value, const wf_cone_part *part)
{
    return value->type == WF_OBJECT ? wf_value_get(value, part->key, part->length) : NULL;
}

bool wf_data_stands_for(const wf_value *value, const wf_context_link *links, uint32_t count,
                        uint32_t *link, uint32_t *how)
{
    if (value->type != WF_STRING || value->length != 3 || value->as.text[0] != '\1')
        return false;
    for (*link = 0; *link < count; (*link)++)
        for (*how = 0; *how < WF_LINK_ELEMENTS; (*how)++)
            if (value->as.text == links[*link].stands[*how].as.text)
                return true;
    return false;
}

/* Whether a value of the context fits is known only in a state. */
bool wf_data_is_open(const wf_value *value)
{
    if (value->type == WF_STRING)
        return value->length == 3 && value->as.text[0] == '\1';
    for (uint32_t i = 0; value->type == WF_ARRAY && i < value->length; i++)
        if (wf_data_is_open(&value->as.items[i]))
            return true;
    for (uint32_t i = 0; value->type == WF_OBJECT && i < value->length; i++)
        if (wf_data_is_open(&value->as.members[i].value))
            return true;
    return false;
}

/* What a comparison answers of a value: -1 that it fails. */
static int answer_of(const wf_cone_test *test, const wf_value *value, wf_arena *arena)
{
    wf_expr operands[WF_TEST_OPERANDS], rule = *test->rule;
    wf_scope scope = {.arena = arena, .steps = WF_EVAL_STEPS};
    bool yes = false;
    memcpy(operands, rule.as.list, rule.count * sizeof *operands);
    operands[test->operand] = (wf_expr){.node = WF_NODE_CONSTANT, .as.constant = *value};
    rule.as.list = operands;
    return wf_expr_test(&rule, &scope, &yes) == WFSM_OK ? yes : -1;
}

static bool tests_alike(const wf_value *a, const wf_value *b, const wf_cone *wanted,
                        wf_arena *arena)
{
    for (uint32_t i = 0; i < wanted->test_count; i++)
        if (answer_of(&wanted->tests[i], a, arena) != answer_of(&wanted->tests[i], b, arena))
            return false;
    return true;
}

static size_t length_of_text(const wf_value *text)
{
    return wf_utf8_count(text->as.text, text->length);
}

/* If rules search it for a part, each text is a class of its own. If they ask for its length, that counts. */
static bool texts_alike(const wf_value *a, const wf_value *b, const wf_cone *wanted)
{
    if (a->type != WF_STRING || b->type != WF_STRING)
        return true;
    if (wanted->searched)
        return wf_value_equal(a, b);
    return !wanted->length || length_of_text(a) == length_of_text(b);
}

/* As operators read it; NaN: it is no number. Of texts those are known that JSON has. */
double wf_data_number(const wf_value *value, wf_arena *arena)
{
    wf_value number;
    if (value->type == WF_NUMBER)
        return value->as.number;
    if (value->type != WF_STRING)
        return value->type == WF_BOOLEAN && value->as.boolean;
    if (value->length == 0)
        return 0;
    return wf_json_parse(arena, value->as.text, value->length, &number, NULL) == WFSM_OK &&
                   number.type == WF_NUMBER
               ? number.as.number
               : NAN;
}

int wf_data_number_class(const wf_value *value, wf_arena *arena)
{
    double number = value->type >= WF_ARRAY ? NAN : wf_data_number(value, arena);
    if (isnan(number))
        return 0;
    return number == 0                     ? 1
           : fabs(number) >= WF_VERY_LARGE ? 3
           : fabs(number) < VERY_SMALL     ? 4
                                           : 2;
}

static bool fit_alike(const wf_value *a, const wf_value *b, const wf_cone *wanted)
{
    bool known = !wanted->fits || (!wf_data_is_open(a) && !wf_data_is_open(b));
    for (const wf_cone_schema *fit = wanted->fits; known && fit; fit = fit->next)
        if ((wf_schema_check(fit->schema, a, NULL) == WFSM_OK) !=
            (wf_schema_check(fit->schema, b, NULL) == WFSM_OK))
            return false;
    return true;
}

/* ---- hashes ---- */

static uint64_t mix(uint64_t hash, uint64_t part)
{
    hash = (hash ^ part) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_of_number(double number)
{
    uint64_t bits;
    number += 0.0; /* the two zeros are equal */
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* Equal values have equal hashes. */
static uint64_t hash_of_value(const wf_value *value)
{
    uint64_t hash = mix(value->type, value->type >= WF_STRING ? value->length : 0), sum = 0;
    if (value->type == WF_BOOLEAN)
        return mix(hash, value->as.boolean);
    if (value->type == WF_NUMBER)
        return mix(hash, hash_of_number(value->as.number));
    if (value->type == WF_STRING)
        return mix(hash, wf_hash(value->as.text, value->length));
    for (uint32_t i = 0; value->type == WF_ARRAY && i < value->length; i++)
        hash = mix(hash, hash_of_value(&value->as.items[i]));
    for (uint32_t i = 0; value->type == WF_OBJECT && i < value->length; i++)
        sum += mix(value->as.members[i].hash, hash_of_value(&value->as.members[i].value));
    return mix(hash, sum);
}

static uint64_t hash_of_tests(const wf_value *value, const wf_cone *wanted, wf_arena *arena)
{
    uint64_t hash = wanted->number ? (uint64_t)wf_data_number_class(value, arena) : 0;
    for (uint32_t i = 0; i < wanted->test_count; i++)
        hash = hash * 3 + (uint64_t)(answer_of(&wanted->tests[i], value, arena) + 1);
    for (uint32_t i = 0; i < wanted->constant_count; i++)
        hash = hash * 2 + wf_value_equal(value, &wanted->constants[i]);
    return hash;
}

static uint64_t hash_of_list(const wf_value *value, const wf_cone *wanted, wf_arena *arena)
{
    uint64_t hash = value->length;
    for (uint32_t i = 0; wanted->items && i < value->length; i++)
        hash = mix(hash, wf_data_hash(&value->as.items[i], wanted->items, arena));
    return hash;
}

uint64_t wf_data_hash(const wf_value *value, const wf_cone *wanted, wf_arena *arena)
{
    uint64_t hash = 1;
    if (!wanted)
        return hash;
    if (wf_data_is_unique(wanted))
        return hash_of_value(value);
    if (wanted->kind || is_list(wanted))
        hash = mix(hash, value->type);
    if (wanted->text)
        hash = mix(hash, value->type == WF_STRING);
    hash = mix(hash, hash_of_tests(value, wanted, arena));
    if (wanted->truth)
        hash = mix(hash, wf_value_truth(value));
    if (value->type == WF_STRING && wanted->searched)
        hash = mix(hash, hash_of_value(value));
    else if (value->type == WF_STRING && wanted->length)
        hash = mix(hash, length_of_text(value));
    if (value->type == WF_OBJECT && wanted->length)
        hash = mix(hash, value->length);
    if (value->type == WF_ARRAY && is_list(wanted))
        hash = mix(hash, hash_of_list(value, wanted, arena));
    for (const wf_cone_part *part = wanted->parts; part; part = part->next) {
        const wf_value *one = part_of(value, part);
        hash = mix(hash, one ? wf_data_hash(one, part->cone, arena) : 0);
    }
    return hash;
}

bool wf_data_alike(const wf_value *a, const wf_value *b, const wf_cone *wanted, wf_arena *arena)
{
    if (!wanted)
        return true;
    if (wf_data_is_unique(wanted))
        return wf_value_equal(a, b);
    if (a->type != b->type && (wanted->kind || is_list(wanted)))
        return false;
    if (wanted->text && (a->type == WF_STRING) != (b->type == WF_STRING))
        return false;
    if (wanted->number && wf_data_number_class(a, arena) != wf_data_number_class(b, arena))
        return false;
    if (!tests_alike(a, b, wanted, arena))
        return false;
    for (uint32_t i = 0; i < wanted->constant_count; i++)
        if (wf_value_equal(a, &wanted->constants[i]) !=
            wf_value_equal(b, &wanted->constants[i]))
            return false;
    if (wanted->truth && wf_value_truth(a) != wf_value_truth(b))
        return false;
    if (!texts_alike(a, b, wanted))
        return false;
    if (a->type == WF_OBJECT && wanted->length && a->length != b->length)
        return false;
    if (a->type == WF_ARRAY && (wanted->length || wanted->items)) {
        if (a->length != b->length)
            return false;
        for (uint32_t i = 0; i < a->length; i++)
            if (!wf_data_alike(&a->as.items[i], &b->as.items[i], wanted->items, arena))
                return false;
    }
    for (const wf_cone_part *part = wanted->parts; part; part = part->next) {
        const wf_value *one = part_of(a, part);
        const wf_value *two = part_of(b, part);
        if ((!one) != (!two) || (one && !wf_data_alike(one, two, part->cone, arena)))
            return false;
    }
    return fit_alike(a, b, wanted); /* last, because it takes the longest */
}
