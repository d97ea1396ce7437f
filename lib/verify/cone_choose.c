/* verify/cone_choose.c: what conditions tell about the event: its name, and values that are one of a
 * few. */
#include "verify/cone_expr.h"

#include <string.h>

static bool is_event_type(const wf_expr *expr)
{
    return expr->node == WF_NODE_VAR && expr->as.var->origin == WF_FROM_EVENT &&
           expr->as.var->count == 1 && wf_path_part_is(&expr->as.var->parts[0], "type");
}

/* That one operand asks. */
static const wf_value *names_of(const wf_expr *operand)
{
    static const char *const same[] = {"===", "==", NULL}, *const in[] = {"in", NULL};
    if (operand->node != WF_NODE_RULE || operand->count != 2)
        return NULL;
    const wf_expr *a = &operand->as.list[0], *b = &operand->as.list[1];
    if (wf_expr_is_op(operand, same) && is_event_type(b)) {
        const wf_expr *swap = a;
        a = b;
        b = swap;
    }
    if (!is_event_type(a) || b->node != WF_NODE_CONSTANT)
        return NULL;
    bool fits = wf_expr_is_op(operand, same)
                    ? b->as.constant.type == WF_STRING
                    : wf_expr_is_op(operand, in) && b->as.constant.type == WF_ARRAY;
    return fits ? &b->as.constant : NULL;
}

const wf_value *wf_names_asked(const wf_expr *rule, uint32_t *place)
{
    const wf_value *names = NULL;
    bool both = strcmp(rule->op->name, "and") == 0;
    for (uint32_t i = 0; both && i < rule->count && !names; i++) {
        names = names_of(&rule->as.list[i]);
        *place = i;
    }
    return names;
}

static bool is_event_data(const wf_expr *expr)
{
    return expr->node == WF_NODE_VAR && expr->as.var->origin == WF_FROM_EVENT &&
           !expr->as.var->fallback && expr->as.var->count > 0 &&
           wf_path_part_is(&expr->as.var->parts[0], "data");
}

static bool is_known(const wf_expr *expr)
{
    return expr->node == WF_NODE_CONSTANT || wf_cone_is_of_context(expr);
}

const wf_expr *wf_pinned_by(const wf_expr *rule)
{
    static const char *const same[] = {"===", NULL}, *const in[] = {"in", NULL},
                             *const both[] = {"and", NULL};
    const wf_expr *found = NULL;
    if (rule->node != WF_NODE_RULE)
        return NULL;
    const wf_expr *list = rule->as.list;
    for (uint32_t i = 0; wf_expr_is_op(rule, both) && i < rule->count && !found; i++)
        found = wf_pinned_by(&list[i]);
    if (found || rule->count != 2)
        return found;
    if (wf_expr_is_op(rule, in) && is_event_data(&list[0]) && is_known(&list[1]) &&
        !(list[1].node == WF_NODE_CONSTANT && list[1].as.constant.type != WF_ARRAY))
        return &list[0];
    if (wf_expr_is_op(rule, same) && is_event_data(&list[0]) && is_known(&list[1]))
        return &list[0];
    return wf_expr_is_op(rule, same) && is_event_data(&list[1]) && is_known(&list[0]) ? &list[1]
                                                                                      : NULL;
}
