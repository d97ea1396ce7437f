/* An invocation with `items`: one entry of the ledger for each, side by side, under one set. An
 * item that has ended stays there, with its result, until enough have: then the set is over, what
 * is still at work is withdrawn, and the invocation has its one event. */
#include "step/step.h"

#include <string.h>
#include "base/error.h"
#include "base/memory.h"

static int32_t refuse(wf_step *step, const char *message)
{
    step->message = message;
    return WFSM_SEMANTIC;
}

/* ---- making ---- */

static bool is_count(const wf_value *value, uint32_t *count)
{
    if (value->type != WF_NUMBER || !(value->as.number >= 1) ||
        value->as.number > WF_NUMBER_MOST ||
        value->as.number != (double)(uint64_t)value->as.number)
        return false;
    *count = value->as.number < UINT32_MAX ? (uint32_t)value->as.number : UINT32_MAX;
    return true;
}

static int32_t eval_most(wf_step *step, const wf_expr *expr, uint32_t *most)
{
    wf_value value;
    int32_t status = wf_step_eval(step, expr, &value);
    *most = 0;
    if (status != WFSM_OK || value.type == WF_NULL || is_count(&value, most))
        return status;
    return refuse(step, "`maxConcurrency` gave no number from 1");
}

static int32_t eval_need(wf_step *step, const wf_expr *expr, uint32_t count, uint32_t *need)
{
    wf_value value;
    int32_t status = wf_step_eval(step, expr, &value);
    *need = count;
    if (status != WFSM_OK || value.type == WF_NULL)
        return status;
    if (value.type == WF_STRING && strcmp(value.as.text, "settled") == 0) {
        *need = 0;
        return WFSM_OK;
    }
    if (!is_count(&value, need))
        return refuse(step, "`complete` gave no number from 1, and not \"settled\"");
    if (*need > count)
        return refuse(step, "`complete` asks for more results than there are items");
    return WFSM_OK;
}

static int32_t eval_items(wf_step *step, const wf_invoke *invoke, wf_value *list,
                          wf_invocation *shared)
{
    int32_t status = wf_step_eval(step, invoke->items, list);
    if (status == WFSM_OK && list->type != WF_ARRAY)
        return refuse(step, "`items` gave no array");
    if (status == WFSM_OK && list->length > WF_ITEMS)
        return refuse(step, "`items` gave more than 10000 items");
    if (status == WFSM_OK)
        status = eval_most(step, invoke->most, &shared->most);
    if (status == WFSM_OK)
        status = eval_need(step, invoke->complete, list->length, &shared->need);
    shared->of = list->type == WF_ARRAY ? list->length : 0;
    return status;
}

/* What its expressions say of one item, which is its own input if there is no other. */
static int32_t eval_one(wf_step *step, uint32_t number, const wf_value *item, uint32_t index,
                        wf_invocation *like)
{
    step->item = *item;
    step->index = wf_number(index);
    int32_t status = wf_ledger_like(step, number, like);
    step->item = step->index = wf_absent();
    if (!step->machine->invokes[number].input)
        like->input = *item;
    return status;
}

/* All or none. */
static int32_t add_all(wf_step *step, wf_invocation *likes, const wf_invocation *shared)
{
    size_t before = step->snapshot->more->ledger.count;
    uint32_t first = step->ordinal + 1;
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < shared->of && status == WFSM_OK; i++) {
        likes[i].set = first;
        likes[i].ordinal = first + i;
        likes[i].of = shared->of;
        likes[i].need = shared->need;
        likes[i].most = shared->most;
        status = wf_ledger_add(step, &likes[i]);
    }
    for (size_t i = step->snapshot->more->ledger.count; status == WFSM_SEMANTIC && i > before;
         i--) {
        int32_t removed = wf_ledger_remove(step, i - 1);
        if (removed != WFSM_OK)
            return removed;
    }
    return status;
}

static int32_t raise_empty(wf_step *step, uint32_t number)
{
    const wf_name *name = &step->machine->events.list[number];
    wf_event event = {WF_PLATFORM, number, wf_string(name->text, name->length),
                      wf_array(NULL, 0), wf_null()};
    return wf_raise(step, &event);
}

int32_t wf_items_make(wf_step *step, uint32_t number)
{
    const wf_invoke *invoke = &step->machine->invokes[number];
    wf_invocation shared = {0};
    wf_value list;
    int32_t status = eval_items(step, invoke, &list, &shared);
    if (status == WFSM_OK && shared.of == 0)
        return raise_empty(step, invoke->done_event);
    if (status != WFSM_OK)
        return status;
    wf_invocation *likes = wf_arena_take(&step->arena, shared.of * sizeof *likes);
    if (!likes)
        return wf_arena_error(&step->arena, step->error);
    for (uint32_t i = 0; i < shared.of && status == WFSM_OK; i++)
        status = eval_one(step, number, &list.as.items[i], i, &likes[i]);
    return status == WFSM_OK ? add_all(step, likes, &shared) : status;
}

/* ---- ending ---- */

static uint32_t count(const wf_ledger *ledger, size_t first, uint8_t status)
{
    uint32_t found = 0;
    for (size_t i = first; i < first + ledger->list[first].of; i++)
        found += ledger->list[i].status == status;
    return found;
}

bool wf_items_full(const wf_ledger *ledger, const wf_invocation *self)
{
    if (self->set == 0 || self->most == 0)
        return false;
    size_t first = wf_ledger_set(ledger, (size_t)(self - ledger->list));
    return count(ledger, first, WF_RUNNING) >= self->most;
}

static int32_t keep(wf_step *step, size_t index, uint8_t ended, const wf_value *result)
{
    wf_value copy;
    void *block = NULL;
    int32_t status = wf_draft_ledger(step);
    if (status == WFSM_OK)
        status = wf_draft_keep(step, result, &copy, &block);
    if (status != WFSM_OK)
        return status;
    wf_invocation *self = &wf_more_made(step->snapshot)->ledger.list[index];
    self->status = ended;
    self->due = WFSM_NEVER;
    self->result = copy;
    self->result_block = block;
    return WFSM_OK;
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

/* The results are in: an array in the order of the items. */
static int32_t complete(wf_step *step, size_t index, int32_t *outcome)
{
    const wf_ledger *ledger = &step->snapshot->more->ledger;
    const wf_invocation *self = &ledger->list[index];
    size_t first = wf_ledger_set(ledger, index);
    wf_value *results = wf_arena_take(&step->arena, self->of * sizeof *results);
    for (uint32_t i = 0; results && i < self->of; i++)
        results[i] = result_of(step, &ledger->list[first + i]);
    if (!results || wf_step_arena(step) != WFSM_OK)
        return wf_arena_error(&step->arena, step->error);
    step->ended_signature = NULL; /* it is no failure, even if its last item is one */
    wf_value data = wf_array(results, self->of);
    return wf_ledger_end(step, index, step->machine->invokes[self->invoke].done_event, &data,
                         outcome);
}

static bool enough(const wf_ledger *ledger, size_t index)
{
    size_t first = wf_ledger_set(ledger, index);
    uint32_t need = ledger->list[index].need;
    uint32_t done = count(ledger, first, WF_ITEM_DONE);
    if (need > 0)
        return done >= need;
    return done + count(ledger, first, WF_ITEM_FAILED) == ledger->list[index].of;
}

static int32_t go_on(wf_step *step, int32_t *outcome)
{
    wf_budgets_spend(step); /* what ends the set does so by its event */
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
    return enough(&step->snapshot->more->ledger, invocation)
               ? complete(step, invocation, outcome)
               : go_on(step, outcome);
}

/* The failure of all is that of the item after which there cannot be enough results. */
static int32_t fail_all(wf_step *step, size_t invocation, const wf_value *failure,
                        int32_t *outcome)
{
    const wf_invocation *self = &step->snapshot->more->ledger.list[invocation];
    uint32_t length = failure->length;
    wf_member *members = wf_arena_take(&step->arena, (length + 1) * sizeof *members);
    if (!members)
        return wf_arena_error(&step->arena, step->error);
    memcpy(members, failure->as.members, length * sizeof *members);
    wf_member_set(&members[length], "item", 4, wf_number(self->ordinal - self->set));
    wf_value data = wf_object(members, length + 1);
    return wf_ledger_end(step, invocation, step->machine->invokes[self->invoke].error_event,
                         &data, outcome);
}

int32_t wf_items_failed(wf_step *step, size_t invocation, const wf_value *failure,
                        int32_t *outcome)
{
    int32_t status = keep(step, invocation, WF_ITEM_FAILED, failure);
    if (status != WFSM_OK)
        return status;
    const wf_ledger *ledger = &step->snapshot->more->ledger;
    const wf_invocation *self = &ledger->list[invocation];
    uint32_t failed = count(ledger, wf_ledger_set(ledger, invocation), WF_ITEM_FAILED);
    if (self->need > self->of - failed)
        return fail_all(step, invocation, failure, outcome);
    return enough(ledger, invocation) ? complete(step, invocation, outcome)
                                      : go_on(step, outcome);
}
