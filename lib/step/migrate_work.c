/* Timers and invocations in a migration. Timers keep their deadlines, invocations their ids.
 * What the new document adds is started, and what it no longer has is withdrawn. */
#include "step/migrate.h"

#include <string.h>
#include "base/error.h"

/* The active state of the old document that became this one. WF_NONE: none did. */
static uint32_t origin(const wf_migrator *self, uint32_t state)
{
    const wfsm_machine *old = self->old->machine;
    for (uint32_t s = wf_set_next(self->old->active, old->words, 0); s != WF_NONE;
         s = wf_set_next(self->old->active, old->words, s + 1))
        if (wf_mapped(self, s) == state)
            return s;
    return WF_NONE;
}

/* The active state that this state of the old document became. WF_NONE: none. */
static uint32_t successor(const wf_migrator *self, uint32_t state)
{
    uint32_t to = wf_mapped(self, state);
    bool active = to != WF_NONE && wf_set_has(self->step->snapshot->active, to);
    return active && origin(self, to) == state ? to : WF_NONE;
}

/* ---- timers ---- */

/* The `after` of a state with this delay, a number of machine->afters, or WF_NONE. */
static uint32_t after_of(const wfsm_machine *machine, uint32_t state, int64_t delay)
{
    wf_span after = machine->states[state].after;
    for (uint32_t i = after.first; i < after.first + after.count; i++)
        if (machine->afters[i].delay == delay)
            return i;
    return WF_NONE;
}

static int64_t delay_of(const wfsm_machine *machine, const wf_timer *timer)
{
    wf_span after = machine->states[timer->state].after;
    const wf_value *event = wf_value_get_z(&timer->raised, "event");
    for (uint32_t i = after.first; i < after.first + after.count; i++)
        if (strcmp(machine->events.list[machine->afters[i].event].text, event->as.text) == 0)
            return machine->afters[i].delay;
    return -1;
}

static int32_t move_timer(const wf_migrator *self, const wf_timer *timer)
{
    wf_timer moved = *timer;
    if (timer->state == WF_NONE)
        return wf_timer_put(self->step, &moved);
    moved.state = successor(self, timer->state);
    if (moved.state == WF_NONE)
        return WFSM_OK;
    uint32_t after =
        after_of(self->step->machine, moved.state, delay_of(self->old->machine, timer));
    if (after == WF_NONE)
        return WFSM_OK;
    int32_t status = wf_timer_raised_after(self->step, after, &moved.raised);
    return status == WFSM_OK ? wf_timer_put(self->step, &moved) : status;
}

/* Arms each `after` of a state that the old document does not have. */
static int32_t arm_new(const wf_migrator *self, uint32_t state)
{
    const wfsm_machine *machine = self->step->machine;
    wf_span after = machine->states[state].after;
    uint32_t from = after.count > 0 ? origin(self, state) : WF_NONE;
    int32_t status = WFSM_OK;
    for (uint32_t i = after.first; i < after.first + after.count && status == WFSM_OK; i++)
        if (from == WF_NONE ||
            after_of(self->old->machine, from, machine->afters[i].delay) == WF_NONE)
            status = wf_timer_arm(self->step, state, i);
    return status;
}

int32_t wf_migrate_timers(const wf_migrator *self)
{
    const wfsm_machine *machine = self->step->machine;
    const uint64_t *active = self->step->snapshot->active;
    int32_t status = WFSM_OK;
    for (size_t i = 0; i < self->old->extras->timers.count && status == WFSM_OK; i++)
        status = move_timer(self, wf_timer_at(&self->old->extras->timers, i));
    for (uint32_t s = wf_set_next(active, machine->words, 0); s != WF_NONE && status == WFSM_OK;
         s = wf_set_next(active, machine->words, s + 1))
        status = arm_new(self, s);
    return status;
}

/* ---- invocations ---- */

static bool has_default_id(const wfsm_machine *machine, const wf_invoke *invoke)
{
    return strcmp(invoke->id.text, machine->states[invoke->state].id.text) == 0;
}

/* The same invocation in the other document: it has the same id, or both have the default id of
 * their states. */
static uint32_t counterpart(const wfsm_machine *machine, const wf_invoke *invoke,
                            const wfsm_machine *other, uint32_t state)
{
    wf_span invokes = other->states[state].invokes;
    for (uint32_t i = invokes.first; i < invokes.first + invokes.count; i++)
        if (strcmp(other->invokes[i].id.text, invoke->id.text) == 0 ||
            (has_default_id(other, &other->invokes[i]) && has_default_id(machine, invoke)))
            return i;
    return WF_NONE;
}

/* The invocation in the new document that carries this one on. False if there is none, or if it
 * does not allow this agent. */
static bool find_place(const wf_migrator *self, const wf_invocation *before,
                       wf_invocation *moved)
{
    const wfsm_machine *machine = self->step->machine, *old = self->old->machine;
    const wf_invoke *invoke = &old->invokes[before->invoke];
    const wf_name *agent = &old->agents.list[before->agent];
    uint32_t state = successor(self, invoke->state);
    *moved = *before;
    if (state == WF_NONE)
        return false;
    moved->state = state;
    moved->invoke = counterpart(old, invoke, machine, state);
    moved->agent = wf_names_find(&machine->agents, agent->text, agent->length);
    if (moved->invoke == WF_NONE || moved->agent == WF_NONE ||
        (machine->invokes[moved->invoke].items != NULL) != (before->set != 0))
        return false;
    wf_span srcs = machine->invokes[moved->invoke].srcs;
    for (uint32_t i = srcs.first; i < srcs.first + srcs.count; i++)
        if (machine->lists[i] == moved->agent)
            return true;
    return false;
}

static bool is_at_work(const wf_migrator *self, uint32_t invoke)
{
    const wf_list *ledger = &self->step->snapshot->extras->ledger;
    for (size_t i = 0; i < ledger->count; i++)
        if (wf_invocation_at(ledger, i)->invoke == invoke)
            return true;
    return false;
}

static bool was_at_work(const wf_migrator *self, uint32_t invoke)
{
    for (size_t i = 0; i < self->old->extras->ledger.count; i++)
        if (wf_invocation_at(&self->old->extras->ledger, i)->invoke == invoke)
            return true;
    return false;
}

/* Starts invocations that the old document did not have, or that need another agent now. An
 * invocation that had ended is not started again. */
static int32_t begin_new(const wf_migrator *self, uint32_t state)
{
    const wfsm_machine *machine = self->step->machine;
    wf_span invokes = machine->states[state].invokes;
    uint32_t from = invokes.count > 0 ? origin(self, state) : WF_NONE;
    int32_t status = WFSM_OK;
    for (uint32_t i = invokes.first; i < invokes.first + invokes.count && status == WFSM_OK;
         i++) {
        uint32_t before = from == WF_NONE ? WF_NONE
                                          : counterpart(machine, &machine->invokes[i],
                                                        self->old->machine, from);
        if (!is_at_work(self, i) && (before == WF_NONE || was_at_work(self, before)))
            status = wf_invoke_one(self->step, i);
    }
    return status;
}

/* Carries over one invocation, or all items of one, or none of them. */
static int32_t move_some(const wf_migrator *self, const wf_list *before, size_t first,
                         size_t count)
{
    wf_invocation moved;
    int32_t status = WFSM_OK;
    for (size_t i = 0; i < count; i++)
        if (!find_place(self, wf_invocation_at(before, first + i), &moved))
            return WFSM_OK;
    for (size_t i = 0; i < count && status == WFSM_OK; i++) {
        find_place(self, wf_invocation_at(before, first + i), &moved);
        status = wf_ledger_put(self->step, &moved);
    }
    return status;
}

int32_t wf_migrate_invocations(const wf_migrator *self)
{
    wf_step *step = self->step;
    const wfsm_machine *machine = step->machine;
    const wf_list *before = &self->old->extras->ledger;
    int32_t status = WFSM_OK;
    for (size_t i = 0; i < before->count && status == WFSM_OK;) {
        const wf_invocation *first = wf_invocation_at(before, i);
        size_t count = first->set != 0 ? first->of : 1;
        status = move_some(self, before, i, count);
        i += count;
    }
    for (uint32_t s = wf_set_next(step->snapshot->active, machine->words, 0);
         s != WF_NONE && status == WFSM_OK;
         s = wf_set_next(step->snapshot->active, machine->words, s + 1))
        status = begin_new(self, s);
    if (status == WFSM_OK && step->queue_count > 0)
        return wf_fail(step->error, WFSM_DENIED, "an invocation cannot be made: %s",
                       step->error_count > 0 ? step->errors[0] : "it has no items");
    return status == WFSM_OK ? wf_claim_new(step) : status;
}
