/* verify/distance.c: how many transitions lie between a configuration and the states that a rule names. */
#include "logic/expr_tree.h"
#include "verify/guide.h"

/* To one state. By state of the machine: from a configuration that has it; when it is entered. */
typedef struct distances {
    const wfsm_machine *machine;
    uint32_t *active, *entered;
    bool changed;
} distances;

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void lower(distances *self, uint32_t *distance, uint32_t to)
{
    self->changed |= to < *distance;
    *distance = least(*distance, to);
}

/* To enter a state is to enter those above it. */
static uint32_t when_taken(const distances *self, const wf_transition *transition)
{
    const wfsm_machine *machine = self->machine;
    uint32_t best = WF_NO_WAY;
    for (uint32_t i = 0; i < transition->targets.count; i++) {
        uint32_t target = machine->lists[transition->targets.first + i];
        best = least(best, self->entered[target]);
        for (uint32_t at = target; at != WF_NONE; at = machine->states[at].parent)
            best = least(best, self->active[at]);
    }
    return best;
}

static uint32_t when_entered(const distances *self, uint32_t state)
{
    const wf_state *one = &self->machine->states[state];
    uint32_t best = self->active[state];
    if (one->initial != WF_NONE)
        best = least(best, when_taken(self, &self->machine->transitions[one->initial]));
    for (uint32_t i = state + 1; one->type == WF_PARALLEL && i < one->end;
         i = self->machine->states[i].end)
        best = least(best, self->entered[i]);
    return best;
}

/* The last ones first: most transitions lead to what stands behind them. */
static void lower_all(distances *self)
{
    const wfsm_machine *machine = self->machine;
    for (uint32_t i = machine->transition_count; i-- > 0;) {
        const wf_transition *transition = &machine->transitions[i];
        if (machine->states[transition->source].initial != i)
            lower(self, &self->active[transition->source],
                  least(when_taken(self, transition) + 1, WF_NO_WAY));
    }
    for (uint32_t i = machine->state_count; i-- > 0;)
        lower(self, &self->entered[i], when_entered(self, i));
}

static uint32_t *distances_to(wf_distances *all, uint32_t goal)
{
    const uint32_t count = all->machine->state_count;
    distances self = {.machine = all->machine, .changed = true};
    self.active = wf_arena_take(all->arena, count * sizeof *self.active);
    self.entered = wf_arena_take(all->arena, count * sizeof *self.entered);
    if (!self.active || !self.entered)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        self.active[i] = self.entered[i] = i == goal ? 0 : WF_NO_WAY;
    while (self.changed) {
        self.changed = false;
        lower_all(&self);
    }
    return self.active;
}

bool wf_distances_init(wf_distances *self, const wfsm_machine *machine, wf_arena *arena)
{
    *self = (wf_distances){.machine = machine, .arena = arena};
    self->from = wf_arena_zero(arena, machine->state_count * sizeof *self->from);
    return self->from != NULL;
}

static uint32_t to_state(wf_distances *self, uint32_t goal, const uint64_t *active)
{
    uint32_t best = WF_NO_WAY;
    if (!self->from[goal])
        self->from[goal] = distances_to(self, goal);
    for (uint32_t i = 0; self->from[goal] && i < self->machine->state_count; i++)
        if (wf_set_has(active, i))
            best = least(best, self->from[goal][i]);
    return best;
}

/* One after the other of `and`; else the nearest. */
static uint32_t to_rule(wf_distances *self, const wf_expr *rule, const uint64_t *active)
{
    const char *op = rule->op->name;
    uint32_t sum = 0, best = WF_NO_WAY;
    if (strcmp(op, "and") != 0 && strcmp(op, "or") != 0)
        return 0;
    for (uint32_t i = 0; i < rule->count; i++) {
        uint32_t one = wf_distance(self, &rule->as.list[i], active);
        best = least(best, one);
        sum = least(sum + one, WF_NO_WAY);
    }
    return strcmp(op, "or") == 0 ? best : sum;
}

uint32_t wf_distance(wf_distances *self, const wf_expr *rule, const uint64_t *active)
{
    if (rule->node == WF_NODE_STATE && rule->count != WF_NONE)
        return to_state(self, rule->count, active);
    return rule->node == WF_NODE_RULE ? to_rule(self, rule, active) : 0;
}
