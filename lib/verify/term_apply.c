/* verify/term_apply.c: operators on terms. The same comparison, sum or part of a text is the same term, however it is
 * written. */
#include <string.h>
#include "logic/expr_tree.h"
#include "verify/constraints.h"

/* ---- comparisons ---- */

static uint8_t types_of_operator(const char *name)
{
    static const char *const numbers[] = {"+", "-", "*", "/", "%", "min", "max", "length"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(name, numbers[i]) == 0)
            return WF_TYPE_NUMBER;
    return strcmp(name, "cat") == 0 || strcmp(name, "substr") == 0 ? WF_TYPE_STRING : WF_TYPES;
}

/* Those that it may have, as schemas and operators say. */
static uint8_t types_of(const wf_terms *terms, wf_term term)
{
    const wf_term_node *node = wf_term_at(terms, term);
    if (node->kind == WF_TERM_KNOWN)
        return (uint8_t)(1u << node->value.type);
    return node->kind == WF_TERM_APPLY ? types_of_operator(node->op->name)
                                       : wf_chain_domain(terms, term).types;
}

/* Null and a text that is no number are neither less, nor equal, nor greater. */
static bool may_have_no_order(const wf_terms *terms, const wf_term *pair)
{
    const uint8_t one = types_of(terms, pair[0]), other = types_of(terms, pair[1]);
    return (one & WF_TYPE_NULL && other & WF_TYPE_STRING) ||
           (one & WF_TYPE_STRING && other & WF_TYPE_NULL);
}

/* a > b is b < a. If both have an order, a <= b is not b < a: they fail for the same values. */
static wf_term order_term(wf_terms *terms, const char *name, const wf_term *operands)
{
    bool greater = name[0] == '>', or_equal = name[1] == '=';
    bool negated = or_equal && !may_have_no_order(terms, operands), swaps = greater != negated;
    const wf_term pair[] = {operands[swaps ? 1 : 0], operands[swaps ? 0 : 1]};
    wf_term order = wf_term_plain(terms, or_equal && !negated ? "<=" : "<", pair, 2);
    return negated ? wf_term_plain(terms, "!", &order, 1) : order;
}

/* Equality has no order. */
static wf_term equality_term(wf_terms *terms, const char *name, const wf_term *operands)
{
    bool swaps = operands[0] > operands[1];
    const wf_term pair[] = {operands[swaps ? 1 : 0], operands[swaps ? 0 : 1]};
    wf_term same = wf_term_plain(terms, strlen(name) == 3 ? "===" : "==", pair, 2);
    return name[0] == '!' ? wf_term_plain(terms, "!", &same, 1) : same;
}

/* A whole number from 0; false: it is not known, or none. */
static bool is_count(const wf_terms *terms, wf_term term, uint32_t *count)
{
    const wf_value *value = &terms->list[term].value;
    if (terms->list[term].kind != WF_TERM_KNOWN || value->type != WF_NUMBER ||
        value->as.number < 0 || value->as.number > 1e6 ||
        value->as.number != (double)(uint32_t)value->as.number)
        return false;
    *count = (uint32_t)value->as.number;
    return true;
}

/* A part of a part of a text, as a part of the text. WF_NONE: it may reach beyond the first part. */
static wf_term part_of_part(wf_terms *terms, const wf_term *operands, uint32_t count)
{
    uint32_t from, most, start, length;
    if (count != 3)
        return WF_NONE;
    const wf_term_node whole = terms->list[operands[0]];
    if (whole.kind != WF_TERM_APPLY || strcmp(whole.op->name, "substr") != 0 ||
        whole.count != 3 || !is_count(terms, whole.operands[1], &from) ||
        !is_count(terms, whole.operands[2], &most) || !is_count(terms, operands[1], &start) ||
        !is_count(terms, operands[2], &length) || start + length > most)
        return WF_NONE;
    const wf_value first = wf_number(from + start);
    const wf_term cut[] = {whole.operands[0], wf_term_known(terms, &first), operands[2]};
    return wf_term_plain(terms, "substr", cut, 3);
}

/* ---- sums and extremes ---- */

enum { JOINED_MOST = 64 };

static void sort(wf_term *list, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        wf_term moved = list[i];
        uint32_t at = i;
        for (; at > 0 && list[at - 1] > moved; at--)
            list[at] = list[at - 1];
        list[at] = moved;
    }
}

/* With the operands of an operand that is the same operation. 0: there is not enough room. */
static uint32_t join(const wf_terms *terms, const char *name, const wf_term *operands,
                     uint32_t count, wf_term *out)
{
    bool sum = name[0] == '+';
    uint32_t joined = 0;
    for (uint32_t i = 0; i < count; i++) {
        const wf_term_node *node = &terms->list[operands[i]];
        bool same = node->kind == WF_TERM_APPLY && strcmp(node->op->name, name) == 0 &&
                    (i == 0 || !sum || node->count == 1);
        const wf_term *from = same ? node->operands : &operands[i];
        uint32_t more = same ? node->count : 1;
        if (joined + more > JOINED_MOST)
            return 0;
        memcpy(out + joined, from, more * sizeof *out);
        joined += more;
    }
    return joined;
}

/* A sum is added up from its first operand on, so that one of which the first operand is a sum is one sum; and
 * nothing is added to 0 first. Of a least or a greatest value, the order makes no difference. */
static wf_term joined_term(wf_terms *terms, const char *name, const wf_term *operands,
                           uint32_t count)
{
    wf_term list[JOINED_MOST], *first = list;
    const wf_value zero = wf_number(0);
    uint32_t joined = count > 1 ? join(terms, name, operands, count, list) : 0;
    if (joined == 0)
        return wf_term_plain(terms, name, operands, count);
    if (name[0] != '+')
        sort(list, joined);
    else if (terms->list[list[0]].kind == WF_TERM_KNOWN &&
             wf_value_equal(&terms->list[list[0]].value, &zero))
        first++, joined--;
    return wf_term_plain(terms, name, first, joined);
}

wf_term wf_term_apply(wf_terms *terms, const struct wf_operator *op, const wf_term *operands,
                      uint32_t count)
{
    const char *name = op->name;
    if (!wf_terms_are_fine(terms, operands, count))
        return WF_NONE;
    if (strcmp(name, "+") == 0 || strcmp(name, "min") == 0 || strcmp(name, "max") == 0)
        return joined_term(terms, name, operands, count);
    wf_term part = strcmp(name, "substr") == 0 ? part_of_part(terms, operands, count) : WF_NONE;
    if (part != WF_NONE)
        return part;
    if (count == 2 && (name[0] == '<' || name[0] == '>'))
        return order_term(terms, name, operands);
    if (count == 2 && strchr("=!", name[0]) && name[1] == '=')
        return equality_term(terms, name, operands);
    return wf_term_plain(terms, name, operands, count);
}

wf_term wf_term_rebuilt(wf_terms *terms, const wf_term_node *node, const wf_term *operands)
{
    switch (node->kind) {
    case WF_TERM_MEMBER:
        return wf_term_member(terms, operands[0], node->key, node->key_length);
    case WF_TERM_HAS:
        return wf_term_has(terms, operands[0], node->key, node->key_length);
    case WF_TERM_ELEMENT:
        return wf_term_element(terms, operands[0], node->index);
    case WF_TERM_APPLY:
        return wf_term_apply(terms, node->op, operands, node->count);
    case WF_TERM_OBJECT:
        return wf_term_object(terms, node->keys, operands, node->count);
    case WF_TERM_ARRAY:
        return wf_term_array(terms, operands, node->count);
    default:
        return wf_term_over(terms, node->op, node->body, operands, node->count);
    }
}
