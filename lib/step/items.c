/* Making an invocation with `items`: one entry of the ledger for each item, side by side, as one
 * set. item_results.c says how the set ends. */
#include "step/step.h"

#include <string.h>
#include "base/invariant.h"

static int32_t refuse(wf_step *step, const char *message)
{
    step->message = message;
    return WFSM_SEMANTIC;
}

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
    int32_t status = wf_step_eval_known(step, expr, WF_NEED_ALL, &value);
    *most = 0;
    if (status != WFSM_OK || value.type == WF_NULL || is_count(&value, most))
        return status;
    return refuse(step, "the value of `maxConcurrency` is not a number from 1");
}

static int32_t eval_need(wf_step *step, const wf_expr *expr, uint32_t count, uint32_t *need)
{
    wf_value value;
    int32_t status = wf_step_eval_known(step, expr, WF_NEED_ALL, &value);
    *need = count;
    if (status != WFSM_OK || value.type == WF_NULL)
        return status;
    if (value.type == WF_STRING && strcmp(value.as.text, "settled") == 0) {
        *need = 0;
        return WFSM_OK;
    }
    if (!is_count(&value, need))
        return refuse(step,
                      "the value of `complete` is not a number from 1, and not \"settled\"");
    if (*need > count)
        return refuse(step, "`complete` asks for more results than there are items");
    return WFSM_OK;
}

static int32_t eval_items(wf_step *step, const wf_invoke *invoke, wf_value *list,
                          wf_invocation *shared)
{
    int32_t status = wf_step_eval_known(step, invoke->items, WF_NEED_LENGTH, list);
    if (status == WFSM_OK && list->type != WF_ARRAY)
        return refuse(step, "the value of `items` is not an array");
    if (status == WFSM_OK && list->length > WF_ITEMS)
        return refuse(step, "`items` has more than 10000 items");
    if (status == WFSM_OK)
        status = eval_most(step, invoke->most, &shared->most);
    if (status == WFSM_OK)
        status = eval_need(step, invoke->complete, list->length, &shared->need);
    shared->of = list->type == WF_ARRAY ? list->length : 0;
    return status;
}

/* The expressions are evaluated for each item. Without `input` the item is the input. */
static int32_t eval_one(wf_step *step, uint32_t number, const wf_value *item, uint32_t index,
                        wf_invocation *like)
{
    step->item = *item;
    step->index = wf_number(index);
    int32_t status = wf_invocation_eval(step, number, like);
    step->item = step->index = wf_absent();
    if (!step->machine->invokes[number].input)
        like->input = *item;
    return status;
}

/* Adds all items, or none. */
static int32_t add_all(wf_step *step, wf_invocation *likes, const wf_invocation *shared)
{
    size_t before = step->snapshot->extras->ledger.count;
    uint32_t first = step->ordinal + 1;
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < shared->of && status == WFSM_OK; i++) {
        likes[i].set = first;
        likes[i].ordinal = first + i;
        likes[i].of = shared->of;
        likes[i].need = shared->need;
        likes[i].most = shared->most;
        status = wf_invocation_add(step, &likes[i]);
    }
    WF_INVARIANT(status != WFSM_OK ||
                 step->snapshot->extras->ledger.count == before + shared->of);
    for (size_t i = step->snapshot->extras->ledger.count; status == WFSM_SEMANTIC && i > before;
         i--) {
        int32_t removed = wf_draft_remove(step, WF_LEDGER, i - 1);
        if (removed != WFSM_OK)
            return removed;
    }
    return status;
}

static int32_t raise_empty(wf_step *step, uint32_t number)
{
    const wf_value none = wf_array(NULL, 0);
    return wf_raise_platform(step, number, &none);
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
        return wf_step_arena(step);
    for (uint32_t i = 0; i < shared.of && status == WFSM_OK; i++)
        status = eval_one(step, number, &list.as.items[i], i, &likes[i]);
    return status == WFSM_OK ? add_all(step, likes, &shared) : status;
}
