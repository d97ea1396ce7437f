/* machine/load_guards.c */
#include "logic/json.h"
#include "machine/load.h"

static void load_host(wf_load *load, const wf_node *name, const wf_expr *params,
                      wf_guard *guard)
{
    if (!wf_expect_name(load, name, "the name of a guard") || wf_foreign_guard(load, name))
        return;
    guard->kind = WF_GUARD_HOST;
    guard->params = params;
    guard->text = name->value->as.text;
    guard->host =
        wf_load_intern(load, &load->machine->guards, name->value->as.text, name->value->length);
}

static void load_host_object(wf_load *load, const wf_node *node, const wf_node *name,
                             wf_guard *guard)
{
    wf_check_keys(load, node, WF_GUARD_KEYS, 0);
    load_host(load, name, wf_load_expr_of(load, node, "params"), guard);
}

static const char *as_text(wf_load *load, const wf_value *value)
{
    wf_buffer buffer;
    const char *text = NULL;

    wf_buffer_init(&buffer, load->allocator);
    wf_json_write(&buffer, value);
    if (buffer.failed)
        load->failed = true;
    else
        text = wf_arena_text(load->arena, buffer.data, buffer.length);
    wf_buffer_fini(&buffer);
    return text;
}

static void load_rule(wf_load *load, const wf_node *node, wf_guard *guard)
{
    guard->rule = wf_load_rule(load, node);
    if (!guard->rule)
        return;
    guard->kind = WF_GUARD_RULE;
    guard->text = as_text(load, node->value);
}

void wf_load_guard(wf_load *load, const wf_node *node, wf_guard *guard)
{
    wf_node name;

    *guard = (wf_guard){.kind = WF_GUARD_NONE};
    if (node->value->type == WF_STRING)
        load_host(load, node, NULL, guard);
    else if (!wf_expect(load, node, WF_OBJECT,
                        "a guard: a name, {\"type\": name} or a JsonLogic rule"))
        return;
    else if (wf_node_get(&name, node, "type"))
        load_host_object(load, node, &name, guard);
    else
        load_rule(load, node, guard);
}
