/* verify/cone_members.c: what is wanted of containers whose members are read or set by a key. */
#include "verify/cone_expr.h"

/* get: a member by a key that may be computed. */
wf_cone *wf_want_container(wf_cones *all, const wf_expr *rule, const wf_cone *wanted)
{
    const wf_expr *key = rule->count > 1 ? &rule->as.list[1] : NULL;
    if (!key || key->node != WF_NODE_CONSTANT || key->as.constant.type != WF_STRING)
        return wf_want_vague(all);
    const wf_value *name = &key->as.constant;
    wf_cone *container = wf_want(all, false, false);
    wf_cone_add(all, wf_cone_part_of(all, container, name->as.text, name->length), wanted);
    return container;
}

/* A key that is computed is compared with those of a constant. */
wf_cone *wf_want_key(wf_cones *all, const wf_expr *rule)
{
    const wf_expr *from = &rule->as.list[0];
    if (from->node != WF_NODE_CONSTANT)
        return wf_want_vague(all);
    const wf_value *table = &from->as.constant;
    wf_cone *key = wf_want(all, true, false);
    if (table->type != WF_OBJECT)
        wf_cone_vague(all, key);
    for (uint32_t i = 0; table->type == WF_OBJECT && i < table->length; i++) {
        wf_value name = wf_string(table->as.members[i].key, table->as.members[i].length);
        wf_cone_constant(all, key, &name);
    }
    wf_cone_kind(all, key);
    return key;
}

/* What is wanted of any member. */
static wf_cone *want_any_member(wf_cones *all, const wf_cone *wanted)
{
    wf_cone *sum = wf_want(all, wanted->whole, false);
    if (!sum)
        return NULL;
    sum->vague = wanted->vague;
    for (const wf_cone_part *part = wanted->parts; part; part = part->next)
        wf_cone_add(all, sum, part->cone);
    if (wanted->items)
        wf_cone_add(all, sum, wanted->items);
    return sum;
}

/* A list takes an index up to its length, and is longer then. */
static void want_room(wf_cones *all, const wf_expr *rule, wf_cone *container)
{
    const wf_expr *key = rule->count > 1 ? &rule->as.list[1] : NULL;
    wf_value index;
    if (!key || wf_expr_type(key) == WF_STRING)
        return;
    if (wf_expr_constant(key, &index)) {
        container->length = true;
        wf_cone_constant(all, container, &index);
    } else {
        wf_cone_add(all, container, wf_want_vague(all));
    }
}

/* with: a container with one more member, whose key may be computed. */
wf_cone *wf_want_extended(wf_cones *all, const wf_expr *rule, uint32_t place,
                          const wf_cone *wanted)
{
    if (place > 0)
        return place == 1   ? wf_want_vague(all)
               : place == 2 ? want_any_member(all, wanted)
                            : NULL;
    wf_cone *container = wf_want(all, false, false);
    if (!container)
        return NULL;
    wf_cone_add(all, container, wanted);
    container->kind = wf_op_may_fail(rule);
    want_room(all, rule, container);
    return container;
}
