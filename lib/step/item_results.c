/* One item of a set has ended. It stays in the ledger with its result until enough of the set have
 * ended. Then the set is over: items that are still running are withdrawn, and the invocation has
 * its one event. */
#include "step/step.h"

#include <string.h>
#include "base/invariant.h"

static int32_t keep(wf_step *step, size_t index, uint8_t status, const wf_value *result)
{
    wf_invocation ended = *wf_invocation_at(&step->snapshot->extras->ledger, index);
    WF_INVARIANT(ended.set != 0 && !wf_invocation_ended(&ended));
    ended.status = status;
    ended.due = WFSM_NEVER;
    ended.result = *result;
    return wf_draft_replace(step, WF_LEDGER, index, &ended);
}

static wf_value settled(wf_step *step, const wf_invocation *item)
{
    const char *key = item->status == WF_ITEM_DONE ? "output" : "error";
    wf_member *members = wf_arena_take(&step->arena, sizeof *members);
    if (!members)
        return wf_null();
    wf_member_set(members, key, strlen(key), item->result);
    return wf_object(members, 1);
}

static wf_value result_of(wf_step *step, const wf_invocation *item)
{
    if (item->need == 0)
        return settled(step, item);
    return item->status == WF_ITEM_DONE ? item->result : wf_null();
}

/* The set has its results: an array in the order of the items. */
static int32_t complete(wf_step *step, size_t index, int32_t *outcome)
{
    const wf_list *ledger = &step->snapshot->extras->ledger;
    const wf_invocation *self = wf_invocation_at(ledger, index);
    size_t first = wf_ledger_set(ledger, index);
    wf_value *results = wf_arena_take(&step->arena, self->of * sizeof *results);
    for (uint32_t i = 0; results && i < self->of; i++)
        results[i] = result_of(step, wf_invocation_at(ledger, first + i));
    if (!results || wf_step_arena(step) != WFSM_OK)
        return wf_step_arena(step);
    step->ended_signature = NULL; /* the set has not failed, even if its last item is one */
    wf_value data = wf_array(results, self->of);
    return wf_run_end(step, index, step->machine->invokes[self->invoke].done_event, &data,
                      outcome);
}

static bool enough(const wf_list *ledger, size_t index)
{
    size_t first = wf_ledger_set(ledger, index);
    uint32_t need = wf_invocation_at(ledger, index)->need;
    uint32_t done = wf_ledger_set_count(ledger, first, WF_ITEM_DONE);
    if (need > 0)
        return done >= need;
    return done + wf_ledger_set_count(ledger, first, WF_ITEM_FAILED) ==
           wf_invocation_at(ledger, index)->of;
}

static int32_t wait_for_others(wf_step *step, int32_t *outcome)
{
    wf_budgets_spend(step); /* the input that ends the set counts with its event */
    *outcome = WFSM_TAKEN;
    int32_t status = wf_budgets_raise_later(step);
    return status == WFSM_OK ? wf_step_weight(step) : status;
}

int32_t wf_items_done(wf_step *step, size_t invocation, const wf_value *output,
                      int32_t *outcome)
{
    int32_t status = keep(step, invocation, WF_ITEM_DONE, output);
    if (status != WFSM_OK)
        return status;
    return enough(&step->snapshot->extras->ledger, invocation)
               ? complete(step, invocation, outcome)
               : wait_for_others(step, outcome);
}

/* The set fails with the item after which there cannot be enough results. */
static int32_t fail_all(wf_step *step, size_t invocation, const wf_value *failure,
                        int32_t *outcome)
{
    const wf_invocation *self = wf_invocation_at(&step->snapshot->extras->ledger, invocation);
    uint32_t length = failure->length;
    wf_member *members = wf_arena_take(&step->arena, (length + 1) * sizeof *members);
    if (!members)
        return wf_step_arena(step);
    memcpy(members, failure->as.members, length * sizeof *members);
    wf_member_set(&members[length], "item", 4, wf_number(self->ordinal - self->set));
    wf_value data = wf_object(members, length + 1);
    return wf_run_end(step, invocation, step->machine->invokes[self->invoke].error_event, &data,
                      outcome);
}

int32_t wf_items_failed(wf_step *step, size_t invocation, const wf_value *failure,
                        int32_t *outcome)
{
    int32_t status = keep(step, invocation, WF_ITEM_FAILED, failure);
    if (status != WFSM_OK)
        return status;
    const wf_list *ledger = &step->snapshot->extras->ledger;
    const wf_invocation *self = wf_invocation_at(ledger, invocation);
    uint32_t failed =
        wf_ledger_set_count(ledger, wf_ledger_set(ledger, invocation), WF_ITEM_FAILED);
    if (self->need > self->of - failed)
        return fail_all(step, invocation, failure, outcome);
    return enough(ledger, invocation) ? complete(step, invocation, outcome)
                                      : wait_for_others(step, outcome);
}
