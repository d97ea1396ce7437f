#include "verify/expr_alike.h"

#include <string.h>
#include "logic/expr_tree.h"
#include "verify/intern.h"

static bool lists_alike(const wf_expr *a, const wf_expr *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!wf_expr_alike(&a[i], &b[i]))
            return false;
    return true;
}

static bool keys_alike(const wf_member *a, const wf_member *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (a[i].length != b[i].length || memcmp(a[i].key, b[i].key, a[i].length) != 0)
            return false;
    return true;
}

static bool paths_alike(const wf_var *a, const wf_var *b)
{
    for (uint32_t i = 0; i < a->count; i++)
        if (a->parts[i].length != b->parts[i].length ||
            memcmp(a->parts[i].key, b->parts[i].key, a->parts[i].length) != 0)
            return false;
    return true;
}

static bool vars_alike(const wf_var *a, const wf_var *b)
{
    if (a->origin != b->origin || a->climb != b->climb || a->slot != b->slot ||
        a->count != b->count || !a->fallback != !b->fallback || !paths_alike(a, b))
        return false;
    return !a->fallback || wf_expr_alike(a->fallback, b->fallback);
}

bool wf_expr_alike(const wf_expr *a, const wf_expr *b)
{
    if (a == b)
        return true;
    if (a->node != b->node || a->count != b->count || a->op != b->op || a->mode != b->mode ||
        a->env != b->env)
        return false;
    switch (a->node) {
    case WF_NODE_CONSTANT:
        return wf_same_value(&a->as.constant, &b->as.constant);
    case WF_NODE_VAR:
        return vars_alike(a->as.var, b->as.var);
    case WF_NODE_RULE:
    case WF_NODE_ARRAY:
        return lists_alike(a->as.list, b->as.list, a->count);
    case WF_NODE_OBJECT:
        return keys_alike(a->as.object.keys, b->as.object.keys, a->count) &&
               lists_alike(a->as.object.list, b->as.object.list, a->count);
    default: /* a key of the context, a state: `count` is its number */
        return true;
    }
}
