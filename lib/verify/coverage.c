#include "verify/coverage.h"

/* ---- the points of a machine ---- */

/* Whose actions are visited; the branches are counted, or their owner is written down. */
typedef struct walk {
    const wfsm_machine *machine;
    wf_point *branches; /* NULL: they are counted */
    uint32_t count;
    uint32_t state, transition;
} walk;

static void see_blocks(walk *self, wf_span blocks);

static void see_branches(walk *self, wf_span branches)
{
    const uint32_t end = branches.first + branches.count;
    if (self->count < end)
        self->count = end;
    for (uint32_t i = branches.first; i < end; i++) {
        const wf_branch *branch = &self->machine->branches[i];
        if (self->branches)
            self->branches[i] = (wf_point){.guard = &branch->guard,
                                           .branch = true,
                                           .state = self->state,
                                           .transition = self->transition};
        see_blocks(self, branch->blocks);
    }
}

static void see_blocks(walk *self, wf_span blocks)
{
    for (uint32_t b = blocks.first; b < blocks.first + blocks.count; b++) {
        const wf_span actions = self->machine->blocks[b].actions;
        for (uint32_t i = actions.first; i < actions.first + actions.count; i++) {
            const wf_action *action = &self->machine->actions[i];
            if (action->kind == WF_CHOOSE)
                see_branches(self, action->as.choose);
            else if (action->kind == WF_EACH)
                see_blocks(self, action->as.each.blocks);
        }
    }
}

static void see_all(walk *self)
{
    const wfsm_machine *machine = self->machine;
    self->transition = WF_NONE;
    for (uint32_t s = 0; s < machine->state_count; s++) {
        self->state = s;
        see_blocks(self, machine->states[s].entry);
        see_blocks(self, machine->states[s].exit);
    }
    for (uint32_t t = 0; t < machine->transition_count; t++) {
        self->state = machine->transitions[t].source;
        self->transition = t;
        see_blocks(self, machine->transitions[t].blocks);
    }
}

bool wf_coverage_init(wf_coverage *coverage, const wfsm_machine *machine, wf_arena *arena)
{
    walk self = {.machine = machine};
    see_all(&self);
    const uint32_t count = machine->transition_count + self.count;
    *coverage = (wf_coverage){.machine = machine, .count = count};
    coverage->points = wf_arena_zero(arena, (count + 1u) * sizeof *coverage->points);
    coverage->met = wf_arena_zero(arena, count + 1u);
    coverage->fresh = wf_arena_zero(arena, (count + 1u) * WF_MET_ALL * sizeof *coverage->fresh);
    coverage->first = wf_arena_zero(arena, (count + 1u) * WF_MET_ALL * sizeof *coverage->first);
    if (!coverage->points || !coverage->met || !coverage->fresh || !coverage->first)
        return false;
    for (uint32_t t = 0; t < machine->transition_count; t++)
        coverage->points[t] = (wf_point){.guard = &machine->transitions[t].guard,
                                         .state = machine->transitions[t].source,
                                         .transition = t};
    self.branches = coverage->points + machine->transition_count;
    see_all(&self);
    return true;
}

/* ---- what is met ---- */

static void meet(wf_coverage *coverage, uint32_t point, enum wf_met what)
{
    const uint8_t bit = (uint8_t)(1u << what);
    if (coverage->met[point] & bit)
        return;
    coverage->met[point] |= bit;
    coverage->fresh[coverage->fresh_count++] = WF_MET_ALL * point + what;
}

/* Guards of transitions are parts of them; the others are those of branches. */
static uint32_t point_of(const wf_coverage *coverage, const wf_guard *guard)
{
    const wfsm_machine *machine = coverage->machine;
    const uintptr_t at = (uintptr_t)guard, first = (uintptr_t)machine->transitions,
                    end = (uintptr_t)(machine->transitions + machine->transition_count);
    if (at >= first && at < end)
        return (uint32_t)((at - first) / sizeof *machine->transitions);
    return machine->transition_count +
           (uint32_t)((at - (uintptr_t)machine->branches) / sizeof *machine->branches);
}

void wf_coverage_asked(wf_coverage *coverage, const wf_guard *guard, bool yes)
{
    meet(coverage, point_of(coverage, guard), yes ? WF_MET_TRUE : WF_MET_FALSE);
}

void wf_coverage_taken(wf_coverage *coverage, const wf_step *step)
{
    for (size_t i = 0; i < step->taken_count; i++)
        meet(coverage, step->taken[i], WF_MET_TAKEN);
}

void wf_coverage_note(wf_coverage *coverage, uint32_t state)
{
    for (uint32_t i = 0; i < coverage->fresh_count; i++) {
        wf_first_met *first = &coverage->first[coverage->fresh[i]];
        if (!first->met)
            *first = (wf_first_met){state, true};
    }
    coverage->fresh_count = 0;
}

void wf_coverage_join(wf_coverage *coverage, const wf_coverage *other, uint32_t end)
{
    for (uint32_t goal = 0; goal < coverage->count * WF_MET_ALL; goal++) {
        const wf_first_met *from = &other->first[goal];
        wf_first_met *to = &coverage->first[goal];
        bool earlier = !to->met || (to->state != WF_NONE && from->state < to->state);
        if (from->met && from->state < end && earlier) {
            *to = *from;
            coverage->met[goal / WF_MET_ALL] |= (uint8_t)(1u << goal % WF_MET_ALL);
        }
    }
}

void wf_coverage_clear(wf_coverage *coverage)
{
    memset(coverage->met, 0, coverage->count);
    coverage->fresh_count = 0;
}
