/* logic/value.c: building values and asking about them. */
#include "logic/value.h"

#include <math.h>
#include <string.h>
#include "base/invariant.h"
#include "base/names.h"

wf_value wf_number(double number)
{
    if (!isfinite(number))
        return wf_null();
    /* Adding 0 turns -0 into 0. */
    return (wf_value){.type = WF_NUMBER, .as.number = number + 0.0};
}

wf_value wf_string(const char *text, size_t length)
{
    if (length >= WF_MAX_WEIGHT)
        return wf_absent();
    return (wf_value){.type = WF_STRING, .length = (uint32_t)length, .as.text = text};
}

wf_value wf_string_z(const char *text)
{
    return wf_string(text, strlen(text));
}

/* Weights are kept in 16 bits: below 4,096 as they are, above as 11 bits behind a
 * leading one and a shift, rounded up. 255 levels of rounding add an eighth at most. */
static uint16_t weight_code(size_t weight)
{
    unsigned shift = 0;

    while (weight >> shift >= 4096)
        shift++;
    if (shift && weight & (((size_t)1 << shift) - 1))
        return weight_code(((weight >> shift) + 1) << shift);
    return (uint16_t)(shift * 2048 + (weight >> shift));
}

static size_t weight_of_code(uint16_t code)
{
    unsigned shift = code < 4096 ? 0 : code / 2048u - 1;

    return (code - shift * (size_t)2048) << shift;
}

size_t wf_value_weight(const wf_value *value)
{
    if (value->type < WF_STRING)
        return 0;
    return value->type == WF_STRING ? (size_t)value->length + 1 : weight_of_code(value->weight);
}

static wf_value container(uint8_t type, size_t count, unsigned deepest, size_t weight)
{
    if (deepest >= WF_MAX_DEPTH || weight > WF_MAX_WEIGHT)
        return wf_absent();
    WF_INVARIANT(weight_of_code(weight_code(weight)) >= weight);
    return (wf_value){.type = type,
                      .depth = (uint8_t)(deepest + 1),
                      .weight = weight_code(weight),
                      .length = (uint32_t)count};
}

wf_value wf_array(const wf_value *items, size_t count)
{
    size_t weight = count < WF_MAX_WEIGHT ? count * sizeof *items : SIZE_MAX / 2;
    unsigned deepest = 0;
    wf_value array;

    for (size_t i = 0; i < count && weight <= WF_MAX_WEIGHT; i++) {
        weight += wf_value_weight(&items[i]);
        if (items[i].depth > deepest)
            deepest = items[i].depth;
    }
    array = container(WF_ARRAY, count, deepest, weight);
    array.as.items = items;
    return array;
}

wf_value wf_object(const wf_member *members, size_t count)
{
    size_t weight = count < WF_MAX_WEIGHT ? count * sizeof *members : SIZE_MAX / 2;
    unsigned deepest = 0;
    wf_value object;

    for (size_t i = 0; i < count && weight <= WF_MAX_WEIGHT; i++) {
        weight += members[i].length + 1u + wf_value_weight(&members[i].value);
        if (members[i].value.depth > deepest)
            deepest = members[i].value.depth;
    }
    object = container(WF_OBJECT, count, deepest, weight);
    object.as.members = members;
    return object;
}

wf_value wf_string_copy(wf_arena *arena, const char *text, size_t length)
{
    const char *copy = length < WF_MAX_WEIGHT ? wf_arena_text(arena, text, length) : NULL;

    return copy ? wf_string(copy, length) : wf_absent();
}

void wf_member_set(wf_member *member, const char *key, size_t length, wf_value value)
{
    *member = (wf_member){key, (uint32_t)length, wf_hash(key, length), value};
}

const wf_value *wf_value_find(const wf_value *object, const char *key, size_t length,
                              uint32_t hash)
{
    const wf_member *member = object->as.members;

    if (object->type != WF_OBJECT)
        return NULL;
    for (uint32_t i = 0; i < object->length; i++, member++)
        if (member->hash == hash && member->length == length &&
            memcmp(member->key, key, length) == 0)
            return &member->value;
    return NULL;
}

const wf_value *wf_value_get(const wf_value *object, const char *key, size_t length)
{
    return wf_value_find(object, key, length, wf_hash(key, length));
}

const wf_value *wf_value_get_z(const wf_value *object, const char *key)
{
    return wf_value_get(object, key, strlen(key));
}
