/* verify/region_order.c: an order of the children of a region: the reverse of the order in which a
 * depth-first search along the transitions leaves them. Only a transition that closes a cycle leads to
 * an earlier one. */
#include "verify/independent.h"

typedef struct visit {
    uint32_t child, next; /* the next transition to look at */
} visit;

typedef struct walk {
    const wfsm_machine *machine;
    uint32_t region;
    uint32_t *ranks; /* 0: not visited */
    visit *stack;
    uint32_t depth;
} walk;

/* The child that a state of the region belongs to; WF_NONE: to none. */
static uint32_t child_of(const walk *self, uint32_t state)
{
    while (state != WF_NONE && self->machine->states[state].parent != self->region)
        state = self->machine->states[state].parent;
    return state;
}

static void enter(walk *self, uint32_t child)
{
    self->ranks[child] = WF_NONE;
    self->stack[self->depth++] = (visit){child, 0};
}

/* False if all its targets were visited. */
static bool enter_target(walk *self, const wf_transition *transition)
{
    wf_span targets = transition->targets;
    for (uint32_t i = targets.first; i < targets.first + targets.count; i++) {
        uint32_t child = child_of(self, self->machine->lists[i]);
        if (child == WF_NONE || self->ranks[child] != 0)
            continue;
        enter(self, child);
        return true;
    }
    return false;
}

static bool go_on(walk *self)
{
    visit *top = &self->stack[self->depth - 1];
    while (top->next < self->machine->transition_count) {
        const wf_transition *transition = &self->machine->transitions[top->next];
        if (child_of(self, transition->source) == top->child && enter_target(self, transition))
            return true;
        top->next++;
    }
    return false;
}

bool wf_region_order(wf_regions *regions, const wfsm_machine *machine, uint32_t region,
                     wf_arena *arena)
{
    walk self = {.machine = machine, .region = region, .ranks = regions->ranks};
    const uint32_t end = machine->states[region].end;
    uint32_t rank = machine->state_count;
    self.stack = wf_arena_take(arena, (end - region) * sizeof *self.stack);
    for (uint32_t child = region + 1; self.stack && child < end;
         child = machine->states[child].end) {
        if (self.ranks[child] == 0)
            enter(&self, child);
        while (self.depth > 0)
            if (!go_on(&self))
                self.ranks[self.stack[--self.depth].child] = rank--;
    }
    return self.stack != NULL;
}
