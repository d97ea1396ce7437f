#include "verify/assigned.h"

typedef struct walk {
    const wfsm_machine *machine;
    wf_assigned_sink *tell;
    void *user;
} walk;

static void walk_blocks(const walk *self, wf_span blocks);

static void walk_assign(const walk *self, wf_span span)
{
    for (uint32_t i = span.first; i < span.first + span.count; i++)
        self->tell(self->user, &self->machine->assignments[i].target,
                   self->machine->assignments[i].value, (wf_span){span.first, i - span.first});
}

static void walk_choose(const walk *self, wf_span branches)
{
    for (uint32_t i = branches.first; i < branches.first + branches.count; i++)
        walk_blocks(self, self->machine->branches[i].blocks);
}

static void walk_each(const walk *self, const wf_action *action)
{
    self->tell(self->user, &action->as.each.as, NULL, (wf_span){0});
    if (action->as.each.index.slot != WF_NONE)
        self->tell(self->user, &action->as.each.index, NULL, (wf_span){0});
    walk_blocks(self, action->as.each.blocks);
}

static void walk_action(const walk *self, const wf_action *action)
{
    if (action->kind == WF_ASSIGN)
        walk_assign(self, action->as.assign);
    else if (action->kind == WF_CHOOSE)
        walk_choose(self, action->as.choose);
    else if (action->kind == WF_EACH)
        walk_each(self, action);
}

static void walk_blocks(const walk *self, wf_span blocks)
{
    for (uint32_t i = blocks.first; i < blocks.first + blocks.count; i++) {
        wf_span actions = self->machine->blocks[i].actions;
        for (uint32_t a = actions.first; a < actions.first + actions.count; a++)
            walk_action(self, &self->machine->actions[a]);
    }
}

void wf_assigned_each(const wfsm_machine *machine, wf_assigned_sink *tell, void *user)
{
    const walk self = {machine, tell, user};
    for (uint32_t i = 0; i < machine->transition_count; i++)
        walk_blocks(&self, machine->transitions[i].blocks);
    for (uint32_t i = 0; i < machine->state_count; i++) {
        walk_blocks(&self, machine->states[i].entry);
        walk_blocks(&self, machine->states[i].exit);
    }
}
