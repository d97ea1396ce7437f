/* machine/load_values.c: expressions, schemas and places in the context. */
#include <string.h>
#include "base/invariant.h"
#include "machine/load.h"

static uint32_t find_state(void *user, const char *path, size_t length)
{
    return wf_load_find(user, path, length);
}

static wf_key_use *use_of(wf_load *load, uint32_t slot)
{
    if (slot >= load->uses.count)
        wf_load_reserve(load, &load->uses, slot + 1 - load->uses.count);
    return slot < load->uses.count ? wf_vector_at(&load->uses, slot) : NULL;
}

static void note_read(void *user, uint32_t slot, bool whole)
{
    wf_load *load = user;
    wf_key_use *use;

    use = whole || !load->lint ? NULL : use_of(load, slot);
    if (use && !use->read && load->reading)
        use->read = wf_diagnostics_pointer(load->diagnostics, &load->reading->place);
}

static void note_suspect(void *user, const wf_place *place, const char *rule,
                         const char *message)
{
    wf_load *load = user;
    wf_suspect suspect = {NULL, rule, message};

    if (!load->lint)
        return;
    suspect.pointer = wf_diagnostics_pointer(load->diagnostics, place);
    wf_load_push(load, &load->suspects, &suspect);
}

static void note_difference(void *user, const wf_place *place, const char *message)
{
    wf_load *load = user;
    wf_suspect note = {NULL, "differs", message};

    if (!load->lint)
        return;
    note.pointer = wf_diagnostics_pointer(load->diagnostics, place);
    wf_load_push(load, &load->notes, &note);
}

void wf_load_key_set(wf_load *load, uint32_t slot)
{
    wf_key_use *use = slot == WF_NONE ? NULL : use_of(load, slot);

    if (use)
        use->set = true;
}

void wf_load_set_up_resolver(wf_load *load)
{
    load->resolver = (wf_resolver){
        .arena = load->arena,
        .keys = &load->machine->keys,
        .user = load,
        .state = find_state,
        .budgets = &load->machine->budget_names,
        .reads = note_read,
        .suspect = note_suspect,
        .differs = note_difference,
    };
}

/* Takes over an error that the logic part filled in: its pointer leads below the node.
 */
static void take_over(wf_load *load, int32_t status, const char *rule)
{
    const char *pointer = wfsm_error_pointer(load->error);
    const char *message = wfsm_error_message(load->error);
    wf_diagnostic *diagnostic;

    if (status == WFSM_NO_MEMORY) {
        load->failed = true;
        return;
    }
    if (strncmp(message, "unknown operator", 16) == 0)
        rule = "unknown-operator";
    else if (strncmp(message, "unknown variable", 16) == 0)
        rule = "unknown-variable";
    else if (strncmp(message, "expected the path of a state", 28) == 0)
        rule = "unknown-target";
    pointer = wf_arena_text(&load->diagnostics->arena, pointer, strlen(pointer));
    diagnostic =
        wf_load_error_at(load, pointer, status == WFSM_LIMIT ? "limit" : rule, "%s", message);
    if (diagnostic)
        diagnostic->status = status;
}

static const wf_expr *compile(wf_load *load, const wf_node *node, bool guard)
{
    const wf_expr *expr = NULL;
    int32_t status;

    if (node->value->depth > load->machine->rule_depth) {
        wf_load_error_limit(load, node, "nested deeper than %u levels, the limit of rules here",
                            (unsigned)load->machine->rule_depth);
        return NULL;
    }
    WF_INVARIANT(!load->reading); /* expressions do not nest */
    load->reading = node;
    status =
        wf_expr_compile(&expr, node->value, guard, &load->resolver, &node->place, load->error);
    load->reading = NULL;
    if (!status)
        return expr;
    take_over(load, status, "bad-expression");
    return NULL;
}

const wf_expr *wf_load_expr(wf_load *load, const wf_node *node)
{
    return compile(load, node, false);
}

const wf_expr *wf_load_rule(wf_load *load, const wf_node *node)
{
    return compile(load, node, true);
}

const wf_expr *wf_load_expr_of(wf_load *load, const wf_node *object, const char *key)
{
    wf_node node;

    return wf_node_get(&node, object, key) ? wf_load_expr(load, &node) : NULL;
}

const wf_schema *wf_load_schema_value(wf_load *load, const wf_value *source,
                                      const wf_node *node)
{
    const wf_schema *schema = NULL;
    int32_t status = wf_schema_compile(&schema, source, load->arena, &node->place, load->error);

    if (!status)
        return schema;
    take_over(load, status, "bad-schema");
    return NULL;
}

static uint32_t count_dots(const char *text, size_t length)
{
    uint32_t count = 0;

    for (size_t i = 0; i < length; i++)
        count += text[i] == '.';
    return count;
}

static bool well_formed_path(const char *text, size_t length)
{
    if (!length || text[0] == '.' || text[length - 1] == '.')
        return false;
    for (size_t i = 1; i < length; i++)
        if (text[i] == '.' && text[i - 1] == '.')
            return false;
    return true;
}

static size_t up_to_dot(const char *text, size_t length)
{
    const char *dot = memchr(text, '.', length);

    return dot ? (size_t)(dot - text) : length;
}

/* The keys below the slot, each a text of its own. */
static bool split_keys(wf_load *load, const char *text, size_t length, wf_target *target)
{
    uint32_t count = count_dots(text, length) + 1;
    wf_name *keys = wf_arena_zero(load->arena, count * sizeof *keys);

    for (uint32_t i = 0; keys && i < count; i++) {
        size_t size = up_to_dot(text, length);

        keys[i].text = wf_arena_text(load->arena, text, size);
        keys[i].length = (uint32_t)size;
        keys[i].hash = wf_hash(text, size);
        if (size < length)
            size++;
        text += size;
        length -= size;
    }
    WF_INVARIANT(!keys || length == 0); /* the keys are the whole text */
    target->keys = keys;
    target->depth = count;
    return keys != NULL;
}

static void report_target(wf_load *load, const wf_node *node, bool on_key, const char *rule,
                          const char *why)
{
    if (on_key)
        wf_load_error_key(load, node, rule, "%s", why);
    else
        wf_load_error(load, node, rule, "%s", why);
}

bool wf_load_context_target(wf_load *load, const wf_node *node, const char *text, size_t length,
                            bool on_key, wf_target *target)
{
    const wf_schema *schema = load->machine->context_schema;
    size_t top = up_to_dot(text, length);
    bool forbidden = false;

    *target = (wf_target){WF_NONE, NULL, 0};
    if (!well_formed_path(text, length)) {
        report_target(load, node, on_key, "bad-name",
                      "expected a context key, or keys joined by single dots");
        return false;
    }
    if (schema)
        wf_schema_key(schema, text, top, &forbidden);
    if (forbidden)
        report_target(load, node, on_key, "unknown-context-key",
                      "schemas.context does not allow such a key");
    target->slot = wf_load_intern(load, &load->machine->keys, text, top);
    wf_load_key_set(load, target->slot);
    if (top < length && !split_keys(load, text + top + 1, length - top - 1, target))
        return false;
    return target->slot != WF_NONE;
}
