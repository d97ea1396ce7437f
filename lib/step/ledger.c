/* The ledger: the outstanding invocations, in the order of their ids. It only stores them. Files
 * above it make (invoke.c), claim (claims.c) and end (answers.c) invocations. */
#include "step/step.h"

#include <string.h>
#include "base/error.h"
#include "base/invariant.h"
#include "base/memory.h"

const char *wf_invocation_status_name(const wf_invocation *self)
{
    static const char *const names[] = {"", "pending", "running", "done", "failed"};
    return names[self->status];
}

/* ---- searching ---- */

static int compare(const wf_invocation *self, uint64_t revision, uint32_t ordinal)
{
    if (self->revision != revision)
        return self->revision < revision ? -1 : 1;
    return (self->ordinal > ordinal) - (self->ordinal < ordinal);
}

size_t wf_ledger_find(const wf_ledger *ledger, uint64_t revision, uint32_t ordinal)
{
    size_t low = 0, high = ledger->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare(&ledger->list[middle], revision, ordinal);
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return ledger->count;
}

/* Reads a decimal number from 1, without leading zeros, that ends with `end`. *text is behind
 * it afterwards. */
static bool read_number(const char **text, char end, uint64_t *number)
{
    const char *at = *text;
    *number = 0;
    if (*at < '1' || *at > '9')
        return false;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (*number > (uint64_t)WF_NUMBER_MOST)
            return false;
        *number = *number * 10 + (uint64_t)(*at - '0');
    }
    *text = at + 1;
    return *at == end;
}

size_t wf_ledger_find_id(const wf_ledger *ledger, const char *instance, const char *id)
{
    size_t length = strlen(instance);
    uint64_t revision, ordinal;
    if (strncmp(id, instance, length) != 0 || id[length] != '/')
        return ledger->count;
    id += length + 1;
    if (!read_number(&id, '/', &revision) || !read_number(&id, '\0', &ordinal) ||
        ordinal > UINT32_MAX)
        return ledger->count;
    return wf_ledger_find(ledger, revision, (uint32_t)ordinal);
}

size_t wf_ledger_set(const wf_ledger *ledger, size_t index)
{
    const wf_invocation *self = &ledger->list[index];
    return self->set == 0 ? index : index - (self->ordinal - self->set);
}

uint32_t wf_ledger_set_count(const wf_ledger *ledger, size_t first, uint8_t status)
{
    uint32_t found = 0;
    for (size_t i = first; i < first + ledger->list[first].of; i++)
        found += ledger->list[i].status == status;
    return found;
}

bool wf_ledger_set_full(const wf_ledger *ledger, const wf_invocation *self)
{
    if (self->set == 0 || self->most == 0)
        return false;
    size_t first = wf_ledger_set(ledger, (size_t)(self - ledger->list));
    return wf_ledger_set_count(ledger, first, WF_RUNNING) >= self->most;
}

/* ---- changing ---- */

int32_t wf_ledger_put(wf_step *step, wf_invocation made)
{
    const wf_value input = made.input;
    const wf_value owner = made.owner.type == WF_STRING ? made.owner : wf_null();
    const wf_value pool = made.pool;
    const wf_value votes = made.votes.type == WF_ARRAY ? made.votes : wf_null();
    const wf_value result = made.result;
    int32_t status = wf_draft_ledger(step);
    if (status != WFSM_OK)
        return status;
    wf_ledger *ledger = &wf_own_extras(step->snapshot)->ledger;
    WF_INVARIANT(ledger->count == 0 ||
                 compare(&ledger->list[ledger->count - 1], made.revision, made.ordinal) < 0);
    wf_invocation *list = wf_grow(step->allocator, ledger->list, &ledger->capacity,
                                  ledger->count + 1, sizeof *list);
    if (!list)
        return wf_no_memory(step->error);
    ledger->list = list;
    status = wf_draft_keep(step, &input, &made.input, &made.input_block);
    if (status == WFSM_OK)
        status = wf_draft_keep(step, &owner, &made.owner, &made.owner_block);
    if (status == WFSM_OK)
        status = wf_draft_keep(step, &pool, &made.pool, &made.pool_block);
    if (status == WFSM_OK)
        status = wf_draft_keep(step, &votes, &made.votes, &made.votes_block);
    if (status == WFSM_OK)
        status = wf_draft_keep(step, &result, &made.result, &made.result_block);
    if (status != WFSM_OK)
        return status;
    list[ledger->count++] = made;
    return WFSM_OK;
}

int32_t wf_ledger_remove(wf_step *step, size_t index)
{
    wf_ledger *ledger = &wf_own_extras(step->snapshot)->ledger;
    WF_INVARIANT(index < ledger->count);
    int32_t status = wf_fuel_work(step, 1 + (ledger->count - index) / 4);
    if (status == WFSM_OK)
        status = wf_draft_ledger(step);
    if (status == WFSM_OK)
        status = wf_draft_drop(step, ledger->list[index].input_block);
    if (status == WFSM_OK)
        status = wf_draft_drop(step, ledger->list[index].owner_block);
    if (status == WFSM_OK)
        status = wf_draft_drop(step, ledger->list[index].pool_block);
    if (status == WFSM_OK)
        status = wf_draft_drop(step, ledger->list[index].votes_block);
    if (status == WFSM_OK)
        status = wf_draft_drop(step, ledger->list[index].result_block);
    if (status != WFSM_OK)
        return status;
    ledger->count--;
    memmove(&ledger->list[index], &ledger->list[index + 1],
            (ledger->count - index) * sizeof *ledger->list);
    return WFSM_OK;
}

int32_t wf_ledger_leave(wf_step *step, uint32_t state)
{
    const wf_ledger *ledger = &step->snapshot->extras->ledger;
    int32_t status = wf_fuel_work(step, ledger->count / 8);
    for (size_t i = ledger->count; i-- > 0 && status == WFSM_OK;)
        if (step->machine->invokes[ledger->list[i].invoke].state == state)
            status = wf_ledger_remove(step, i);
    return status;
}
