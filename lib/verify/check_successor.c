/* verify/check_successor.c: the diagnostics of one successor. */
#include "verify/search.h"
#include "base/invariant.h"

uint32_t wf_leaf_of(const wf_snapshot *snapshot)
{
    for (uint32_t w = snapshot->machine->words; w-- > 0;)
        if (snapshot->active[w] != 0)
            return w * 64 + 63 - (uint32_t)__builtin_clzll(snapshot->active[w]);
    return 0;
}

/* The state as it was before the step, whose draft is open. */
static uint32_t leaf_before(const wf_explorer *explorer)
{
    for (uint32_t w = explorer->machine->words; w-- > 0;)
        if (explorer->step.before.active[w] != 0)
            return w * 64 + 63 - (uint32_t)__builtin_clzll(explorer->step.before.active[w]);
    return 0;
}

static bool check_properties(const wf_explorer *explorer, wf_diagnostic_sink *tell, void *user)
{
    for (uint32_t i = 0; i < explorer->machine->property_count; i++) {
        uint8_t verdict = explorer->verdicts[i];
        if ((verdict == WF_VERDICT_VIOLATED || verdict == WF_VERDICT_FAILED) &&
            !tell(user, WF_RULE_PROPERTY, i))
            return false;
        if (verdict == WF_VERDICT_REACHED && !tell(user, WF_RULE_REACHED, i))
            return false;
    }
    return true;
}

void wf_forget_reached(wf_explorer *explorer)
{
    for (uint32_t i = 0; i < explorer->machine->property_count; i++)
        if (explorer->verdicts[i] == WF_VERDICT_REACHED)
            explorer->verdicts[i] = WF_VERDICT_NONE;
}

/* An invocation that has ended is no longer in the draft; it is in the saved ledger. */
static uint32_t invoke_of(const wf_explorer *explorer, uint32_t place)
{
    const wf_list ledger = wf_draft_before(&explorer->step, WF_LEDGER);
    WF_INVARIANT(place < ledger.count);
    return wf_invocation_at(&ledger, place)->invoke;
}

static bool check_drop(const wf_explorer *explorer, const wf_successor *successor,
                       wf_diagnostic_sink *tell, void *user)
{
    switch (successor->input.kind) {
    case WF_INPUT_TIMER:
        return tell(user, WF_RULE_TIMER_DROPPED, leaf_before(explorer));
    case WF_INPUT_RESULT:
        return tell(user, WF_RULE_RESULT_DROPPED, invoke_of(explorer, successor->input.place));
    case WF_INPUT_FAILURE:
        return tell(user, WF_RULE_ERROR_UNHANDLED, invoke_of(explorer, successor->input.place));
    default:
        return true;
    }
}

static bool check_selection(const wf_explorer *explorer, wf_diagnostic_sink *tell, void *user)
{
    for (uint32_t i = 0; i < explorer->diagnostic_count; i++) {
        const wf_step_diagnostic *self = &explorer->diagnostics[i];
        bool in_state = self->rule == WF_RULE_EXECUTION_UNHANDLED;
        if (!tell(user, self->rule, in_state ? leaf_before(explorer) : self->subject))
            return false;
    }
    return true;
}

bool wf_check_successor(const wf_explorer *explorer, const wf_successor *successor,
                        wf_diagnostic_sink *tell, void *user)
{
    if (successor->status != WFSM_OK && successor->input.kind == WF_INPUT_START)
        return tell(user, WF_RULE_START_FAILS, successor->input.place);
    if (!successor->changed)
        return true;
    /* A host's function that fails is one of its answers. */
    bool fails = successor->outcome == WFSM_FAILED && explorer->step.failure != WFSM_HOST;
    if (fails && !tell(user, WF_RULE_STEP_FAILS, leaf_before(explorer)))
        return false;
    bool dropped =
        successor->outcome == WFSM_NO_TRANSITION || successor->outcome == WFSM_BLOCKED;
    if (dropped && !check_drop(explorer, successor, tell, user))
        return false;
    /* A step that failed has no other effect. */
    if (successor->outcome != WFSM_FAILED && !check_selection(explorer, tell, user))
        return false;
    return check_properties(explorer, tell, user);
}
