#include <string.h>
#include "logic/expr_tree.h"
#include "verify/cone_find.h"

static bool any_mentions(const wf_expr *list, uint32_t count, const char *text, size_t length)
{
    for (uint32_t i = 0; i < count; i++)
        if (wf_expr_mentions(&list[i], text, length))
            return true;
    return false;
}

bool wf_expr_mentions(const wf_expr *expr, const char *text, size_t length)
{
    switch (expr->node) {
    case WF_NODE_CONSTANT:
        return expr->as.constant.type == WF_STRING && expr->as.constant.length == length &&
               memcmp(expr->as.constant.as.text, text, length) == 0;
    case WF_NODE_RULE:
    case WF_NODE_ARRAY:
        return any_mentions(expr->as.list, expr->count, text, length);
    case WF_NODE_OBJECT:
        return any_mentions(expr->as.object.list, expr->count, text, length);
    case WF_NODE_VAR:
        return expr->as.var->fallback && wf_expr_mentions(expr->as.var->fallback, text, length);
    default:
        return false;
    }
}
