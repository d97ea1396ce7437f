/* Expressions and guards, and what they see: the context, the event, the instance, budgets and
 * the last failure. Values that few expressions read are made when one does. */
#include "step/step.h"

#include <string.h>
#include "base/error.h"
#include "base/invariant.h"

const char *wf_event_kind_name(int kind)
{
    static const char *const names[] = {"external", "timer", "internal", "platform"};
    return names[kind];
}

void wf_take_event(wf_step *step, const wf_event *event)
{
    WF_INVARIANT(event->name.type == WF_STRING);
    if (event != &step->current)
        step->current = *event;
    step->event = wf_absent();
}

static wf_value event_value(wf_step *step, const wf_event *event)
{
    wf_member *members = wf_arena_take(&step->arena, sizeof step->machine->event_seen);
    if (!members)
        return wf_null();
    memcpy(members, step->machine->event_seen, sizeof step->machine->event_seen);
    members[WF_EVENT_TYPE].value = event->name;
    members[WF_EVENT_DATA].value = event->data;
    members[WF_EVENT_ID].value = event->id;
    members[WF_EVENT_KIND].value = wf_string_z(wf_event_kind_name(event->kind));
    if (event->kind == WF_EXTERNAL)
        members[WF_EVENT_ORIGIN].value = wf_origin_seen(step);
    return wf_object(members, WF_EVENT_MEMBERS);
}

static wf_value instance_value(wf_step *step)
{
    const wf_name *machine = &step->machine->id;
    wf_member *members = wf_arena_take(&step->arena, 3 * sizeof *members);
    if (!members)
        return wf_null();
    wf_member_set(&members[0], "id", 2, wf_string_z(step->instance_id));
    wf_member_set(&members[1], "machine", 7, wf_string(machine->text, machine->length));
    wf_member_set(&members[2], "now", 3, wf_number((double)step->snapshot->now));
    return wf_object(members, 3);
}

const wf_value *wf_step_event_seen(wf_step *step)
{
    if (step->event.type == WF_ABSENT)
        step->event = event_value(step, &step->current);
    return &step->event;
}

wf_value wf_step_reacted(wf_step *step, int32_t outcome)
{
    bool taken = step->taken_count > 0 && (outcome == WFSM_TAKEN || outcome == WFSM_ENDED);
    return taken && step->input.name.type != WF_ABSENT ? event_value(step, &step->input)
                                                       : wf_null();
}

static const wf_value *instance_seen(wf_step *step)
{
    if (step->instance.type == WF_ABSENT)
        step->instance = instance_value(step);
    return &step->instance;
}

/* One evaluation may take all that is left of the step's work. */
static uint32_t rule_steps(const wf_step *step)
{
    return step->limits.rule_steps < step->work ? step->limits.rule_steps : step->work;
}

static void open_scope(wf_step *step, const wf_expr *expr, wf_scope *scope)
{
    const wf_snapshot *snapshot = step->snapshot;
    const bool more = wf_expr_reads_beyond_context(expr);
    const bool all = more && wf_expr_reads_beyond_event(expr);
    if (more && step->observer && step->observer->reads)
        step->observer->reads(step->observer->user, expr);
    *scope = (wf_scope){.arena = &step->arena,
                        .slots = snapshot->slots,
                        .keys = wf_snapshot_keys(snapshot),
                        .slot_count = (uint32_t)snapshot->slot_count,
                        .event = more ? wf_step_event_seen(step) : NULL,
                        .instance = all ? instance_seen(step) : NULL,
                        .budgets = all ? wf_step_budgets_seen(step) : NULL,
                        .repeated = all ? wf_step_failure_seen(step) : NULL,
                        .item = step->item.type == WF_ABSENT ? NULL : &step->item,
                        .index = step->index.type == WF_ABSENT ? NULL : &step->index,
                        .active = snapshot->active,
                        .steps = rule_steps(step)};
}

/* An expression that exceeds its own limits cannot be evaluated. One that exceeds the limits of
 * the step makes the step fail. */
static int32_t close_scope(wf_step *step, const wf_scope *scope, int32_t status)
{
    if (status == WFSM_NO_MEMORY)
        return wf_no_memory(step->error);
    step->work -= rule_steps(step) - scope->steps;
    if (step->work == 0)
        return wf_fuel_work_out(step);
    int32_t enough = wf_step_arena(step);
    if (enough != WFSM_OK || status == WFSM_OK)
        return enough;
    step->message = scope->failure ? scope->failure : "cannot be evaluated";
    return WFSM_SEMANTIC;
}

int32_t wf_step_eval(wf_step *step, const wf_expr *expr, wf_value *value)
{
    return wf_step_eval_known(step, expr, WF_NEED_NOTHING, value);
}

int32_t wf_step_eval_known(wf_step *step, const wf_expr *expr, enum wf_need need,
                           wf_value *value)
{
    wf_scope scope;
    *value = wf_null();
    if (!expr)
        return WFSM_OK;
    open_scope(step, expr, &scope);
    int32_t status = step->evaluator ? step->evaluator->eval(step->evaluator->user, expr,
                                                             &scope, need, value)
                                     : wf_expr_eval(expr, &scope, value);
    if (status == WFSM_OK && wf_value_weight(value) > step->limits.rule_bytes) {
        scope.failure = "the result is larger than the limit of rules";
        status = WFSM_LIMIT;
    }
    return close_scope(step, &scope, status);
}

static int32_t test_rule(wf_step *step, const wf_expr *rule, bool *yes)
{
    wf_scope scope;
    open_scope(step, rule, &scope);
    int32_t status = step->evaluator
                         ? step->evaluator->test(step->evaluator->user, rule, &scope, yes)
                         : wf_expr_test(rule, &scope, yes);
    return close_scope(step, &scope, status);
}

static int32_t test_host_guard(wf_step *step, const wf_guard *guard, bool *yes)
{
    wf_value params;
    int32_t status = wf_step_eval(step, guard->params, &params);
    *yes = false;
    wf_step_event_seen(step); /* the host sees it; made here, it costs the same in a replay */
    return status == WFSM_OK ? wf_ask_guard(step, guard, &params, yes) : status;
}

int32_t wf_test_guard(wf_step *step, const wf_guard *guard, bool *yes, bool *failed)
{
    int32_t status = WFSM_OK;
    *failed = false;
    *yes = true;
    if (guard->kind == WF_GUARD_NONE)
        return WFSM_OK;
    status = guard->kind == WF_GUARD_HOST ? test_host_guard(step, guard, yes)
                                          : test_rule(step, guard->rule, yes);
    if (status == WFSM_SEMANTIC) {
        *failed = true;
        *yes = false;
        status = WFSM_OK;
    }
    if (step->observer && status == WFSM_OK)
        step->observer->asked(step->observer->user, guard, *yes);
    return status;
}
