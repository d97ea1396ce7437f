/* machine/load_initials.c: the default states. */
#include "machine/load.h"

#include "base/invariant.h"

static bool is_history(wf_load *load, uint32_t state)
{
    return wf_load_state(load, state)->type >= WF_SHALLOW;
}

/* Children that are no histories: all of them, or the first. */
static wf_span children(wf_load *load, uint32_t state, bool all)
{
    uint32_t end = wf_load_state(load, state)->end;
    uint32_t first = (uint32_t)load->lists.count;

    for (uint32_t i = state + 1; i < end; i = wf_load_state(load, i)->end) {
        if (is_history(load, i))
            continue;
        wf_load_push(load, &load->lists, &i);
        if (!all)
            break;
    }
    return (wf_span){first, (uint32_t)load->lists.count - first};
}

static void check_inside(wf_load *load, const wf_node *node, wf_span targets, uint32_t parent)
{
    uint32_t end = wf_load_state(load, parent)->end;

    for (uint32_t i = 0; i < targets.count; i++) {
        uint32_t state = *(uint32_t *)wf_vector_at(&load->lists, targets.first + i);
        const wf_name *path = &wf_load_state(load, state)->path;

        if (state <= parent || state >= end) {
            wf_load_error(load, node, "bad-initial",
                          "\"%.*s\" is not inside the state that it is a default of",
                          wf_shown(path->length), path->text);
            return;
        }
    }
}

/* `initial` or a history's `target`: targets, or an object with targets and actions. */
static void load_default(wf_load *load, const wf_node *node, uint32_t parent,
                         wf_transition *transition)
{
    wf_scope_of_targets scope = {parent, parent};
    wf_node targets = *node;

    if (node->value->type == WF_OBJECT) {
        wf_check_keys(load, node, WF_DEFAULT_KEYS, 0);
        wf_check_description(load, node);
        if (!wf_node_get(&targets, node, "target")) {
            wf_load_error(load, node, "missing-key", "expected \"target\"");
            return;
        }
    }
    transition->targets = wf_load_targets(load, &targets, scope);
    if (load->failed)
        return;
    check_inside(load, &targets, transition->targets, parent);
    if (node->value->type == WF_OBJECT)
        transition->blocks = wf_load_blocks_of(load, node, "actions");
}

static uint32_t add(wf_load *load, const wf_node *node, const wf_transition *transition)
{
    uint32_t number = wf_load_push(load, &load->transitions, transition);

    WF_INVARIANT(transition->event == WF_NONE && transition->guard.kind == WF_GUARD_NONE);
    wf_load_push_pointer(load, &load->transition_pointers, node);
    return load->failed ? WF_NONE : number;
}

static void check_regions(wf_load *load, uint32_t state)
{
    if (!children(load, state, false).count && !load->failed)
        wf_load_error(load, &wf_load_source(load, state)->node, "bad-type",
                      "a parallel state needs a child state that is not a history");
}

void wf_load_initial(wf_load *load, uint32_t state)
{
    const wf_node *own = &wf_load_source(load, state)->node;
    wf_transition transition = {.source = state, .event = WF_NONE};
    wf_node node;
    uint32_t number;

    if (wf_load_state(load, state)->type == WF_PARALLEL)
        check_regions(load, state);
    if (wf_load_state(load, state)->type != WF_COMPOUND)
        return;
    if (wf_node_get(&node, own, "initial"))
        load_default(load, &node, state, &transition);
    else
        transition.targets = children(load, state, false);
    if (!transition.targets.count && !load->diagnostics->errors && !load->failed)
        wf_load_error(load, own, "bad-initial", "none of the child states can be entered");
    number = add(load, own, &transition);
    wf_load_state(load, state)->initial = number;
}

static void forbid_histories(wf_load *load, const wf_node *node, wf_span targets)
{
    for (uint32_t i = 0; i < targets.count; i++)
        if (is_history(load, *(uint32_t *)wf_vector_at(&load->lists, targets.first + i))) {
            wf_load_error(load, node, "bad-initial",
                          "a history's default is a state, not another history");
            return;
        }
}

/* Without a target, a history's default is what its parent enters by default. */
static wf_span inherited(wf_load *load, uint32_t parent)
{
    uint32_t initial = wf_load_state(load, parent)->initial;

    if (wf_load_state(load, parent)->type == WF_PARALLEL)
        return children(load, parent, true);
    if (initial == WF_NONE)
        return (wf_span){0, 0};
    return ((wf_transition *)wf_vector_at(&load->transitions, initial))->targets;
}

void wf_load_history(wf_load *load, uint32_t state)
{
    const wf_node *own = &wf_load_source(load, state)->node;
    wf_transition transition = {.source = state, .event = WF_NONE};
    uint32_t parent = wf_load_state(load, state)->parent;
    wf_node node = *own;
    uint32_t number;

    if (!is_history(load, state))
        return;
    if (wf_node_get(&node, own, "target"))
        load_default(load, &node, parent, &transition);
    else
        transition.targets = inherited(load, parent);
    forbid_histories(load, &node, transition.targets);
    number = add(load, own, &transition);
    wf_load_state(load, state)->initial = number;
}
