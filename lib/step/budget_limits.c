/* The limits of budgets: expressions over the context, evaluated at the start and by `reset`. */
#include "step/step.h"

#include "base/error.h"
#include "base/invariant.h"

/* The limit itself, or SEMANTIC and step->message. */
static int32_t eval_limit(wf_step *step, const wf_budget *budget, int64_t *limit)
{
    wf_value value;
    int32_t status = wf_step_eval_known(step, budget->limit, WF_NEED_ALL, &value);
    if (status != WFSM_OK)
        return status;
    bool whole = value.type == WF_NUMBER && value.as.number >= 0 &&
                 value.as.number <= (double)WF_NUMBER_MOST &&
                 (double)(int64_t)value.as.number >= value.as.number;
    if (!whole) {
        step->message = "the limit of a budget must be a whole number from 0 to 2^53";
        return WFSM_SEMANTIC;
    }
    *limit = (int64_t)value.as.number;
    WF_INVARIANT(*limit >= 0 && *limit <= WF_NUMBER_MOST);
    return WFSM_OK;
}

int32_t wf_budget_reset(wf_step *step, uint32_t budget)
{
    const wf_budget *self = &step->machine->budgets[budget];
    int64_t limit = 0;
    int32_t status = eval_limit(step, self, &limit);
    if (status != WFSM_OK)
        return status;
    bool time = self->counts == WF_COUNT_TIME;
    *wf_spent_at(&step->snapshot->extras->budgets, budget) =
        (wf_spent){.stamp.changed = step->snapshot->revision + 1,
                   .budget = budget,
                   .since = time ? step->snapshot->now : 0,
                   .limit = limit};
    step->budgets = wf_absent();
    return WFSM_OK;
}

int32_t wf_budgets_open(wf_step *step)
{
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < step->machine->budget_count && status == WFSM_OK; i++)
        status = wf_budget_reset(step, i);
    return status;
}
