#include "verify/solve.h"

#include <string.h>
#include "logic/expr_tree.h"

static const wf_value *part_named(const wf_value *whole, const wf_term_node *node)
{
    wf_path_part part;
    if (whole->type == WF_OBJECT)
        return wf_value_get(whole, node->key, node->key_length);
    wf_path_part_fill(&part, node->key, node->key_length);
    return whole->type == WF_ARRAY && part.index < whole->length ? &whole->as.items[part.index]
                                                                 : NULL;
}

static wf_expr constant(const wf_value *value)
{
    return (wf_expr){.node = WF_NODE_CONSTANT, .as.constant = *value};
}

static int32_t evaluate(const wf_operator *op, const wf_expr *list, uint32_t count,
                        wf_arena *arena, wf_value *value)
{
    wf_scope scope = {.arena = arena, .steps = WF_EVAL_STEPS};
    const wf_expr rule = {.node = WF_NODE_RULE,
                          .mode = WF_MODE_LISTED,
                          .op = op,
                          .count = count,
                          .as.list = list};
    return wf_expr_eval(&rule, &scope, value);
}

static int32_t apply(const wf_term_node *node, const wf_value *operands, wf_arena *arena,
                     wf_value *value)
{
    wf_expr *list = wf_arena_take(arena, (node->count + 1) * sizeof *list);
    if (!list)
        return WFSM_NO_MEMORY;
    for (uint32_t i = 0; i < node->count; i++)
        list[i] = constant(&operands[i]);
    return evaluate(node->op, list, node->count, arena, value);
}

static int32_t go_over(const wf_term_node *node, const wf_value *operands, wf_arena *arena,
                       wf_value *value)
{
    wf_expr list[3] = {constant(&operands[0]), *node->body};
    if (node->count > 1)
        list[2] = constant(&operands[1]);
    return evaluate(node->op, list, node->count + 1, arena, value);
}

static int32_t build(const wf_term_node *node, const wf_value *operands, wf_arena *arena,
                     wf_value *value)
{
    bool object = node->kind == WF_TERM_OBJECT;
    size_t size = object ? sizeof(wf_member) : sizeof(wf_value);
    void *parts = wf_arena_take(arena, (node->count + 1u) * size);
    if (!parts)
        return WFSM_NO_MEMORY;
    for (uint32_t i = 0; i < node->count; i++) {
        if (!object) {
            ((wf_value *)parts)[i] = operands[i];
            continue;
        }
        ((wf_member *)parts)[i] = node->keys[i];
        ((wf_member *)parts)[i].value = operands[i];
    }
    *value = object ? wf_object(parts, node->count) : wf_array(parts, node->count);
    return value->type == WF_ABSENT ? WFSM_LIMIT : WFSM_OK;
}

int32_t wf_term_compute(const wf_terms *terms, wf_term term, const wf_value *operands,
                        wf_arena *arena, wf_value *value)
{
    const wf_term_node *node = wf_term_at(terms, term);
    const wf_value *found = NULL;
    switch (node->kind) {
    case WF_TERM_KNOWN:
        *value = node->value;
        return WFSM_OK;
    case WF_TERM_MEMBER:
        found = part_named(operands, node);
        *value = found ? *found : wf_null();
        return WFSM_OK;
    case WF_TERM_HAS:
        *value = wf_boolean(part_named(operands, node) != NULL);
        return WFSM_OK;
    case WF_TERM_ELEMENT:
        *value = operands->type == WF_ARRAY && node->index < operands->length
                     ? operands->as.items[node->index]
                     : wf_null();
        return WFSM_OK;
    case WF_TERM_APPLY:
        return apply(node, operands, arena, value);
    case WF_TERM_OVER:
        return go_over(node, operands, arena, value);
    case WF_TERM_OBJECT:
    case WF_TERM_ARRAY:
        return build(node, operands, arena, value);
    default:
        return WFSM_LIMIT; /* a symbol has no operands */
    }
}

int wf_literal_compare(const void *a, const void *b)
{
    const wf_literal *one = a, *other = b;
    if (one->term != other->term)
        return one->term < other->term ? -1 : 1;
    if (one->kind != other->kind)
        return one->kind < other->kind ? -1 : 1;
    return memcmp(a, b, sizeof *one);
}

wf_literal wf_literal_complement(const wf_literal *literal)
{
    static const uint8_t complements[] = {
        [WF_IS_TRUE] = WF_IS_FALSE, [WF_IS_FALSE] = WF_IS_TRUE, [WF_FAILS] = WF_SUCCEEDS,
        [WF_SUCCEEDS] = WF_FAILS,   [WF_FITS] = WF_FITS_NOT,    [WF_FITS_NOT] = WF_FITS,
        [WF_HAS_TYPE] = WF_HAS_TYPE};
    wf_literal other = *literal;
    other.kind = complements[literal->kind];
    if (literal->kind == WF_HAS_TYPE)
        other.types = (uint8_t)(~literal->types & 0x7E);
    return other;
}

bool wf_literal_holds(const wf_literal *literal, int32_t status, const wf_value *value)
{
    if (literal->kind == WF_FAILS)
        return status == WFSM_SEMANTIC;
    if (status != WFSM_OK)
        return false;
    switch (literal->kind) {
    case WF_IS_TRUE:
        return wf_value_truth(value);
    case WF_IS_FALSE:
        return !wf_value_truth(value);
    case WF_FITS:
        return wf_schema_check(literal->schema, value, NULL) == WFSM_OK;
    case WF_FITS_NOT:
        return wf_schema_check(literal->schema, value, NULL) != WFSM_OK;
    case WF_HAS_TYPE:
        return literal->types >> value->type & 1;
    default:
        return true;
    }
}
