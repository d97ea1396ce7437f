/* Restore and fork. A restore cancels everything outstanding and takes configuration, histories
 * and context of the checkpoint without entry actions. The checkpoint's invocations start under
 * new ids, its timers with the time that they had left. Effects, ids and revision stay. A fork
 * does the same in a new instance. */
#include "step/step.h"

#include <string.h>
#include "base/error.h"
#include "base/invariant.h"
#include "base/memory.h"

bool wf_step_may_restore(const wf_snapshot *snapshot)
{
    const wfsm_machine *machine = snapshot->machine;
    wf_span from = machine->restore_from;
    if (machine->restore_any)
        return true;
    for (uint32_t i = from.first; i < from.first + from.count; i++)
        if (wf_set_has(snapshot->active, machine->lists[i]))
            return true;
    return false;
}

static int32_t cancel_outstanding(wf_step *step)
{
    wf_snapshot *snapshot = step->snapshot;
    int32_t status = WFSM_OK;
    while (status == WFSM_OK && snapshot->extras->ledger.count > 0)
        status = wf_draft_remove(step, WF_LEDGER, snapshot->extras->ledger.count - 1);
    while (status == WFSM_OK && snapshot->extras->timers.count > 0)
        status = wf_draft_remove(step, WF_TIMERS, snapshot->extras->timers.count - 1);
    return status;
}

int32_t wf_carry_context(wf_step *step, const wf_snapshot *from)
{
    wf_snapshot *snapshot = step->snapshot;
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < from->slot_count && status == WFSM_OK; i++) {
        const wf_name *name = &wf_snapshot_keys(from)->list[i];
        if (from->slots[i].type == WF_ABSENT)
            continue;
        uint32_t slot = wf_snapshot_slot(snapshot, name->text, name->length);
        status = slot == WF_NONE ? wf_no_memory(step->error)
                                 : wf_draft_assign(step, slot, &from->slots[i]);
    }
    return status;
}

static int32_t take_context(wf_step *step, const wf_snapshot *from)
{
    wf_snapshot *snapshot = step->snapshot;
    const wf_value absent = wf_absent();
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < snapshot->slot_count && status == WFSM_OK; i++)
        if (snapshot->slots[i].type != WF_ABSENT)
            status = wf_draft_assign(step, i, &absent);
    return status == WFSM_OK ? wf_carry_context(step, from) : status;
}

static int32_t rearm(wf_step *step, const wf_timer *timer, int64_t left)
{
    const wf_timer armed = {.number = step->snapshot->extras->singles.timer_number + 1,
                            .due = wf_time_after(step->snapshot->now, left),
                            .state = timer->state,
                            .raised = timer->raised};
    int32_t status = wf_timer_put(step, &armed);
    if (status == WFSM_OK)
        wf_own_extras(step->snapshot)->singles.timer_number++;
    return status;
}

/* Timers are armed with the time that they had left at `then`. */
static int32_t take_timers(wf_step *step, const wf_snapshot *from, int64_t then)
{
    int32_t status = WFSM_OK;
    for (size_t i = 0; i < from->extras->timers.count && status == WFSM_OK; i++) {
        const wf_timer *timer = wf_timer_at(&from->extras->timers, i);
        int64_t left = timer->due - then;
        status = rearm(step, timer, left > 0 ? left : 0);
    }
    return status;
}

/* The same invocations under ids of this revision, from their first attempt. */
static int32_t take_invocations(wf_step *step, const wf_snapshot *from)
{
    int32_t status = WFSM_OK;
    for (size_t i = 0; i < from->extras->ledger.count && status == WFSM_OK; i++)
        status = wf_invocation_add(step, wf_invocation_at(&from->extras->ledger, i));
    return status;
}

/* Budgets do not go back. The machine, which may have seen more left, gets their events again. */
static int32_t begin_work(wf_step *step)
{
    const wf_value none = wf_null();
    uint32_t count = step->machine->budget_count;
    wf_fuel_open(step, &none);
    for (uint32_t i = 0; i < count; i++)
        if (step->machine->budgets[i].counts != WF_COUNT_TIME)
            wf_spent_at(&step->snapshot->extras->budgets, i)->raised = false;
    int32_t status = count > 0 ? wf_budgets_raise(step) : WFSM_OK;
    if (status != WFSM_OK)
        return status;
    return step->queue_count > 0 ? wf_macrostep(step) : wf_claim_new(step);
}

static int32_t take_state(wf_step *step, const wf_snapshot *from, int64_t then)
{
    wf_snapshot *snapshot = step->snapshot;
    const wfsm_machine *machine = step->machine;
    int32_t status = take_context(step, from);
    if (status != WFSM_OK)
        return status;
    memcpy(snapshot->active, from->active, machine->words * sizeof(uint64_t));
    if (machine->history_count > 0)
        memcpy(snapshot->extras->histories, from->extras->histories,
               machine->history_count * machine->words * sizeof(uint64_t));
    snapshot->status = from->status;
    WF_INVARIANT(snapshot->extras->ledger.count + snapshot->extras->timers.count == 0);
    status = take_timers(step, from, then);
    if (status == WFSM_OK)
        status = take_invocations(step, from);
    if (status == WFSM_OK)
        status = begin_work(step);
    if (status == WFSM_OK)
        wf_fuel_close(step);
    if (status == WFSM_OK)
        status = wf_step_weight(step);
    /* `from` may be gone before the commit. */
    return status == WFSM_OK ? wf_step_prepare(step) : status;
}

int32_t wf_step_restore(wf_step *step, const wf_snapshot *from, int32_t *outcome)
{
    if (!wf_step_may_restore(step->snapshot))
        return wf_fail(step->error, WFSM_DENIED,
                       "the machine's `restore` rule does not allow it from here");
    *outcome = WFSM_TAKEN;
    int32_t status = cancel_outstanding(step);
    return status == WFSM_OK ? take_state(step, from, from->now) : status;
}

static int32_t take_failures(wf_step *step, const wf_snapshot *from)
{
    int32_t status = WFSM_OK;
    for (size_t i = 0; i < from->extras->repeats.count && status == WFSM_OK; i++)
        status = wf_draft_add(step, WF_REPEATS, wf_repeat_at(&from->extras->repeats, i));
    return status;
}

int32_t wf_step_fork(wf_step *step, const wf_snapshot *from, bool present, int32_t *outcome)
{
    *outcome = WFSM_STARTED;
    wf_budgets_copy(&step->snapshot->extras->budgets, &from->extras->budgets);
    int32_t status = take_failures(step, from);
    if (status != WFSM_OK)
        return status;
    return take_state(step, from, present ? step->snapshot->now : from->now);
}
