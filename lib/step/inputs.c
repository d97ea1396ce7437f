/* One function for each kind of input. */
#include "step/step.h"

#include <string.h>
#include "base/error.h"

/* Statuses that drop the draft but consume the input; the others are the caller's. */
static bool is_failure(int32_t status)
{
    return status == WFSM_HOST || status == WFSM_LIMIT;
}

/* One item that ends its set takes all of it along. */
static int32_t consume_invocation(wf_step *step)
{
    const wf_ledger *ledger = &step->snapshot->more->ledger;
    size_t index = wf_ledger_find(ledger, step->consumed_revision, step->consumed_ordinal);
    int32_t status = WFSM_OK;
    if (index == ledger->count)
        return WFSM_OK;
    size_t first = wf_ledger_set(ledger, index);
    size_t end = first + (ledger->list[index].set != 0 ? ledger->list[index].of : 1);
    while (end > first && status == WFSM_OK)
        status = wf_ledger_remove(step, --end);
    return status;
}

/* The timer or invocation that the input is about is used up, whatever becomes of the step. */
static int32_t consume(wf_step *step)
{
    wf_snapshot *snapshot = step->snapshot;
    wf_budgets_spend(step);
    if (step->consumed_budget != WF_NONE)
        snapshot->more->budgets[step->consumed_budget].raised = true;
    int32_t status = wf_failures_note(step);
    if (status != WFSM_OK)
        return status;
    for (size_t i = 0; step->consumed_timer != 0 && i < snapshot->more->timers.count; i++)
        if (snapshot->more->timers.list[i].number == step->consumed_timer)
            return wf_timer_remove(step, i);
    return step->consumed_ordinal != 0 ? consume_invocation(step) : WFSM_OK;
}

static int32_t run_event(wf_step *step, const wf_event *event)
{
    wf_take_event(step, event);
    int32_t status = wf_select(step, event);
    if (status != WFSM_OK)
        return status;
    if (step->enabled_count > 0 && step->machine->budget_count > 0)
        wf_budgets_heard(step, event->number);
    /* Nobody listens to how the work has ended, but what it has cost is to be told. */
    if (step->enabled_count == 0 && step->queue_count == 0 && step->ended_invoke != WF_NONE)
        status = wf_budgets_raise(step);
    if (status != WFSM_OK)
        return status;
    if (step->enabled_count == 0 && step->queue_count == 0)
        return WFSM_OK;
    return wf_macrostep(step);
}

static int32_t start_again(wf_step *step)
{
    wf_step_reset(step);
    return consume(step);
}

/* The step of error.execution that stands for a step whose host function failed. */
static int32_t run_error_instead(wf_step *step, const char *message)
{
    int32_t status = wf_raise_error(step, message);
    if (status != WFSM_OK)
        return status;
    wf_event event = step->queue[0];
    step->queue_count = 0;
    status = run_event(step, &event);
    return is_failure(status) ? start_again(step) : status;
}

static int32_t consume_failure(wf_step *step, int32_t failure, int32_t *outcome)
{
    const char *message = step->message;
    *outcome = WFSM_FAILED;
    int32_t status = start_again(step);
    if (status == WFSM_OK && failure == WFSM_HOST)
        status = run_error_instead(step, message);
    step->failure = failure;
    step->message = message ? message : wfsm_status_name(failure);
    return status;
}

static int32_t outcome_of(const wf_step *step)
{
    if (step->snapshot->status == WFSM_DONE)
        return WFSM_ENDED;
    if (step->taken_count > 0)
        return WFSM_TAKEN;
    return step->blocked ? WFSM_BLOCKED : WFSM_NO_TRANSITION;
}

int32_t wf_run_input(wf_step *step, const wf_event *event, int32_t *outcome)
{
    int32_t status = consume(step);
    if (status == WFSM_OK)
        status = run_event(step, event);
    if (is_failure(status))
        return consume_failure(step, status, outcome);
    if (status == WFSM_OK)
        *outcome = outcome_of(step);
    return status;
}

int32_t wf_step_event(wf_step *step, const wf_value *name, const wf_value *data,
                      const wf_value *id, int32_t *outcome)
{
    wf_event event = {WF_EXTERNAL,
                      wf_names_find(&step->machine->events, name->as.text, name->length), *name,
                      *data, *id};
    return wf_run_input(step, &event, outcome);
}

int32_t wf_step_start(wf_step *step, const wf_value *input, int32_t *outcome)
{
    const wfsm_machine *machine = step->machine;
    wf_snapshot *snapshot = step->snapshot;
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < machine->keys.count && status == WFSM_OK; i++)
        if (machine->initial[i].type != WF_ABSENT)
            status = wf_draft_assign(step, i, &machine->initial[i]);
    if (status == WFSM_OK && input->type == WF_OBJECT)
        status = wf_assign_patch(step, input);
    if (status == WFSM_SEMANTIC)
        return wf_fail(step->error, WFSM_SEMANTIC, "input: %s", step->message);
    if (status != WFSM_OK)
        return status;
    snapshot->status = WFSM_RUNNING;
    status = wf_budgets_open(step);
    if (status == WFSM_SEMANTIC)
        return wf_fail(step->error, WFSM_SEMANTIC, "budgets: %s", step->message);
    if (status != WFSM_OK)
        return status;
    size_t words = machine->words * sizeof(uint64_t);
    memset(step->entering, 0, words);
    memset(step->by_default, 0, words);
    memset(step->by_history, 0, (machine->history_count / 64 + 1) * sizeof(uint64_t));
    wf_entry_set_start(step);
    status = wf_enter_states(step);
    if (status == WFSM_OK)
        status = wf_macrostep(step);
    *outcome = WFSM_STARTED;
    return status;
}

/* ---- time ---- */

/* By deadline, and among equal ones by age. */
static size_t oldest_timer(const wf_snapshot *snapshot)
{
    size_t oldest = 0;
    for (size_t i = 1; i < snapshot->more->timers.count; i++)
        if (snapshot->more->timers.list[i].due < snapshot->more->timers.list[oldest].due)
            oldest = i;
    return oldest;
}

static size_t first_overdue(const wf_snapshot *snapshot)
{
    size_t found = snapshot->more->ledger.count;
    for (size_t i = 0; i < snapshot->more->ledger.count; i++) {
        const wf_invocation *self = &snapshot->more->ledger.list[i];
        if (self->status == WF_RUNNING && self->due <= snapshot->now &&
            (found == snapshot->more->ledger.count ||
             self->due < snapshot->more->ledger.list[found].due))
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
    /* The block of a removed timer lives on until the commit. */
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
    if (snapshot->more->timers.count > 0)
        timer = &snapshot->more->timers.list[oldest_timer(snapshot)];
    if (timer && timer->due > snapshot->now)
        timer = NULL;
    if (budget != WF_NONE && (!timer || end < timer->due) &&
        (overdue == snapshot->more->ledger.count ||
         end < snapshot->more->ledger.list[overdue].due))
        return exhaust(step, budget, outcome);
    if (overdue < snapshot->more->ledger.count &&
        (!timer || snapshot->more->ledger.list[overdue].due < timer->due))
        return wf_step_failed(step, overdue, WF_CLASS_TIMEOUT, "the time limit was reached",
                              outcome);
    if (timer)
        return fire(step, timer, outcome);
    *fired = false;
    return WFSM_OK;
}

int32_t wf_step_patch(wf_step *step, const wf_value *patch, int32_t *outcome)
{
    int32_t status = wf_assign_patch(step, patch);
    *outcome = WFSM_TAKEN;
    if (status == WFSM_SEMANTIC)
        return wf_fail(step->error, WFSM_SEMANTIC, "%s", step->message);
    return status == WFSM_OK ? wf_step_weight(step) : status;
}

/* ---- stop ---- */

static int32_t end_bare(wf_step *step)
{
    wf_snapshot *snapshot = step->snapshot;
    int32_t status = WFSM_OK;
    while (status == WFSM_OK && snapshot->more->timers.count > 0)
        status = wf_timer_remove(step, snapshot->more->timers.count - 1);
    while (status == WFSM_OK && snapshot->more->ledger.count > 0)
        status = wf_ledger_remove(step, snapshot->more->ledger.count - 1);
    snapshot->status = WFSM_DONE;
    return status;
}

int32_t wf_step_stop(wf_step *step, int32_t *outcome)
{
    int32_t status = wf_end(step);
    *outcome = WFSM_ENDED;
    if (is_failure(status)) {
        int32_t failure = status;
        const char *message = step->message;
        wf_step_reset(step);
        status = end_bare(step);
        step->failure = failure;
        step->message = message ? message : wfsm_status_name(failure);
    }
    wf_more *more = status == WFSM_OK ? wf_snapshot_more(step->snapshot) : NULL;
    if (!more)
        return status == WFSM_OK ? wf_no_memory(step->error) : status;
    more->stopped = true;
    return WFSM_OK;
}
