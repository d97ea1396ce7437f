/* verify/instances_child.c: what a child can do by itself. Its search is that of any instance. */
#include "base/error.h"
#include "verify/instances.h"

wfsm_verify_options wf_child_options(const wf_instances *self, const wf_buffer *inputs)
{
    wfsm_verify_options options = self->search->options;
    options.first = 0;
    options.cases = 0;
    options.machines = NULL;
    options.machine_count = 0;
    options.inputs = inputs->length > 0 ? inputs->data : NULL;
    options.inputs_length = inputs->length;
    return options;
}

wf_child_mask wf_mask_of(const wf_child *child, const wf_snapshot *snapshot)
{
    wf_child_mask mask = 0;
    for (uint32_t i = 0; i < WF_QUESTIONS_MOST; i++)
        if (child->states[i] != WF_NONE && wf_set_has(snapshot->active, child->states[i]))
            mask |= (wf_child_mask)1 << i;
    return mask;
}

bool wf_ends_well(const wf_snapshot *snapshot)
{
    uint32_t error = wf_names_find(&snapshot->machine->tags, "error", 5);
    return snapshot->status == WFSM_DONE &&
           (error == WF_NONE || !wf_snapshot_has_tag(snapshot, error));
}

static void add_mask(wf_child_masks *masks, wf_child_mask mask)
{
    for (uint32_t i = 0; i < masks->count; i++)
        if (masks->list[i] == mask)
            return;
    if (masks->count == WF_MASKS_MOST)
        masks->full = true;
    else
        masks->list[masks->count++] = mask;
}

static int32_t look_at(wf_child *child, wf_search *search)
{
    int32_t status = WFSM_OK;
    for (uint32_t s = 0; s < search->space.count && status == WFSM_OK; s++) {
        size_t length;
        const uint8_t *key = wf_state_space_key(&search->space, s, &length);
        const wf_snapshot *snapshot = &search->explorer.snapshot;
        status = wf_state_key_restore(&search->explorer, key, length);
        if (status != WFSM_OK)
            continue;
        bool ended = snapshot->status == WFSM_DONE;
        add_mask(ended ? &child->ended : &child->running, wf_mask_of(child, snapshot));
        if (wf_ends_well(snapshot))
            wf_child_note_output(child, snapshot);
        child->ends_well |= wf_ends_well(snapshot);
    }
    return status;
}

static bool fails_at_start(const wf_search *search)
{
    for (size_t i = 0; i < search->found_count; i++)
        if (search->found[i].rule == WF_RULE_START_FAILS)
            return true;
    return false;
}

/* What is not known of the search; child->why. False when out of memory. */
static bool find_gaps(wf_instances *self, wf_child *child, const wf_search *first,
                      const wf_search *symbolic)
{
    const char *bound = wf_bound_of(first, symbolic, &self->arena);
    if (!bound)
        return false;
    if (fails_at_start(symbolic ? symbolic : first))
        bound = "it cannot be started with an input that was tried";
    if (child->running.full || child->ended.full)
        bound = "it answers the questions of the properties in too many ways";
    if (bound[0] == '\0')
        return true;
    child->why =
        wf_instances_text(self, "of the child \"%s\": %s", child->machine->id.text, bound);
    return child->why != NULL;
}

static int32_t explore(wf_instances *self, wf_child *child, const wf_buffer *inputs)
{
    wf_search first = {.options = wf_child_options(self, inputs)}, symbolic = {0};
    int32_t status = wf_explore(&first, &symbolic, child->machine, self->error);
    wf_search *last = symbolic.symbolic ? &symbolic : &first;
    if (status == WFSM_OK)
        status = look_at(child, last);
    if (status == WFSM_OK &&
        !find_gaps(self, child, &first, symbolic.symbolic ? &symbolic : NULL))
        status = wf_no_memory(self->error);
    wf_search_end(&first);
    wf_search_end(&symbolic);
    return status;
}

const char *wf_agent_started(const wfsm_machine *machine, uint32_t invoke)
{
    const wf_expr *src = machine->invokes[invoke].src;
    wf_value name;
    bool constant = src && wf_expr_constant(src, &name) && name.type == WF_STRING;
    return constant ? name.as.text : "";
}

int32_t wf_child_explore(wf_instances *self, wf_child *child)
{
    wf_buffer inputs;
    int32_t status = WFSM_OK;
    if (!child->machine) {
        const wfsm_machine *parent = self->report->machine;
        const wf_invoke *invoke = &parent->invokes[child->invoke];
        const char *agent = wf_agent_started(parent, child->invoke);
        child->why = wf_instances_text(
            self,
            "the document of \"%s\", which \"%s\" starts, is needed: name it with --machines",
            agent, invoke->id.text);
        return child->why ? WFSM_OK : wf_no_memory(self->error);
    }
    wf_buffer_init(&inputs, self->report->arena.allocator);
    if (!wf_child_inputs(self, child, &inputs))
        status = wf_no_memory(self->error);
    if (status == WFSM_OK && !child->why)
        status = explore(self, child, &inputs);
    wf_buffer_fini(&inputs);
    return status;
}
