/* machine/load_transitions.c */
#include <string.h>
#include "base/invariant.h"
#include "machine/load.h"

static void load_object(wf_load *load, const wf_node *node, wf_transition *transition)
{
    wf_scope_of_targets scope = {transition->source, transition->source};
    uint32_t parent = wf_load_state(load, transition->source)->parent;
    wf_node part;

    if (parent != WF_NONE)
        scope.siblings = parent;
    if (wf_node_get(&part, node, "target"))
        transition->targets = wf_load_targets(load, &part, scope);
    if (wf_node_get(&part, node, "guard"))
        wf_load_guard(load, &part, &transition->guard);
    transition->blocks = wf_load_blocks_of(load, node, "actions");
    if (wf_node_get(&part, node, "reenter") &&
        wf_expect(load, &part, WF_BOOLEAN, "true or false"))
        transition->reenter = part.value->as.boolean;
    wf_check_description(load, node);
}

static void load_string(wf_load *load, const wf_node *node, wf_transition *transition)
{
    uint32_t parent = wf_load_state(load, transition->source)->parent;
    wf_scope_of_targets scope = {parent == WF_NONE ? transition->source : parent,
                                 transition->source};

    transition->targets = wf_load_targets(load, node, scope);
}

static void load_transition(wf_load *load, const wf_node *node, uint32_t source,
                            uint32_t descriptor, bool listed)
{
    wf_transition transition = {.source = source, .event = descriptor};

    if (node->value->type == WF_STRING && !listed) {
        load_string(load, node, &transition);
    } else if (wf_expect(load, node, WF_OBJECT, "a transition: a target or an object")) {
        wf_check_keys(load, node, listed ? WF_LISTED_TRANSITION_KEYS : WF_TRANSITION_KEYS, 0);
        load_object(load, node, &transition);
    }
    wf_load_push(load, &load->transitions, &transition);
    wf_load_push_pointer(load, &load->transition_pointers, node);
    WF_INVARIANT(load->failed || !load->lint ||
                 load->transition_pointers.count == load->transitions.count);
}

wf_span wf_load_transition_list(wf_load *load, const wf_node *node, uint32_t source,
                                uint32_t descriptor)
{
    uint32_t first = (uint32_t)load->transitions.count;

    if (node->value->type != WF_ARRAY)
        load_transition(load, node, source, descriptor, false);
    else
        for (uint32_t i = 0; i < node->value->length && !load->failed; i++) {
            wf_node item = wf_node_item(node, i);

            load_transition(load, &item, source, descriptor, false);
        }
    return (wf_span){first, (uint32_t)load->transitions.count - first};
}

wf_span wf_load_listed_transition(wf_load *load, const wf_node *node, uint32_t source,
                                  uint32_t descriptor)
{
    uint32_t first = (uint32_t)load->transitions.count;

    load_transition(load, node, source, descriptor, true);
    return (wf_span){first, (uint32_t)load->transitions.count - first};
}

void wf_load_always(wf_load *load, uint32_t state)
{
    wf_node node;
    wf_span numbers, list;

    if (!wf_node_get(&node, &wf_load_source(load, state)->node, "always"))
        return;
    numbers = wf_load_transition_list(load, &node, state, WF_NONE);
    list = wf_load_reserve(load, &load->lists, numbers.count);
    for (uint32_t i = 0; i < list.count; i++)
        *(uint32_t *)wf_vector_at(&load->lists, list.first + i) = numbers.first + i;
    wf_load_state(load, state)->always = list;
}
