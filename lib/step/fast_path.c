/*
 * The fast path: the commonest step without a draft. No timer and no invocation is outstanding,
 * one chain of states is active, guards and assignments read context keys and give scalars, and
 * no entry or exit action runs. Then everything is known before anything changes, and nothing
 * has to be undone. machine/fast_table.c decides at compile time which events of which states
 * qualify. wf_step_event() makes every other step in full; tests/instance/test_fast_path.c checks
 * that both give the same state.
 */
#include "step/step.h"

#include <string.h>
#include "base/invariant.h"

/* What guards and assignments see. They may not make values that take memory. */
typedef struct fast_step {
    const wf_snapshot *snapshot;
    bool open; /* arena and scope are filled in, which most steps do not need */
    wf_arena arena; /* of one byte: it refuses everything */
    wf_scope scope;
} fast_step;

static wf_scope *scope_of(fast_step *self, const uint64_t *active)
{
    const wf_snapshot *snapshot = self->snapshot;
    if (!self->open) {
        wf_arena_init(&self->arena, snapshot->allocator, 1);
        self->scope = (wf_scope){.arena = &self->arena,
                                 .slots = snapshot->slots,
                                 .keys = wf_snapshot_keys(snapshot),
                                 .slot_count = snapshot->slot_count};
        self->open = true;
    }
    self->scope.active = active;
    self->scope.steps = snapshot->machine->fast_steps;
    return &self->scope;
}

/* The first transition that is enabled. NULL when the step must be made in full. */
static const wf_transition *choose(fast_step *self, const uint32_t *offers)
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

/* Scalars replace scalars. All values are known before the first is stored. False when the step
 * must be made in full. */
static bool assign(fast_step *self, wf_span span, const uint64_t *left)
{
    const wf_assignment *list = self->snapshot->machine->assignments + span.first;
    wf_value *slots = self->snapshot->slots, values[WF_FAST_VALUES];
    WF_INVARIANT(span.count <= WF_FAST_VALUES);
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

bool wf_fast_event(wf_snapshot *snapshot, uint32_t event, int64_t now)
{
    const wfsm_machine *machine = snapshot->machine;
    const wf_extras *extras = snapshot->extras;
    fast_step self;
    if (!machine->fast_table || event == WF_NONE || extras->timers.count > 0 ||
        extras->ledger.count + extras->repeats.count + extras->limited > 0)
        return false;
    uint64_t active = snapshot->active[0];
    size_t leaf = 63 - (size_t)__builtin_clzll(active);
    const uint32_t *offers = machine->fast_table[leaf * machine->events.count + event];
    if (!offers)
        return false;
    WF_INVARIANT(!machine->has_regions && machine->states[leaf].type == WF_ATOMIC);
    self.snapshot = snapshot;
    self.open = false;
    const wf_transition *taken = choose(&self, offers);
    if (!taken)
        return false;
    uint64_t left = active & taken->keeps; /* what assignments see as active */
    if (taken->assigns.count > 0 && !assign(&self, taken->assigns, &left))
        return false;
    snapshot->active[0] = left | taken->enters;
    WF_INVARIANT(wf_is_legal(machine, snapshot->active, 0));
    if (now > snapshot->now)
        snapshot->now = now;
    snapshot->revision++;
    return true;
}

/* The values of the initial context belong to the machine. They are not copied. */
bool wf_fast_start(wf_snapshot *snapshot, int64_t now)
{
    const wfsm_machine *machine = snapshot->machine;
    if (machine->fast_start == 0)
        return false;
    if (machine->keys.count > 0)
        memcpy(snapshot->slots, machine->initial,
               machine->keys.count * sizeof *snapshot->slots);
    snapshot->active[0] = machine->fast_start;
    snapshot->status = WFSM_RUNNING;
    snapshot->now = now;
    snapshot->revision = 1;
    return true;
}
