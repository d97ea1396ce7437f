/* verify/cone_link.c: comparisons with values of the context. What such a value is, only a state
 * says. Data refers to it by a text that no document can contain (verify/input_data.c puts the
 * value there). */
#include <string.h>
#include "logic/expr_tree.h"
#include "logic/schema_tree.h"
#include "verify/cone_expr.h"

bool wf_expr_is_op(const wf_expr *expr, const char *const *names)
{
    for (; expr->node == WF_NODE_RULE && *names; names++)
        if (wf_operator_is(expr->op, *names))
            return true;
    return false;
}

bool wf_expr_is_number(const wf_expr *expr)
{
    return expr->node == WF_NODE_CONSTANT && expr->as.constant.type == WF_NUMBER;
}

/* In the body of `some`, `filter` and others, `val` may read the context from around the body. Such an expression
 * has no value by itself. */
bool wf_cone_is_of_context(const wf_expr *expr)
{
    static const char *const values[] = {"+",   "-",   "*",      "/",   "%", "max",
                                         "min", "cat", "length", "get", NULL};
    if (expr->node == WF_NODE_VAR)
        return expr->as.var->origin == WF_FROM_SLOT && expr->as.var->climb == 0 &&
               (!expr->as.var->fallback || wf_cone_is_of_context(expr->as.var->fallback));
    if (expr->node != WF_NODE_RULE || !wf_expr_is_op(expr, values))
        return expr->node == WF_NODE_SLOT;
    for (uint32_t i = 0; i < expr->count; i++)
        if (expr->as.list[i].node != WF_NODE_CONSTANT &&
            !wf_cone_is_of_context(&expr->as.list[i]))
            return false;
    return true;
}

/* Texts that no document can contain. */
static bool name_link(wf_cones *all, wf_context_link *link, uint32_t number)
{
    for (uint32_t i = 0; i < WF_LINK_ELEMENTS; i++) {
        char *text = wf_arena_take(all->arena, 4);
        if (!text)
            return false;
        text[0] = '\1';
        text[1] = (char)('0' + number);
        text[2] = (char)('0' + i);
        text[3] = '\0';
        link->stands[i] = wf_string(text, 3);
    }
    return true;
}

static bool is_finite(const wf_schema *schema)
{
    const uint32_t few = 1u << WF_NULL | 1u << WF_BOOLEAN;
    return schema && (schema->options || schema->constant ||
                      (schema->types != 0 && !(schema->types & ~few)));
}

static bool is_known(const wf_cones *all, const wf_expr *expr)
{
    static const char *const length[] = {"length", NULL};
    if (expr->node == WF_NODE_SLOT)
        return is_finite(wf_schema_of_slot(all, expr->count));
    return wf_expr_is_op(expr, length);
}

void wf_cone_link_to(wf_cones *all, wf_cone *wanted, const wf_expr *expr, bool element)
{
    uint32_t i = 0;
    while (i < all->link_count &&
           (all->links[i].expr != expr || all->links[i].element != element))
        i++;
    if (i == WF_LINKS) {
        wanted->many = true;
        return;
    }
    if (i == all->link_count) {
        all->links[i] = (wf_context_link){.expr = expr,
                                          .element = element,
                                          .known = !element && is_known(all, expr),
                                          .reading = all->reading};
        if (!name_link(all, &all->links[i], i)) {
            all->failed = true;
            return;
        }
        all->link_count++;
    }
    wf_cone_link(all, wanted, i);
}
