/* verify/cone_compare.c: what comparisons want of their operands. */
#include "verify/cone_expr.h"

typedef const wf_cone_env *env_of;

/* No part is a number, which may lead to an element or to a member. */
static bool is_of_names(const wf_var *var)
{
    for (uint32_t i = 0; i < var->count; i++)
        if (var->parts[i].index != WF_NONE)
            return false;
    return true;
}

/* The event's data or origin, where a guard compares it. */
bool wf_cone_is_direct(const wf_cones *all, const wf_expr *expr)
{
    return all->guarding && expr->node == WF_NODE_VAR && !expr->as.var->fallback &&
           expr->as.var->origin == WF_FROM_EVENT && expr->as.var->count > 0 &&
           (wf_path_part_is(&expr->as.var->parts[0], "data") ||
            wf_path_part_is(&expr->as.var->parts[0], "origin")) &&
           is_of_names(expr->as.var);
}

/* What is asked of a value of the event is asked of what is equal to it, too. */
static void want_alike(wf_cones *all, wf_cone *wanted, const wf_expr *of_event, env_of env)
{
    const wf_path_part *parts = of_event->as.var->parts;
    wf_cone *root = wf_path_part_is(parts, "data") ? env->event : &all->origin;
    const wf_cone *own = wf_cone_down(all, root, parts + 1, of_event->as.var->count - 1);
    wf_cone bare;
    if (!own)
        return;
    bare = *own;
    bare.link_count = 0;
    bare.many = false;
    bare.fits = NULL;
    wf_cone_add(all, wanted, &bare);
}

/* One operand, as another one sees it that is compared with it. */
static void want_rival(wf_cones *all, const wf_expr *rule, uint32_t self, uint32_t place,
                       wf_cone *wanted, env_of env)
{
    static const char *const strict[] = {"===", "!==", NULL};
    const wf_expr *own = &rule->as.list[self], *other = &rule->as.list[place];
    bool same = wf_expr_is_op(rule, strict) && rule->count == 2;
    if (other->node == WF_NODE_CONSTANT)
        wf_cone_constant(all, wanted, &other->as.constant);
    else if (wf_cone_is_of_context(other))
        wf_cone_link_to(all, wanted, other, false);
    if (same && wf_cone_is_of_context(other) && wf_cone_is_direct(all, own))
        return;
    if (same && wf_cone_is_of_context(own) && wf_cone_is_direct(all, other))
        want_alike(all, wanted, other, env);
    else if (other->node != WF_NODE_CONSTANT || other->as.constant.type >= WF_ARRAY)
        wf_cone_vague(all, wanted);
}

/* A comparison with constants is asked itself what it answers. */
static void want_test(wf_cones *all, const wf_expr *rule, uint32_t self, wf_cone *wanted)
{
    bool constant = rule->count <= WF_TEST_OPERANDS && rule->mode == WF_MODE_LISTED;
    for (uint32_t i = 0; i < rule->count && constant; i++)
        constant = i == self || rule->as.list[i].node == WF_NODE_CONSTANT;
    if (constant)
        wf_cone_tested(all, wanted, rule, self);
    else
        wf_cone_number(all, wanted);
}

/* Values that are compared: the cone of each contains the others. */
wf_cone *wf_want_compared(wf_cones *all, const wf_expr *rule, uint32_t self, env_of env)
{
    static const char *const strict[] = {"===", "!==", NULL};
    wf_cone *wanted = wf_want(all, true, false);
    if (!wanted)
        return NULL;
    if (!wf_expr_is_op(rule, strict))
        want_test(all, rule, self, wanted);
    for (uint32_t i = 0; i < rule->count; i++)
        if (i != self)
            want_rival(all, rule, self, i, wanted, env);
    return wanted;
}

/* ---- whether a value is a text ---- */

static bool is_same_var(const wf_expr *a, const wf_expr *b)
{
    return a->node == WF_NODE_VAR && b->node == WF_NODE_VAR && !a->as.var->fallback &&
           !b->as.var->fallback && wf_var_is_same(a->as.var, b->as.var);
}

/* X === cat(X): whether X is a text; NULL: something else is asked. */
const wf_expr *wf_tested_text(const wf_expr *rule)
{
    static const char *const strict[] = {"===", "!==", NULL}, *const cat[] = {"cat", NULL};
    for (uint32_t i = 0; i < 2 && rule->count == 2 && wf_expr_is_op(rule, strict); i++) {
        const wf_expr *one = &rule->as.list[i], *other = &rule->as.list[1 - i];
        if (one->node == WF_NODE_RULE && wf_expr_is_op(one, cat) && one->count == 1 &&
            one->mode == WF_MODE_LISTED && is_same_var(&one->as.list[0], other))
            return other;
    }
    return NULL;
}

/* ---- in ---- */

/* One that a value may be equal to. */
static void want_option(wf_cones *all, wf_cone *wanted, const wf_value *option)
{
    wf_cone_constant(all, wanted, option);
    if (option->type >= WF_ARRAY)
        wf_cone_vague(all, wanted);
}

wf_cone *wf_want_needle(wf_cones *all, const wf_expr *rule)
{
    const wf_expr *needle = &rule->as.list[0], *list = &rule->as.list[1];
    wf_cone *wanted = wf_want(all, true, false);
    if (!wanted)
        return NULL;
    if (list->node == WF_NODE_CONSTANT && list->as.constant.type == WF_ARRAY) {
        for (uint32_t i = 0; i < list->as.constant.length; i++)
            want_option(all, wanted, &list->as.constant.as.items[i]);
    } else if (list->node == WF_NODE_CONSTANT) {
        wf_cone_vague(all, wanted);
        wf_cone_constant(all, wanted, &list->as.constant);
    } else {
        if (!wf_cone_is_direct(all, needle) || !wf_cone_is_of_context(list))
            wf_cone_vague(all, wanted);
        if (wf_cone_is_of_context(list))
            wf_cone_link_to(all, wanted, list, true);
    }
    return wanted;
}

/* What is wanted of the elements of the list. */
static wf_cone *want_hay(wf_cones *all, const wf_expr *rule, env_of env)
{
    const wf_expr *needle = &rule->as.list[0], *list = &rule->as.list[1];
    wf_cone *wanted = wf_want(all, true, false);
    if (!wanted)
        return NULL;
    if (needle->node == WF_NODE_CONSTANT) {
        want_option(all, wanted, &needle->as.constant);
        return wanted;
    }
    if (wf_cone_is_of_context(needle))
        wf_cone_link_to(all, wanted, needle, false);
    if (wf_cone_is_direct(all, needle) && wf_cone_is_of_context(list))
        want_alike(all, wanted, needle, env);
    else
        wf_cone_vague(all, wanted);
    return wanted;
}

wf_cone *wf_want_haystack(wf_cones *all, const wf_expr *rule, const wf_cone_env *env)
{
    wf_cone *wanted = wf_want(all, true, true);
    if (!wanted)
        return NULL;
    wanted->items = want_hay(all, rule, env);
    wanted->kind = wanted->searched = true;
    wf_cone_over(all, wanted);
    return wanted;
}

/* ---- missing ---- */

/* Whether it is null, or "". */
wf_cone *wf_want_missing(wf_cones *all, const wf_expr *rule, uint32_t place,
                         const wf_cone *wanted)
{
    const wf_value nothing = wf_null(), empty = wf_string_z("");
    uint32_t first, keys = wf_known_keys(rule, &first);
    (void)wanted;
    if (place < first + keys)
        return first > place ? wf_want_operand(all, rule) : NULL;
    wf_cone *made = wf_want(all, true, false);
    wf_cone_constant(all, made, &nothing);
    wf_cone_constant(all, made, &empty);
    return made;
}
