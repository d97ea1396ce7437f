/* logic/value_equal.c: compares values. */
#include "logic/value.h"

#include <string.h>

static bool spend(uint32_t *steps, uint32_t count)
{
    if (*steps <= count) {
        *steps = 0;
        return false;
    }
    *steps -= count;
    return true;
}

static bool same_key(const wf_member *a, const wf_member *b)
{
    return a->hash == b->hash && a->length == b->length &&
           memcmp(a->key, b->key, a->length) == 0;
}

/* Objects that say the same mostly say it in the same order: look there first. */
static bool equal_members(const wf_value *a, const wf_value *b, uint32_t *steps)
{
    for (uint32_t i = 0; i < a->length; i++) {
        const wf_member *member = &a->as.members[i];
        const wf_value *other = &b->as.members[i].value;

        if (!same_key(member, &b->as.members[i])) {
            if (!spend(steps, b->length / 16))
                return false;
            other = wf_value_find(b, member->key, member->length, member->hash);
        }
        if (!other || !wf_value_equal_within(&member->value, other, steps))
            return false;
    }
    return true;
}

static bool equal_items(const wf_value *a, const wf_value *b, uint32_t *steps)
{
    for (uint32_t i = 0; i < a->length; i++)
        if (!wf_value_equal_within(&a->as.items[i], &b->as.items[i], steps))
            return false;
    return true;
}

static bool equal_text(const wf_value *a, const wf_value *b, uint32_t *steps)
{
    return a->length == b->length && spend(steps, a->length / 256) &&
           memcmp(a->as.text, b->as.text, a->length) == 0;
}

bool wf_value_equal_within(const wf_value *a, const wf_value *b, uint32_t *steps)
{
    if (a->type != b->type || !spend(steps, 1))
        return false;
    switch (a->type) {
    case WF_BOOLEAN:
        return a->as.boolean == b->as.boolean;
    case WF_NUMBER:
        return a->as.number == b->as.number;
    case WF_STRING:
        return equal_text(a, b, steps);
    case WF_ARRAY:
        return a->length == b->length &&
               (a->as.items == b->as.items || equal_items(a, b, steps));
    case WF_OBJECT:
        return a->length == b->length &&
               (a->as.members == b->as.members || equal_members(a, b, steps));
    default:
        return true;
    }
}

/* More steps than values of the greatest weight take, unless their objects are huge and
 * in another order; those are then told to differ. */
bool wf_value_equal(const wf_value *a, const wf_value *b)
{
    uint32_t steps = UINT32_MAX;

    return wf_value_equal_within(a, b, &steps);
}

/* ---- the same text ---- */

static bool same_members(const wf_value *a, const wf_value *b)
{
    for (uint32_t i = 0; i < a->length; i++) {
        const wf_member *one = &a->as.members[i], *two = &b->as.members[i];
        if (one->hash != two->hash || one->length != two->length ||
            (one->key != two->key && memcmp(one->key, two->key, one->length) != 0) ||
            !wf_same_value(&one->value, &two->value))
            return false;
    }
    return true;
}

static bool same_items(const wf_value *a, const wf_value *b)
{
    for (uint32_t i = 0; i < a->length; i++)
        if (!wf_same_value(&a->as.items[i], &b->as.items[i]))
            return false;
    return true;
}

bool wf_same_value(const wf_value *a, const wf_value *b)
{
    if (a->type != b->type || (a->type >= WF_STRING && a->length != b->length))
        return false;
    switch (a->type) {
    case WF_BOOLEAN:
        return a->as.boolean == b->as.boolean;
    case WF_NUMBER:
        return a->as.number == b->as.number;
    case WF_STRING:
        return a->as.text == b->as.text || memcmp(a->as.text, b->as.text, a->length) == 0;
    case WF_ARRAY:
        return a->as.items == b->as.items || same_items(a, b);
    case WF_OBJECT:
        return a->as.members == b->as.members || same_members(a, b);
    default:
        return true;
    }
}
