/* What happens by time: timers, time limits of invocations and budgets of time. */
#include "step/step.h"

#include "base/error.h"

/* ---- the next deadline ---- */

/* The end of the first budget of time that has not raised its event. */
static int64_t budget_deadline(const wf_snapshot *snapshot)
{
    const wfsm_machine *machine = snapshot->machine;
    int64_t deadline = WFSM_NEVER;
    if (snapshot->status != WFSM_RUNNING)
        return deadline;
    for (uint32_t i = 0; i < machine->budget_count; i++) {
        const wf_spent *spent = wf_spent_at(&snapshot->extras->budgets, i);
        int64_t due = wf_time_after(spent->since, spent->limit);
        if (machine->budgets[i].counts == WF_COUNT_TIME && !spent->raised && due < deadline)
            deadline = due;
    }
    return deadline;
}

int64_t wf_snapshot_deadline(const wf_snapshot *snapshot, bool retries)
{
    int64_t deadline = budget_deadline(snapshot);
    bool pending = retries && wf_budget_refusing(snapshot, snapshot->now) == WF_NONE;
    for (size_t i = 0; i < snapshot->extras->timers.count; i++)
        if (wf_timer_at(&snapshot->extras->timers, i)->due < deadline)
            deadline = wf_timer_at(&snapshot->extras->timers, i)->due;
    for (size_t i = 0; i < snapshot->extras->ledger.count; i++) {
        const wf_invocation *invocation = wf_invocation_at(&snapshot->extras->ledger, i);
        bool counts = invocation->status == WF_RUNNING || pending;
        if (counts && invocation->due < deadline)
            deadline = invocation->due;
    }
    return deadline;
}

/* ---- the input of what is due ---- */

/* The timer with the earliest deadline, and among equal ones the oldest. */
static size_t oldest_timer(const wf_snapshot *snapshot)
{
    size_t oldest = 0;
    for (size_t i = 1; i < snapshot->extras->timers.count; i++)
        if (wf_timer_at(&snapshot->extras->timers, i)->due <
            wf_timer_at(&snapshot->extras->timers, oldest)->due)
            oldest = i;
    return oldest;
}

static size_t first_overdue(const wf_snapshot *snapshot)
{
    size_t found = snapshot->extras->ledger.count;
    for (size_t i = 0; i < snapshot->extras->ledger.count; i++) {
        const wf_invocation *self = wf_invocation_at(&snapshot->extras->ledger, i);
        if (self->status == WF_RUNNING && self->due <= snapshot->now &&
            (found == snapshot->extras->ledger.count ||
             self->due < wf_invocation_at(&snapshot->extras->ledger, found)->due))
            found = i;
    }
    return found;
}

static const wf_value *part(const wf_value *object, const char *key, const wf_value *other)
{
    const wf_value *found = wf_value_get_z(object, key);
    return found ? found : other;
}

static int32_t fire(wf_step *step, const wf_timer *timer, int32_t *outcome)
{
    const wf_value null = wf_null();
    /* The block of a removed timer is freed by the commit. */
    const wf_value raised = timer->raised;
    wf_event event = {.kind = WF_TIMER};
    event.name = *part(&raised, "event", &null);
    event.data = *part(&raised, "data", &null);
    event.id = *part(&raised, "id", &null);
    event.number = wf_names_find(&step->machine->events, event.name.as.text, event.name.length);
    step->consumed_timer = timer->number;
    step->consumed_name = event.name;
    return wf_run_input(step, &event, outcome);
}

static int32_t exhaust(wf_step *step, uint32_t budget, int32_t *outcome)
{
    wf_event event = wf_budget_event(step, budget);
    step->consumed_budget = budget;
    step->consumed_name = wf_string_z(step->machine->budgets[budget].name.text);
    return wf_run_input(step, &event, outcome);
}

int32_t wf_step_due(wf_step *step, bool *fired, int32_t *outcome)
{
    wf_snapshot *snapshot = step->snapshot;
    size_t overdue = first_overdue(snapshot);
    int64_t end = 0;
    uint32_t budget = wf_budget_over(snapshot, &end);
    const wf_timer *timer = NULL;
    *fired = true;
    if (snapshot->extras->timers.count > 0)
        timer = wf_timer_at(&snapshot->extras->timers, oldest_timer(snapshot));
    if (timer && timer->due > snapshot->now)
        timer = NULL;
    if (budget != WF_NONE && (!timer || end < timer->due) &&
        (overdue == snapshot->extras->ledger.count ||
         end < wf_invocation_at(&snapshot->extras->ledger, overdue)->due))
        return exhaust(step, budget, outcome);
    if (overdue < snapshot->extras->ledger.count &&
        (!timer || wf_invocation_at(&snapshot->extras->ledger, overdue)->due < timer->due))
        return wf_step_failed(step, overdue, WF_CLASS_TIMEOUT, "the time limit was reached",
                              outcome);
    if (timer)
        return fire(step, timer, outcome);
    *fired = false;
    return WFSM_OK;
}
