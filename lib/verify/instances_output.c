/* verify/instances_output.c: which results an invocation can have, if all results of its child are constants.
 * They are compared with the classes of data that the search of the parent has tried. */
#include "logic/expr_tree.h"
#include "logic/schema.h"
#include "verify/data_make.h"
#include "verify/instances.h"

/* The final state of the root that is active; NULL: there are several. */
static const wf_state *end_of(const wf_snapshot *snapshot)
{
    const wfsm_machine *machine = snapshot->machine;
    const wf_state *found = NULL;
    for (uint32_t s = 1; s < machine->state_count; s++) {
        if (machine->states[s].parent != 0 || !wf_set_has(snapshot->active, s))
            continue;
        if (found)
            return NULL;
        found = &machine->states[s];
    }
    return found;
}

void wf_child_note_output(wf_child *child, const wf_snapshot *snapshot)
{
    const wf_state *end = end_of(snapshot);
    wf_value output = wf_null();
    if (!end || (end->output && !wf_expr_constant(end->output, &output)))
        child->any_output = true;
    for (uint32_t i = 0; i < child->output_count; i++)
        if (wf_value_equal(&child->outputs[i], &output))
            return;
    if (child->output_count == WF_OUTPUTS_MOST)
        child->any_output = true;
    else
        child->outputs[child->output_count++] = output;
}

static bool has_class(const wf_child *child, const wf_data_classes *classes,
                      const wf_value *output, wf_arena *arena)
{
    for (uint32_t i = 0; i < classes->count; i++)
        if (wf_data_alike(output, &classes->list[i], child->asked_of_output, arena))
            return true;
    return false;
}

void wf_child_compare_outputs(wf_instances *self, wf_child *child)
{
    wf_explorer *explorer = &self->search->explorer;
    const wf_invoke *invoke = &explorer->machine->invokes[child->invoke];
    const wf_data_classes *classes = &explorer->results[child->invoke];
    const wf_name *done = &explorer->machine->events.list[invoke->done_event];
    uint32_t fitting = 0;
    child->asked_of_output = wf_cones_of_event(&explorer->cones, done->text, done->length);
    child->any_output |= child->why || explorer->symbolic || invoke->items || classes->linked;
    for (uint32_t i = 0; i < child->output_count && !child->any_output; i++) {
        const wf_value *output = &child->outputs[i];
        if (invoke->output && wf_schema_check(invoke->output, output, NULL) != WFSM_OK)
            continue; /* the invocation fails */
        child->any_output |= !has_class(child, classes, output, &self->arena);
        child->outputs[fitting++] = *output;
    }
    if (!child->any_output) {
        child->output_count = fitting;
        child->ends_well = fitting > 0;
    }
}

bool wf_child_may_give(wf_instances *self, const wf_child *child, const wf_value *data)
{
    bool gives = child->any_output || wf_data_is_open(data);
    for (uint32_t i = 0; i < child->output_count && !gives; i++)
        gives = wf_data_alike(&child->outputs[i], data, child->asked_of_output, &self->arena);
    return gives;
}
