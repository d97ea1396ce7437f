/* Claims: an attempt of an invocation gets an owner. A claim is committed before its agent is
 * started. */
#include "step/step.h"

#include "base/error.h"
#include "base/invariant.h"

int32_t wf_claim(wf_step *step, size_t index, const char *owner)
{
    wf_snapshot *snapshot = step->snapshot;
    wf_value name = wf_string_z(owner), copy;
    void *block = NULL;
    int32_t status = wf_draft_ledger(step);
    if (status == WFSM_OK)
        status = wf_draft_drop(step, snapshot->extras->ledger.list[index].owner_block);
    if (status == WFSM_OK)
        status = wf_draft_keep(step, &name, &copy, &block);
    if (status != WFSM_OK)
        return status;
    wf_invocation *self = &snapshot->extras->ledger.list[index];
    WF_INVARIANT(!wf_is_person(&step->machine->agents.list[self->agent]));
    int64_t timeout = step->machine->invokes[self->invoke].timeout;
    self->owner = copy;
    self->owner_block = block;
    self->status = WF_RUNNING;
    self->attempt++;
    self->claimed = snapshot->now;
    wf_budgets_claimed(step);
    self->due = timeout > 0 ? wf_time_after(snapshot->now, timeout) : WFSM_NEVER;
    return WFSM_OK;
}

static bool is_new(const wf_step *step, const wf_invocation *made, int priority)
{
    return made->revision == step->snapshot->revision + 1 && made->priority == priority &&
           made->status == WF_PENDING &&
           !wf_is_person(&step->machine->agents.list[made->agent]) &&
           wf_budget_refusing(step->snapshot, step->snapshot->now) == WF_NONE;
}

/* *full is a set that is known to be full, so that its items are not counted again. */
static bool may_claim(const wf_step *step, const wf_invocation *made, uint32_t *full)
{
    const wf_grant *grant = &step->grant;
    if (made->set != 0 && made->set != *full &&
        wf_ledger_set_full(&step->snapshot->extras->ledger, made))
        *full = made->set;
    if (made->set != 0 && made->set == *full)
        return false;
    return !grant->allows || grant->allows(grant->user, step->machine, made);
}

/* Called at the end of the step, so that an invocation that the step has made and withdrawn again
 * takes no slot. */
int32_t wf_claim_new(wf_step *step)
{
    const wf_ledger *ledger = &step->snapshot->extras->ledger;
    uint32_t full = 0;
    int32_t status = WFSM_OK;
    for (int priority = 1; priority >= -1; priority--)
        for (size_t i = 0; i < ledger->count && status == WFSM_OK && step->grant.slots > 0;
             i++) {
            const wf_invocation *made = &ledger->list[i];
            if (!is_new(step, made, priority) || !may_claim(step, made, &full))
                continue;
            step->grant.slots--;
            status = wf_claim(step, i, step->owner);
        }
    return status;
}

int32_t wf_step_claim(wf_step *step, size_t invocation, const char *owner, int32_t *outcome)
{
    const wf_invocation *self = &step->snapshot->extras->ledger.list[invocation];
    *outcome = WFSM_STALE;
    if (self->status != WF_PENDING || self->due > step->snapshot->now ||
        wf_is_person(&step->machine->agents.list[self->agent]) ||
        wf_ledger_set_full(&step->snapshot->extras->ledger, self))
        return WFSM_OK;
    *outcome = WFSM_BLOCKED;
    if (wf_budget_refusing(step->snapshot, step->snapshot->now) != WF_NONE)
        return WFSM_OK;
    *outcome = WFSM_TAKEN;
    return wf_claim(step, invocation, owner);
}
