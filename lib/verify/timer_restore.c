/* verify/timer_restore.c: the bounds after the way back to a checkpoint. Timers have the time that they had
 * left there, and 0 if they were overdue. The deadlines of budgets stay where they are. So timers are related
 * to now as at the checkpoint, and budgets as at present. Time has passed in between: each timer is as much
 * later than it would have been, and each budget is not. */
#include "base/invariant.h"
#include "verify/timer_bounds.h"

static int64_t less(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool may_be_overdue(const wf_timer_bounds *times, uint32_t timer)
{
    return times->at[0][timer] > 0;
}

/* An upper bound of a - b, for two timers of which those that are overdue become equal to now. */
static int64_t bound_at_least_now(const wf_timer_bounds *times, uint32_t a, uint32_t b)
{
    int64_t ahead = less(times->at[a][b], times->at[a][0]);
    return may_be_overdue(times, a) && ahead < 0 ? 0 : ahead;
}

/* Overdue timers become due now. Budgets keep their times. A timer that gets later only gets farther away from them. */
static void bring_to_now(wf_timer_bounds *kept, uint32_t budgets)
{
    const wf_timer_bounds from = *kept;
    for (uint32_t i = budgets + 1; i <= kept->count; i++) {
        for (uint32_t j = budgets + 1; j <= kept->count; j++)
            if (i != j)
                kept->at[i][j] = bound_at_least_now(&from, i, j);
        if (from.at[i][0] < 0)
            kept->at[i][0] = 0;
        kept->at[0][i] = less(from.at[0][i], 0);
        for (uint32_t j = 1; j <= budgets; j++)
            kept->at[j][i] = less(from.at[j][i], from.at[j][0]);
    }
}

/* When a budget runs out is known to be no later after the way back, but not to be no sooner. */
void wf_timer_bounds_keep(wf_timer_bounds *kept, uint32_t budgets)
{
    WF_INVARIANT(kept->limits == 0 && budgets <= kept->count);
    bring_to_now(kept, budgets);
    for (uint32_t i = 1; i <= budgets; i++) {
        kept->at[0][i] = WF_TIMER_BOUNDS_FAR;
        for (uint32_t j = budgets + 1; j <= kept->count; j++)
            kept->at[j][i] = WF_TIMER_BOUNDS_FAR;
    }
}

/* Budgets have the time left that they have at present. */
static void bring_budgets(wf_timer_bounds *kept, const wf_timer_bounds *now, uint32_t budgets)
{
    for (uint32_t i = 1; i <= budgets; i++) {
        kept->at[i][0] = less(kept->at[i][0], now->at[i][0]);
        kept->at[0][i] = now->at[0][i];
    }
}

bool wf_timer_bounds_go_back(wf_timer_bounds *kept, const wf_timer_bounds *now,
                             uint32_t budgets)
{
    for (uint32_t i = 1; i <= kept->count; i++)
        kept->at[0][i] = i <= budgets ? WF_TIMER_BOUNDS_FAR : less(kept->at[0][i], 0);
    for (uint32_t i = 1; i <= budgets; i++)
        for (uint32_t j = budgets + 1; j <= kept->count; j++)
            kept->at[j][i] = WF_TIMER_BOUNDS_FAR; /* reading may have added more */
    if (now)
        bring_budgets(kept, now, budgets);
    return wf_timer_bounds_tighten(kept);
}
