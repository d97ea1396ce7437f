/* Actions and blocks of actions: what transitions do, and entry and exit of states. */
#include "step/step.h"

#include <math.h>
#include <string.h>
#include "base/error.h"
#include "base/invariant.h"
#include "base/memory.h"

static int32_t run_nested(wf_step *step, wf_span blocks);

/* ---- built-in actions: WFSM_SEMANTIC means that the action failed ---- */

static int32_t refuse(wf_step *step, const char *message)
{
    step->message = message;
    return WFSM_SEMANTIC;
}

/* All values are evaluated before the first is stored. */
int32_t wf_run_assign(wf_step *step, wf_span span)
{
    const wf_assignment *list = step->machine->assignments + span.first;
    wf_value single;
    wf_value *values = &single;
    int32_t status = WFSM_OK;
    if (span.count > 1)
        values = wf_arena_take(&step->arena, span.count * sizeof *values);
    if (!values)
        return wf_step_arena(step);
    for (uint32_t i = 0; i < span.count && status == WFSM_OK; i++)
        status = wf_step_eval(step, list[i].value, &values[i]);
    for (uint32_t i = 0; i < span.count && status == WFSM_OK; i++)
        status = wf_assign(step, &list[i].target, &values[i]);
    return status;
}

static int32_t event_name(wf_step *step, const wf_action *action, wf_value *name)
{
    int32_t status = wf_step_eval_known(step, action->as.raise.event, WF_NEED_NAME, name);
    if (status == WFSM_OK && (name->type != WF_STRING || name->length == 0))
        return refuse(step, "an event's name must be a string that is not empty");
    return status == WFSM_OK ? wf_fuel_work(step, name->length / 16) : status;
}

static int32_t delay_of(wf_step *step, const wf_expr *expr, int64_t *delay)
{
    wf_value value;
    int32_t status = wf_step_eval_known(step, expr, WF_NEED_DELAY, &value);
    if (status != WFSM_OK)
        return status;
    if (value.type != WF_NUMBER || !(value.as.number >= 0) ||
        value.as.number > 9007199254740992.0)
        return refuse(step, "a delay must be a number of milliseconds from 0 to 2^53");
    *delay = (int64_t)value.as.number;
    return WFSM_OK;
}

static int32_t run_raise(wf_step *step, const wf_action *action)
{
    wf_event event = {.kind = WF_INTERNAL, .number = action->as.raise.number};
    int64_t delay = 0;
    int32_t status = event_name(step, action, &event.name);
    if (status == WFSM_OK)
        status = wf_step_eval(step, action->as.raise.data, &event.data);
    if (status == WFSM_OK)
        status = wf_step_eval_known(step, action->as.raise.id, WF_NEED_ID, &event.id);
    if (status == WFSM_OK && event.data.depth > WF_KEPT_DEPTH)
        return refuse(step, "an event's data is nested too deeply");
    if (status == WFSM_OK && action->as.raise.delay)
        status = delay_of(step, action->as.raise.delay, &delay);
    if (status == WFSM_OK && event.number == WF_NONE && !wf_event_raisable(event.name.as.text))
        return refuse(step, "only the step itself raises events of this name");
    if (status != WFSM_OK)
        return status;
    if (action->as.raise.delay)
        return wf_timer_raise(step, &event.name, &event.data, &event.id, delay);
    if (event.number == WF_NONE)
        event.number =
            wf_names_find(&step->machine->events, event.name.as.text, event.name.length);
    return wf_raise(step, &event);
}

static int32_t run_cancel(wf_step *step, const wf_expr *expr)
{
    wf_value id;
    int32_t status = wf_step_eval_known(step, expr, WF_NEED_ID, &id);
    return status == WFSM_OK ? wf_timer_cancel(step, &id) : status;
}

static int32_t count_log(wf_step *step, const wf_value *label, const wf_value *value)
{
    int32_t status = wf_fuel_bytes(step, 3 * sizeof *step->log);
    if (status == WFSM_OK)
        status = wf_fuel_text(step, label);
    return status == WFSM_OK ? wf_fuel_text(step, value) : status;
}

static int32_t run_log(wf_step *step, const wf_action *action)
{
    wf_value label, value;
    int32_t status = wf_step_eval(step, action->as.log.label, &label);
    if (status == WFSM_OK)
        status = wf_step_eval(step, action->as.log.value, &value);
    if (status != WFSM_OK)
        return status;
    status = count_log(step, &label, &value);
    if (status != WFSM_OK)
        return status;
    wf_value *log = wf_grow(step->allocator, step->log, &step->log_capacity,
                            step->log_count + 1, sizeof *log);
    if (!log)
        return wf_no_memory(step->error);
    step->log = log;
    wf_member *members = wf_arena_take(&step->arena, 2 * sizeof *members);
    if (!members)
        return wf_step_arena(step);
    wf_member_set(&members[0], "label", 5, label);
    wf_member_set(&members[1], "value", 5, value);
    log[step->log_count++] = wf_object(members, 2);
    return WFSM_OK;
}

/* Its entry in the outbox, and its text in the record. */
enum { EFFECT_BYTES = 2 * sizeof(wf_effect) + 2 * sizeof(wf_member) + 100 };

static int32_t count_effect(wf_step *step, const wf_value *name, const wf_value *data)
{
    int32_t status = wf_fuel_bytes(step, EFFECT_BYTES);
    if (status == WFSM_OK)
        status = wf_fuel_keep(step, name);
    return status == WFSM_OK ? wf_fuel_keep(step, data) : status;
}

static int32_t run_emit(wf_step *step, const wf_action *action)
{
    wf_extras *extras = wf_snapshot_extras(step->snapshot);
    wf_value name, data;
    int32_t status = event_name(step, action, &name);
    if (status == WFSM_OK)
        status = wf_step_eval(step, action->as.raise.data, &data);
    if (status != WFSM_OK)
        return status;
    if (!extras)
        return wf_no_memory(step->error);
    status = count_effect(step, &name, &data);
    if (status != WFSM_OK)
        return status;
    wf_member *members = wf_arena_take(&step->arena, 2 * sizeof *members);
    if (!members)
        return wf_step_arena(step);
    wf_member_set(&members[0], "event", 5, name);
    wf_member_set(&members[1], "data", 4, data);
    wf_effect effect = {.number = extras->singles.effect_number + 1,
                        .revision = step->snapshot->revision + 1,
                        .ordinal = step->ordinal + 1,
                        .emit = wf_object(members, 2)};
    const wf_list *outbox = &extras->outbox;
    WF_INVARIANT(outbox->count == 0 ||
                 wf_effect_at(outbox, outbox->count - 1)->number < effect.number);
    status = wf_incarnation(step, &name, &data, &effect.incarnation);
    if (status == WFSM_OK)
        status = wf_draft_add(step, WF_OUTBOX, &effect);
    if (status != WFSM_OK)
        return status;
    extras->singles.effect_number++;
    step->ordinal++;
    return WFSM_OK;
}

/* A guard that cannot be evaluated is false and raises error.execution each time. The next branch
 * is tried. */
static int32_t run_choose(wf_step *step, wf_span span)
{
    for (uint32_t i = span.first; i < span.first + span.count; i++) {
        const wf_branch *branch = &step->machine->branches[i];
        bool yes = true, failed = false;
        int32_t status = wf_fuel_work(step, 1);
        if (status == WFSM_OK)
            status = wf_test_guard(step, &branch->guard, &yes, &failed);
        if (status == WFSM_OK && failed)
            status = wf_raise_error(step, step->message);
        if (status != WFSM_OK)
            return status;
        if (yes)
            return run_nested(step, branch->blocks);
    }
    return WFSM_OK;
}

static int32_t run_each(wf_step *step, const wf_action *action)
{
    wf_at self = step->at;
    wf_value list, index;
    int32_t status = wf_step_eval_known(step, action->as.each.in, WF_NEED_LENGTH, &list);
    if (status == WFSM_OK && list.type != WF_ARRAY)
        return refuse(step, "`each` needs an array");
    for (uint32_t i = 0; status == WFSM_OK && i < list.length; i++) {
        index = wf_number(i);
        step->at = self;
        status = wf_fuel_work(step, 1);
        if (status == WFSM_OK)
            status = wf_assign(step, &action->as.each.as, &list.as.items[i]);
        if (status == WFSM_OK && action->as.each.index.slot != WF_NONE)
            status = wf_assign(step, &action->as.each.index, &index);
        if (status == WFSM_OK)
            status = run_nested(step, action->as.each.blocks);
    }
    return status;
}

static int32_t run_reset(wf_step *step, const wf_action *action)
{
    wf_span budgets = action->as.reset.budgets;
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < budgets.count && status == WFSM_OK; i++)
        status = wf_budget_reset(step, step->machine->lists[budgets.first + i]);
    if (status == WFSM_OK && action->as.reset.failures)
        status = wf_failures_reset(step);
    return status;
}

/* A host function that fails makes the step fail (WFSM_HOST). */
static int32_t run_call(wf_step *step, const wf_action *action)
{
    wf_value params;
    int32_t status = wf_step_eval(step, action->as.call.params, &params);
    wf_step_event_seen(step); /* the host sees it; made here, it costs the same in a replay */
    return status == WFSM_OK ? wf_ask_action(step, action->as.call.host, &params) : status;
}

static int32_t run_action(wf_step *step, uint32_t number)
{
    const wf_action *action = &step->machine->actions[number];
    wf_fuel_at(step, WF_AT_ACTION, number);
    int32_t status = wf_fuel_work(step, 1);
    if (status != WFSM_OK)
        return status;
    switch (action->kind) {
    case WF_ASSIGN:
        return wf_run_assign(step, action->as.assign);
    case WF_RAISE:
        return run_raise(step, action);
    case WF_CANCEL:
        return run_cancel(step, action->as.cancel);
    case WF_LOG:
        return run_log(step, action);
    case WF_EMIT:
        return run_emit(step, action);
    case WF_CHOOSE:
        return run_choose(step, action->as.choose);
    case WF_EACH:
        return run_each(step, action);
    case WF_RESET:
        return run_reset(step, action);
    default:
        return run_call(step, action);
    }
}

/* ---- blocks ---- */

static int32_t run_block(wf_step *step, const wf_block *block)
{
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < block->actions.count && status == WFSM_OK; i++)
        status = run_action(step, block->actions.first + i);
    return status;
}

/* A failed action ends its block and raises error.execution. The next block runs. */
int32_t wf_run_blocks(wf_step *step, wf_span blocks)
{
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < blocks.count && status == WFSM_OK; i++) {
        status = run_block(step, &step->machine->blocks[blocks.first + i]);
        if (status == WFSM_SEMANTIC)
            status = wf_raise_error(step, step->message);
    }
    return status;
}

/* Inside `choose` and `each` a single block belongs to the block around it: its failure ends both.
 * Several blocks are independent of each other. */
static int32_t run_nested(wf_step *step, wf_span blocks)
{
    if (blocks.count == 1)
        return run_block(step, &step->machine->blocks[blocks.first]);
    return wf_run_blocks(step, blocks);
}
