/* machine/load_attributes.c: `attributes`, by which stores find instances. They come after all that
 * sets the context, and add no key to it. */
#include <stdlib.h>
#include <string.h>
#include <wfsm/machine.h>
#include "machine/load.h"

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool wf_attribute_name(const char *text, size_t length)
{
    size_t at = 1;

    if (length < 1 || length >= WFSM_ATTRIBUTE_NAME || !is_letter(text[0]))
        return false;
    while (at < length && (is_letter(text[at]) || (text[at] >= '0' && text[at] <= '9') ||
                           text[at] == '.' || text[at] == '-'))
        at++;
    return at == length;
}

static void load_attribute(wf_load *load, const wf_node *node, wf_attribute *attribute)
{
    uint32_t known = load->machine->keys.count;
    const wf_expr *rule = wf_load_expr(load, node);

    wf_load_known_keys(load, node, known);
    if (rule && wf_expr_reads(rule))
        wf_load_error(load, node, "bad-value",
                      "an attribute sees only the context; expected a rule over it");
    attribute->name = wf_arena_text(load->arena, node->place.key, node->place.key_length);
    attribute->rule = rule;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(((const wf_attribute *)left)->name, ((const wf_attribute *)right)->name);
}

static void load_all(wf_load *load, const wf_node *node, wf_attribute *attributes)
{
    for (uint32_t i = 0; i < node->value->length; i++) {
        wf_node one = wf_node_member(node, i);

        const wf_member *member = &node->value->as.members[i];

        if (!wf_attribute_name(member->key, member->length))
            wf_load_error_key(
                load, &one, "bad-name",
                "expected the name of an attribute: a letter or _, and then letters, "
                "digits, _, . and -, at most %d of them together",
                WFSM_ATTRIBUTE_NAME - 1);
        load_attribute(load, &one, &attributes[i]);
        if (!attributes[i].name)
            return;
    }
    qsort(attributes, node->value->length, sizeof *attributes, by_name);
    load->machine->attributes = attributes;
    load->machine->attribute_count = node->value->length;
}

void wf_load_attributes(wf_load *load, const wf_node *root)
{
    wf_node node;
    wf_attribute *attributes;

    if (!wf_node_get(&node, root, "attributes") ||
        !wf_expect(load, &node, WF_OBJECT, "an object of rules by the name of an attribute"))
        return;
    if (node.value->length > WFSM_ATTRIBUTES) {
        wf_load_error_limit(load, &node, "%u attributes, at most %d are allowed",
                            node.value->length, WFSM_ATTRIBUTES);
        return;
    }
    attributes = wf_arena_take(load->arena, (node.value->length + 1u) * sizeof(wf_attribute));
    if (attributes)
        load_all(load, &node, attributes);
}
