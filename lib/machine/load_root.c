/* machine/load_root.c: keys that only the root has. */
#include <string.h>
#include "base/invariant.h"
#include "machine/load.h"

static wf_name borrow(const wf_value *string)
{
    return (wf_name){string->as.text, string->length, wf_hash(string->as.text, string->length)};
}

static void load_identity(wf_load *load, const wf_node *root)
{
    wf_node node;

    load->machine->version = (wf_name){"", 0, wf_hash("", 0)};
    load->machine->id = load->machine->version;
    if (!wf_node_get(&node, root, "id"))
        wf_load_error(load, root, "missing-key", "a machine needs an \"id\", its name");
    else if (wf_expect_name(load, &node, "a machine's name"))
        load->machine->id = borrow(node.value);
    if (wf_node_get(&node, root, "version") && wf_expect_name(load, &node, "a version"))
        load->machine->version = borrow(node.value);
}

static void check_format(wf_load *load, const wf_node *root)
{
    wf_node node;
    double number;

    if (wf_node_get(&node, root, "$schema"))
        wf_expect(load, &node, WF_STRING, "a string");
    if (!wf_node_get(&node, root, "wfsm"))
        return;
    if (wf_expect(load, &node, WF_NUMBER, "1, the version of the format")) {
        number = node.value->as.number;
        if (number < 1 || number > 1)
            wf_load_error(load, &node, "bad-value",
                          "expected 1, the only version of the format");
    }
}

static void load_context_schema(wf_load *load, const wf_node *root)
{
    wf_node schemas, node;

    if (!wf_node_get(&schemas, root, "schemas") ||
        !wf_expect(load, &schemas, WF_OBJECT, "an object with the key \"context\""))
        return;
    wf_check_keys(load, &schemas, WF_SCHEMAS_KEYS, 0);
    if (wf_node_get(&node, &schemas, "context"))
        load->machine->context_schema = wf_load_schema(load, &node);
}

static void declare_properties(wf_load *load, const wf_schema *schema)
{
    const wf_value *properties = wf_value_get_z(wf_schema_source(schema), "properties");

    if (!properties || properties->type != WF_OBJECT)
        return;
    for (uint32_t i = 0; i < properties->length; i++) {
        const wf_member *member = &properties->as.members[i];

        wf_load_key_set(
            load, wf_load_intern(load, &load->machine->keys, member->key, member->length));
    }
}

static void report_mismatch(wf_load *load, const wf_node *context, int32_t status)
{
    const char *below = wfsm_error_pointer(load->error);
    size_t length = strlen(below);
    const char *start = wf_diagnostics_pointer(load->diagnostics, &context->place);
    char *pointer = wf_arena_take(&load->diagnostics->arena, length + 512);

    if (pointer && start) {
        size_t used = strlen(start) < 511 ? strlen(start) : 511;

        memcpy(pointer, start, used);
        memcpy(pointer + used, below, length + 1);
    }
    if (status == WFSM_NO_MEMORY)
        load->failed = true;
    else
        wf_load_error_at(load, pointer, "context-mismatch", "%s",
                         wfsm_error_message(load->error));
}

static void declare_context(wf_load *load, const wf_node *root)
{
    const wf_schema *schema = load->machine->context_schema;
    wf_node context;
    int32_t status;

    if (schema)
        declare_properties(load, schema);
    if (!wf_node_get(&context, root, "context") ||
        !wf_expect(load, &context, WF_OBJECT, "an object"))
        return;
    for (uint32_t i = 0; i < context.value->length; i++) {
        const wf_member *member = &context.value->as.members[i];

        wf_load_key_set(
            load, wf_load_intern(load, &load->machine->keys, member->key, member->length));
    }
    status = schema ? wf_schema_check(schema, context.value, load->error) : WFSM_OK;
    if (status)
        report_mismatch(load, &context, status);
}

void wf_load_root(wf_load *load, const wf_node *root)
{
    if (wf_load_intern(load, &load->machine->events, "error.execution", 15) == WF_NONE)
        return;
    load_identity(load, root);
    check_format(load, root);
    wf_load_domains(load, root);
    load_context_schema(load, root);
    declare_context(load, root);
}

static void load_restore_state(wf_load *load, const wf_node *node)
{
    uint32_t state;

    if (!wf_expect(load, node, WF_STRING, "a state: its path or #id"))
        return;
    state = wf_load_find(load, node->value->as.text, node->value->length);
    if (state == WF_NONE || state == 0)
        wf_load_error(load, node, "unknown-target",
                      "no state \"%.*s\"; expected its dotted path from the root, or #id",
                      wf_shown(node->value->length), node->value->as.text);
    else
        wf_load_push(load, &load->lists, &state);
}

static void load_restore_from(wf_load *load, const wf_node *node)
{
    uint32_t first = (uint32_t)load->lists.count;

    load->machine->restore_any = false;
    if (node->value->type != WF_ARRAY)
        load_restore_state(load, node);
    else
        for (uint32_t i = 0; i < node->value->length; i++) {
            wf_node item = wf_node_item(node, i);

            load_restore_state(load, &item);
        }
    load->machine->restore_from = (wf_span){first, (uint32_t)load->lists.count - first};
}

void wf_load_restore(wf_load *load, const wf_node *root)
{
    wf_node restore, node;

    load->machine->restore_any = true;
    if (!wf_node_get(&restore, root, "restore") ||
        !wf_expect(load, &restore, WF_OBJECT, "an object with \"from\" and \"event\""))
        return;
    wf_check_keys(load, &restore, WF_RESTORE_KEYS, 0);
    if (wf_node_get(&node, &restore, "from"))
        load_restore_from(load, &node);
    if (wf_node_get(&node, &restore, "event") && wf_expect_name(load, &node, "an event"))
        load->machine->restore_event = borrow(node.value);
}

bool wf_load_initial_context(wf_load *load, const wf_node *root)
{
    const wf_names *keys = &load->machine->keys;
    wf_node context;
    wf_value *slots = wf_arena_zero(load->arena, (keys->count + 1) * sizeof *slots);

    if (!slots)
        return false;
    load->machine->initial = slots;
    if (!wf_node_get(&context, root, "context"))
        return true;
    for (uint32_t i = 0; i < context.value->length; i++) {
        const wf_member *member = &context.value->as.members[i];

        WF_INVARIANT(wf_names_find(keys, member->key, member->length) != WF_NONE);
        slots[wf_names_find(keys, member->key, member->length)] = member->value;
    }
    return true;
}
