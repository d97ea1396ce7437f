/* machine/load_actions.c: lists of actions. */
#include "machine/load.h"

static void load_call(wf_load *load, const wf_node *name, const wf_node *params,
                      wf_action *action)
{
    action->kind = WF_CALL;
    action->as.call.host = wf_load_intern(load, &load->machine->functions, name->value->as.text,
                                          name->value->length);
    action->as.call.params = params ? wf_load_expr(load, params) : NULL;
}

static void load_named(wf_load *load, const wf_node *name, const wf_node *params,
                       wf_action *action)
{
    if (!wf_expect_name(load, name, "the name of an action") || wf_foreign_action(load, name))
        return;
    if (!wf_is_builtin(name->value))
        load_call(load, name, params, action);
    else if (params)
        wf_load_builtin(load, name, params, action);
    else
        wf_load_error(load, name, "missing-key", "\"%s\" needs \"params\"",
                      name->value->as.text);
}

static void load_action(wf_load *load, const wf_node *node, wf_action *action)
{
    wf_node name, params;

    if (node->value->type == WF_STRING) {
        load_named(load, node, NULL, action);
        return;
    }
    if (!wf_expect(load, node, WF_OBJECT, "an action: a name or {\"type\": …, \"params\": …}"))
        return;
    wf_check_keys(load, node, WF_ACTION_KEYS, 0);
    if (!wf_node_get(&name, node, "type"))
        wf_load_error(load, node, "missing-key", "an action needs \"type\"");
    else
        load_named(load, &name, wf_node_get(&params, node, "params") ? &params : NULL, action);
}

/* Actions may hold actions, so that the array can move while one is read. */
static void load_into(wf_load *load, const wf_node *node, uint32_t index)
{
    wf_action action = {.kind = WF_CALL};

    load_action(load, node, &action);
    if (!load->failed)
        *(wf_action *)wf_vector_at(&load->actions, index) = action;
}

static wf_span load_list(wf_load *load, const wf_node *list)
{
    wf_span span = wf_load_reserve(load, &load->actions, list->value->length);

    for (uint32_t i = 0; i < span.count && !load->failed; i++) {
        wf_node item = wf_node_item(list, i);

        load_into(load, &item, span.first + i);
    }
    return span;
}

static wf_span load_single(wf_load *load, const wf_node *node)
{
    wf_span span = wf_load_reserve(load, &load->actions, 1);

    if (span.count)
        load_into(load, node, span.first);
    return span;
}

static bool is_list_of_lists(const wf_value *value)
{
    return value->type == WF_ARRAY && value->length && value->as.items[0].type == WF_ARRAY;
}

static wf_span load_many_blocks(wf_load *load, const wf_node *list)
{
    wf_span blocks = wf_load_reserve(load, &load->blocks, list->value->length);

    for (uint32_t i = 0; i < blocks.count && !load->failed; i++) {
        wf_node item = wf_node_item(list, i);
        wf_span actions;

        if (!wf_expect(load, &item, WF_ARRAY, "a list of actions, as the first element is"))
            continue;
        actions = load_list(load, &item);
        ((wf_block *)wf_vector_at(&load->blocks, blocks.first + i))->actions = actions;
    }
    return blocks;
}

static wf_span load_one_block(wf_load *load, const wf_node *node)
{
    wf_span blocks = wf_load_reserve(load, &load->blocks, 1);
    wf_span actions =
        node->value->type == WF_ARRAY ? load_list(load, node) : load_single(load, node);

    if (blocks.count)
        ((wf_block *)wf_vector_at(&load->blocks, blocks.first))->actions = actions;
    return blocks;
}

wf_span wf_load_blocks(wf_load *load, const wf_node *node)
{
    if (is_list_of_lists(node->value))
        return load_many_blocks(load, node);
    if (node->value->type == WF_ARRAY && !node->value->length)
        return (wf_span){0, 0};
    return load_one_block(load, node);
}

wf_span wf_load_blocks_of(wf_load *load, const wf_node *object, const char *key)
{
    wf_node node;

    return wf_node_get(&node, object, key) ? wf_load_blocks(load, &node) : (wf_span){0, 0};
}
