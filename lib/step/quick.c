/*
 * The short way for the commonest step: nothing runs by time or by agents, one chain of states
 * is active, guards and assignments look at context keys and give scalars, and nothing is
 * done on the way out or in. Then everything is known before anything is changed, and there
 * is no need of a draft. Which steps may go it is found out when the machine is compiled
 * (machine/short.c). Whatever else it may be, wf_step_event() goes the whole way; where both
 * can go, they lead to the same state (tests/instance/test_quick.c).
 */
#include "step/step.h"

#include <string.h>

/* What guards and assignments see. They may not make values that take memory. */
typedef struct quick {
    const wf_snapshot *snapshot;
    bool open; /* are the others filled in? Most steps ask for nothing */
    wf_arena nothing;
    wf_scope scope;
} quick;

static wf_scope *scope_of(quick *self, const uint64_t *active)
{
    const wf_snapshot *snapshot = self->snapshot;
    if (!self->open) {
        wf_arena_init(&self->nothing, snapshot->allocator, 1);
        self->scope = (wf_scope){.arena = &self->nothing,
                                 .slots = snapshot->slots,
                                 .keys = wf_snapshot_keys(snapshot),
                                 .slot_count = snapshot->slot_count};
        self->open = true;
    }
    self->scope.active = active;
    self->scope.steps = snapshot->machine->limits.rule_steps;
    return &self->scope;
}

/* The first that is enabled; NULL when the whole way has to find out. */
static const wf_transition *choose(quick *self, const uint32_t *offers)
{
    const wf_snapshot *snapshot = self->snapshot;
    for (; *offers != WF_NONE; offers++) {
        const wf_transition *offer = &snapshot->machine->transitions[*offers];
        bool yes = false;
        if (offer->guard.kind == WF_GUARD_NONE)
            return offer;
        if (wf_expr_test(offer->guard.rule, scope_of(self, snapshot->active), &yes) != WFSM_OK)
            return NULL;
        if (yes)
            return offer;
    }
    return NULL;
}

/* Scalars in place of scalars. All are known before the first is stored. */
static bool assign(quick *self, wf_span span, const uint64_t *left)
{
    const wf_assignment *list = self->snapshot->machine->assignments + span.first;
    wf_value *slots = self->snapshot->slots, values[WF_QUICK_VALUES];
    for (uint32_t i = 0; i < span.count; i++) {
        uint8_t old = slots[list[i].target.slot].type;
        if (old == WF_ABSENT || old >= WF_STRING ||
            wf_expr_eval(list[i].value, scope_of(self, left), &values[i]) != WFSM_OK ||
            values[i].type >= WF_STRING)
            return false;
    }
    for (uint32_t i = 0; i < span.count; i++)
        slots[list[i].target.slot] = values[i];
    return true;
}

bool wf_step_quick(wf_snapshot *snapshot, uint32_t event, int64_t now)
{
    const wfsm_machine *machine = snapshot->machine;
    const wf_more *more = snapshot->more;
    quick self;
    if (!machine->short_ways || event == WF_NONE || more->timers.count > 0 ||
        more->ledger.count + more->repeats.count > 0)
        return false;
    uint64_t active = snapshot->active[0];
    size_t leaf = 63 - (size_t)__builtin_clzll(active);
    const uint32_t *offers = machine->short_ways[leaf * machine->events.count + event];
    if (!offers)
        return false;
    self.snapshot = snapshot;
    self.open = false;
    const wf_transition *taken = choose(&self, offers);
    if (!taken)
        return false;
    uint64_t left = active & taken->keeps; /* what is assigned sees no more than that */
    if (taken->assigns.count > 0 && !assign(&self, taken->assigns, &left))
        return false;
    snapshot->active[0] = left | taken->enters;
    if (now > snapshot->now)
        snapshot->now = now;
    snapshot->revision++;
    return true;
}

/* The initial context is the machine's: nothing of it is copied. */
bool wf_start_quick(wf_snapshot *snapshot, int64_t now)
{
    const wfsm_machine *machine = snapshot->machine;
    if (machine->short_start == 0)
        return false;
    if (machine->keys.count > 0)
        memcpy(snapshot->slots, machine->initial,
               machine->keys.count * sizeof *snapshot->slots);
    snapshot->active[0] = machine->short_start;
    snapshot->status = WFSM_RUNNING;
    snapshot->now = now;
    snapshot->revision = 1;
    return true;
}
