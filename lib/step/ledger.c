/* The ledger: the outstanding invocations, in the order of their ids. It only stores them. Files
 * above it make (invoke.c), claim (claims.c) and end (answers.c) invocations. */
#include "step/step.h"

#include "base/error.h"
#include "base/invariant.h"
#include "base/memory.h"

/* ---- searching ---- */

static int compare(const wf_invocation *self, uint64_t revision, uint32_t ordinal)
{
    if (self->revision != revision)
        return self->revision < revision ? -1 : 1;
    return (self->ordinal > ordinal) - (self->ordinal < ordinal);
}

size_t wf_ledger_find(const wf_list *ledger, uint64_t revision, uint32_t ordinal)
{
    size_t low = 0, high = ledger->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare(wf_invocation_at(ledger, middle), revision, ordinal);
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return ledger->count;
}

size_t wf_ledger_find_work(const wf_list *ledger, const wf_work *work)
{
    size_t found = wf_ledger_find(ledger, work->revision, work->ordinal);
    if (found < ledger->count &&
        wf_invocation_at(ledger, found)->incarnation != work->incarnation)
        return ledger->count;
    return found;
}

size_t wf_ledger_find_id(const wf_list *ledger, const char *instance, const char *id)
{
    wf_work work;
    return wf_work_read(id, instance, &work) ? wf_ledger_find_work(ledger, &work)
                                             : ledger->count;
}

size_t wf_ledger_set(const wf_list *ledger, size_t index)
{
    const wf_invocation *self = wf_invocation_at(ledger, index);
    return self->set == 0 ? index : index - (self->ordinal - self->set);
}

uint32_t wf_ledger_set_count(const wf_list *ledger, size_t first, uint8_t status)
{
    uint32_t found = 0;
    for (size_t i = first; i < first + wf_invocation_at(ledger, first)->of; i++)
        found += wf_invocation_at(ledger, i)->status == status;
    return found;
}

bool wf_ledger_set_full(const wf_list *ledger, size_t index)
{
    const wf_invocation *self = wf_invocation_at(ledger, index);
    if (self->set == 0 || self->most == 0)
        return false;
    return wf_ledger_set_count(ledger, wf_ledger_set(ledger, index), WF_RUNNING) >= self->most;
}

/* ---- changing ---- */

int32_t wf_ledger_put(wf_step *step, const wf_invocation *made)
{
    const wf_list *ledger = &step->snapshot->extras->ledger;
    WF_INVARIANT(ledger->count == 0 || compare(wf_invocation_at(ledger, ledger->count - 1),
                                               made->revision, made->ordinal) < 0);
    return wf_draft_add(step, WF_LEDGER, made);
}

int32_t wf_ledger_leave(wf_step *step, uint32_t state)
{
    const wf_list *ledger = &step->snapshot->extras->ledger;
    int32_t status = wf_fuel_work(step, ledger->count / 8);
    for (size_t i = ledger->count; i-- > 0 && status == WFSM_OK;)
        if (wf_invocation_at(ledger, i)->state == state)
            status = wf_draft_remove(step, WF_LEDGER, i);
    return status;
}
