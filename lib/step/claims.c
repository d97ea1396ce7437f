/* Claims: an attempt of an invocation gets an owner. A claim is committed before its agent is
 * started. */
#include "step/step.h"

#include "base/error.h"
#include "base/invariant.h"

int32_t wf_claim(wf_step *step, size_t index, const char *owner)
{
    const wf_snapshot *snapshot = step->snapshot;
    wf_invocation claimed = *wf_invocation_at(&snapshot->extras->ledger, index);
    WF_INVARIANT(!wf_is_person(&step->machine->agents.list[claimed.agent]));
    int64_t timeout = step->machine->invokes[claimed.invoke].timeout;
    claimed.owner = wf_string_z(owner);
    claimed.status = WF_RUNNING;
    claimed.attempt++;
    claimed.claimed = snapshot->now;
    claimed.due = timeout > 0 ? wf_time_after(snapshot->now, timeout) : WFSM_NEVER;
    wf_descendants_share(step, index, &claimed);
    int32_t status = wf_draft_replace(step, WF_LEDGER, index, &claimed);
    if (status == WFSM_OK)
        wf_budgets_claimed(step);
    return status;
}

static bool is_new(const wf_step *step, const wf_invocation *made, int priority)
{
    return made->revision == step->snapshot->revision + 1 && made->priority == priority &&
           made->status == WF_PENDING &&
           !wf_is_person(&step->machine->agents.list[made->agent]) &&
           wf_budget_refusing(step->snapshot, step->snapshot->now) == WF_NONE;
}

/* *full is a set that is known to be full, so that its items are not counted again. */
static bool may_claim(const wf_step *step, size_t index, uint32_t *full)
{
    const wf_list *ledger = &step->snapshot->extras->ledger;
    const wf_invocation *made = wf_invocation_at(ledger, index);
    const wf_grant *grant = &step->grant;
    if (made->set != 0 && made->set != *full && wf_ledger_set_full(ledger, index))
        *full = made->set;
    if (made->set != 0 && made->set == *full)
        return false;
    return !grant->allows || grant->allows(grant->user, step->machine, made);
}

/* Called at the end of the step, so that an invocation that the step has made and withdrawn again
 * takes no slot. */
int32_t wf_claim_new(wf_step *step)
{
    const wf_list *ledger = &step->snapshot->extras->ledger;
    uint32_t full = 0;
    int32_t status = WFSM_OK;
    for (int priority = 1; priority >= -1; priority--)
        for (size_t i = 0; i < ledger->count && status == WFSM_OK && step->grant.slots > 0;
             i++) {
            if (!is_new(step, wf_invocation_at(ledger, i), priority) ||
                !may_claim(step, i, &full))
                continue;
            step->grant.slots--;
            status = wf_claim(step, i, step->owner);
        }
    return status;
}

int32_t wf_claim_again(wf_step *step, size_t index)
{
    const wf_invocation *self = wf_invocation_at(&step->snapshot->extras->ledger, index);
    uint32_t full = 0;
    if (step->grant.slots == 0 || self->due > step->snapshot->now ||
        wf_budget_refusing(step->snapshot, step->snapshot->now) != WF_NONE ||
        !may_claim(step, index, &full))
        return WFSM_OK;
    step->grant.slots--;
    return wf_claim(step, index, step->owner);
}

int32_t wf_step_claim(wf_step *step, size_t invocation, const char *owner, int32_t *outcome)
{
    const wf_list *ledger = &step->snapshot->extras->ledger;
    const wf_invocation *self = wf_invocation_at(ledger, invocation);
    *outcome = WFSM_STALE;
    if (self->status != WF_PENDING || self->due > step->snapshot->now ||
        wf_is_person(&step->machine->agents.list[self->agent]) ||
        wf_ledger_set_full(ledger, invocation))
        return WFSM_OK;
    *outcome = WFSM_BLOCKED;
    if (wf_budget_refusing(step->snapshot, step->snapshot->now) != WF_NONE)
        return WFSM_OK;
    *outcome = WFSM_TAKEN;
    return wf_claim(step, invocation, owner);
}
