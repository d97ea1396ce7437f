/* verify/claiming.c: claims of agents' attempts. They are a step of their own only if a budget refuses claims. In
 * other documents no claim is refused, and an agent's answer stands for its claim, too. */
#include "verify/explorer.h"
#include "verify/input.h"

bool wf_claims_count(const wfsm_machine *machine)
{
    for (uint32_t i = 0; i < machine->budget_count; i++)
        if (machine->budgets[i].refuses)
            return true;
    return false;
}

bool wf_may_answer(const wf_explorer *explorer, uint32_t place)
{
    const wf_invocation *work = wf_invocation_at(&explorer->snapshot.extras->ledger, place);
    return work->status == WF_RUNNING ||
           (!wf_invocation_ended(work) &&
            (!explorer->claims || wf_asks_person(&explorer->snapshot, place)));
}

bool wf_may_be_claimed(const wf_explorer *explorer, uint32_t place)
{
    const wf_snapshot *snapshot = &explorer->snapshot;
    return explorer->claims &&
           wf_invocation_at(&snapshot->extras->ledger, place)->status == WF_PENDING &&
           !wf_asks_person(snapshot, place) && wf_budget_refusing(snapshot, 0) == WF_NONE;
}

bool wf_is_at_work(const wf_explorer *explorer)
{
    for (uint32_t i = 0; i < explorer->snapshot.extras->ledger.count; i++)
        if (wf_may_answer(explorer, i) || wf_may_be_claimed(explorer, i))
            return true;
    return false;
}
