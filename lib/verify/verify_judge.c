/* What is wrong with one move. */
#include "verify/verify_explore.h"

uint32_t wf_leaf_of(const wf_snapshot *snapshot)
{
    for (uint32_t w = snapshot->machine->words; w-- > 0;)
        if (snapshot->active[w] != 0)
            return w * 64 + 63 - (uint32_t)__builtin_clzll(snapshot->active[w]);
    return 0;
}

/* The state as it was before the step, whose draft is open. */
static uint32_t leaf_before(const wf_kit *kit)
{
    for (uint32_t w = kit->machine->words; w-- > 0;)
        if (kit->step.saved_active[w] != 0)
            return w * 64 + 63 - (uint32_t)__builtin_clzll(kit->step.saved_active[w]);
    return 0;
}

static bool judge_properties(const wf_kit *kit, wf_noticed *tell, void *user)
{
    for (uint32_t i = 0; i < kit->machine->property_count; i++)
        if (kit->verdicts[i] == WF_VERDICT_VIOLATED || kit->verdicts[i] == WF_VERDICT_FAILED)
            if (!tell(user, WF_RULE_PROPERTY, i))
                return false;
    return true;
}

/* The invocation is gone from the draft, if it was used up: it stands in what was saved. */
static uint32_t invoke_of(const wf_kit *kit, uint32_t place)
{
    const wf_step *step = &kit->step;
    return (step->saved_all_ledger ? step->saved_ledger : step->snapshot->more->ledger)
        .list[place]
        .invoke;
}

static bool judge_drop(const wf_kit *kit, const wf_trial *trial, wf_noticed *tell, void *user)
{
    switch (trial->deed.kind) {
    case WF_DEED_TIMER:
        return tell(user, WF_RULE_TIMER_DROPPED, leaf_before(kit));
    case WF_DEED_RESULT:
        return tell(user, WF_RULE_RESULT_DROPPED, invoke_of(kit, trial->deed.place));
    case WF_DEED_FAILURE:
        return tell(user, WF_RULE_ERROR_UNHANDLED, invoke_of(kit, trial->deed.place));
    default:
        return true;
    }
}

static bool judge_remarks(const wf_kit *kit, wf_noticed *tell, void *user)
{
    for (uint32_t i = 0; i < kit->remark_count; i++) {
        const wf_remark *self = &kit->remarks[i];
        bool in_state = self->rule == WF_RULE_EXECUTION_UNHANDLED;
        if (!tell(user, self->rule, in_state ? leaf_before(kit) : self->subject))
            return false;
    }
    return true;
}

bool wf_judge(const wf_kit *kit, const wf_trial *trial, wf_noticed *tell, void *user)
{
    if (trial->status != WFSM_OK && trial->deed.kind == WF_DEED_START)
        return tell(user, WF_RULE_START_FAILS, trial->deed.place);
    if (!trial->changed)
        return true;
    /* A host's function that fails is one of its answers. */
    bool fails = trial->outcome == WFSM_FAILED && kit->step.failure != WFSM_HOST;
    if (fails && !tell(user, WF_RULE_STEP_FAILS, leaf_before(kit)))
        return false;
    bool dropped = trial->outcome == WFSM_NO_TRANSITION || trial->outcome == WFSM_BLOCKED;
    if (dropped && !judge_drop(kit, trial, tell, user))
        return false;
    /* Of a step that failed nothing else is left. */
    if (trial->outcome != WFSM_FAILED && !judge_remarks(kit, tell, user))
        return false;
    return judge_properties(kit, tell, user);
}
