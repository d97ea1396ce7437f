/*
 * step.c: what a step does, from top to bottom.
 *
 * wf_run_input() takes one input. It uses up what the input is about, selects the transitions of
 * its event and, if there are any, makes a macrostep. A step that fails is taken back, but its
 * input is still used up.
 *
 * wf_macrostep() makes microsteps (microstep.c) until no eventless transition is enabled and no
 * event is queued. Then it makes the invocations of the states that were entered and are still
 * active, and raises the events of budgets that are used up. Both can queue events; then the
 * microsteps continue. At the end it claims what the step has made, or ends the instance.
 */
#include "step/step.h"

#include "base/error.h"
#include "base/invariant.h"
#include "base/memory.h"

/* ---- one input ---- */

static int32_t consume(wf_step *step);
static int32_t run_event(wf_step *step, const wf_event *event);
static int32_t fail_step(wf_step *step, int32_t failure, int32_t *outcome);
static int32_t outcome_of(const wf_step *step);

int32_t wf_run_input(wf_step *step, const wf_event *event, int32_t *outcome)
{
    step->input = *event;
    int32_t status = consume(step);
    wf_fuel_open(step, &event->data);
    if (status == WFSM_OK)
        status = run_event(step, event);
    if (wf_is_failure(status))
        return fail_step(step, status, outcome);
    wf_fuel_close(step);
    if (status == WFSM_OK)
        *outcome = outcome_of(step);
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

void wf_step_refuse(wf_step *step, int32_t *outcome)
{
    step->failure = WFSM_INVALID;
    step->message = "no event of this name comes from outside";
    *outcome = WFSM_FAILED;
}

int32_t wf_step_event(wf_step *step, const wf_value *name, const wf_value *data,
                      const wf_value *id, int32_t *outcome)
{
    if (wf_event_reserved(name->as.text)) {
        wf_step_refuse(step, outcome);
        return WFSM_OK;
    }
    wf_event event = {WF_EXTERNAL,
                      wf_names_find(&step->machine->events, name->as.text, name->length), *name,
                      *data, *id};
    return wf_run_input(step, &event, outcome);
}

int32_t wf_run_end(wf_step *step, size_t invocation, uint32_t number, const wf_value *data,
                   int32_t *outcome)
{
    const wf_invocation *self = wf_invocation_at(&step->snapshot->extras->ledger, invocation);
    wf_event event = wf_platform_event(step, number, data);
    WF_INVARIANT(step->ended_invoke == WF_NONE);
    step->consumed_revision = self->revision;
    step->consumed_ordinal = self->ordinal;
    step->ended_invoke = self->invoke;
    return wf_run_input(step, &event, outcome);
}

/* ---- what the input uses up ---- */

/* An item that ends its set takes the whole set along. */
static int32_t consume_invocation(wf_step *step)
{
    const wf_list *ledger = &step->snapshot->extras->ledger;
    size_t index = wf_ledger_find(ledger, step->consumed_revision, step->consumed_ordinal);
    int32_t status = WFSM_OK;
    if (index == ledger->count)
        return WFSM_OK;
    size_t first = wf_ledger_set(ledger, index);
    size_t end =
        first +
        (wf_invocation_at(ledger, index)->set != 0 ? wf_invocation_at(ledger, index)->of : 1);
    while (end > first && status == WFSM_OK)
        status = wf_draft_remove(step, WF_LEDGER, --end);
    return status;
}

/* The timer, invocation or budget that the input is about, and what the input has cost. All that
 * stays, whatever becomes of the step. */
static int32_t consume(wf_step *step)
{
    wf_snapshot *snapshot = step->snapshot;
    wf_budgets_spend(step);
    if (step->consumed_budget != WF_NONE)
        wf_spent_at(&snapshot->extras->budgets, step->consumed_budget)->raised = true;
    int32_t status = wf_failures_count(step);
    if (status != WFSM_OK)
        return status;
    for (size_t i = 0; step->consumed_timer != 0 && i < snapshot->extras->timers.count; i++)
        if (wf_timer_at(&snapshot->extras->timers, i)->number == step->consumed_timer)
            return wf_draft_remove(step, WF_TIMERS, i);
    return step->consumed_ordinal != 0 ? consume_invocation(step) : WFSM_OK;
}

/* ---- a step that fails ---- */

bool wf_is_failure(int32_t status)
{
    return status == WFSM_HOST || status == WFSM_LIMIT;
}

/* What the input uses up is used up without fuel, too. */
static int32_t start_again(wf_step *step)
{
    size_t limit = step->arena.limit;
    uint32_t work = step->work;
    wf_step_reset(step);
    wf_fuel_close(step);
    int32_t status = consume(step);
    step->arena.limit = limit;
    step->work = work;
    return status;
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
    return wf_is_failure(status) ? start_again(step) : status;
}

static int32_t fail_step(wf_step *step, int32_t failure, int32_t *outcome)
{
    const char *message = step->message;
    *outcome = WFSM_FAILED;
    int32_t status = start_again(step);
    if (status == WFSM_OK && failure == WFSM_HOST)
        status = run_error_instead(step, message);
    step->failure = failure;
    step->message = message ? message : wfsm_status_name(failure);
    wf_fuel_close(step);
    return status;
}

/* ---- the event of the input ---- */

static int32_t run_event(wf_step *step, const wf_event *event)
{
    wf_take_event(step, event);
    int32_t status = wf_select(step, event);
    if (status != WFSM_OK)
        return status;
    if (step->enabled_count > 0 && step->machine->budget_count > 0)
        status = wf_budgets_heard(step, event->number);
    if (status != WFSM_OK)
        return status;
    /* No transition takes the end of this work, but it may have used up a budget. */
    if (step->enabled_count == 0 && step->queue_count == 0 && step->ended_invoke != WF_NONE)
        status = wf_budgets_raise(step);
    if (status != WFSM_OK || (step->enabled_count == 0 && step->queue_count == 0))
        return status;
    return wf_macrostep(step);
}

/* ---- the macrostep ---- */

static int32_t settle(wf_step *step);
static int32_t one_round(wf_step *step, bool *quiet);
static int32_t take_selected(wf_step *step);
static int32_t make_invocations(wf_step *step);

int32_t wf_macrostep(wf_step *step)
{
    int32_t status = take_selected(step);
    do {
        if (status == WFSM_OK)
            status = settle(step);
    } while (status == WFSM_OK && !step->ended && step->queue_count > 0);
    if (status == WFSM_OK)
        status = step->ended ? wf_end(step) : wf_claim_new(step);
    if (status == WFSM_OK)
        status = wf_fuel_context(step);
    WF_INVARIANT(status != WFSM_OK || wf_is_legal(step->machine, step->snapshot->active, 0));
    return status == WFSM_OK ? wf_step_weight(step) : status;
}

/* One turn of the macrostep. It leaves events in the queue if making an invocation failed or a
 * budget was used up. */
static int32_t settle(wf_step *step)
{
    bool quiet = false;
    int32_t status = WFSM_OK;
    while (status == WFSM_OK && !quiet && !step->ended)
        status = one_round(step, &quiet);
    if (status == WFSM_OK && !step->ended)
        status = make_invocations(step);
    if (status == WFSM_OK && !step->ended && step->queue_count == 0)
        status = wf_budgets_raise(step);
    return status;
}

/* The first event of the queue. */
static int32_t select_queued(wf_step *step)
{
    WF_INVARIANT(step->queue_head < step->queue_count);
    wf_event event = step->queue[step->queue_head++];
    wf_take_event(step, &event);
    int32_t status = wf_select(step, &event);
    if (status == WFSM_OK && step->enabled_count > 0 && step->machine->budget_count > 0)
        status = wf_budgets_heard(step, event.number);
    return status;
}

/* One selection and its microstep. Eventless transitions go before queued events. *quiet when
 * there is neither. */
static int32_t one_round(wf_step *step, bool *quiet)
{
    int32_t status = wf_select_always(step);
    *quiet =
        status == WFSM_OK && step->enabled_count == 0 && step->queue_head == step->queue_count;
    if (*quiet)
        step->queue_head = step->queue_count = 0;
    else if (status == WFSM_OK && step->enabled_count == 0)
        status = select_queued(step);
    if (status == WFSM_OK)
        status = take_selected(step);
    return status == WFSM_OK ? wf_step_arena(step) : status;
}

/* Each is in the record, with the paths of its states: at most six bytes for each of theirs. */
static int32_t count_taken(wf_step *step)
{
    const wfsm_machine *machine = step->machine;
    size_t bytes = 0, work = 0;
    for (size_t i = 0; i < step->enabled_count; i++) {
        const wf_transition *self = &machine->transitions[step->enabled[i].transition];
        bytes += sizeof *step->taken + 6 * machine->states[self->source].path.length;
        for (uint32_t k = 0; k < self->targets.count; k++)
            bytes += 6 * machine->states[machine->lists[self->targets.first + k]].path.length;
        work += 1 + self->targets.count;
    }
    int32_t status = wf_fuel_work(step, work);
    return status == WFSM_OK ? wf_fuel_bytes(step, bytes) : status;
}

static int32_t keep_taken(wf_step *step)
{
    uint32_t *taken = wf_grow(step->allocator, step->taken, &step->taken_capacity,
                              step->taken_count + step->enabled_count, sizeof *taken);
    if (!taken)
        return wf_no_memory(step->error);
    step->taken = taken;
    for (size_t i = 0; i < step->enabled_count; i++)
        taken[step->taken_count++] = step->enabled[i].transition;
    return count_taken(step);
}

/* Makes a microstep of what was selected, if anything. */
static int32_t take_selected(wf_step *step)
{
    if (step->enabled_count == 0)
        return WFSM_OK;
    int32_t status = keep_taken(step);
    return status == WFSM_OK ? wf_microstep(step) : status;
}

static int32_t make_invocations(wf_step *step)
{
    const wfsm_machine *machine = step->machine;
    int32_t status = WFSM_OK;
    for (uint32_t s = wf_set_next(step->to_invoke, machine->words, 0);
         s != WF_NONE && status == WFSM_OK;
         s = wf_set_next(step->to_invoke, machine->words, s + 1))
        status = wf_invoke_state(step, s);
    wf_set_clear(step->to_invoke, machine->words);
    return status;
}
