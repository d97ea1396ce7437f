/* The macrostep: microsteps until nothing is raised and no eventless transition is enabled,
 * then the invocations of the states that are still active. */
#include "step/step.h"

#include <string.h>
#include "base/error.h"
#include "base/memory.h"

const char *wf_event_kind_name(int kind)
{
    static const char *const names[] = {"external", "timer", "internal", "platform"};
    return names[kind];
}

int32_t wf_count_selection(wf_step *step)
{
    if (++step->selections <= step->machine->limits.selections)
        return WFSM_OK;
    step->message = "the step did not come to rest within its limit of selections";
    return wf_fail(step->error, WFSM_LIMIT, "%s", step->message);
}

int32_t wf_step_arena(wf_step *step)
{
    if (!step->arena.failed && !step->arena.exceeded)
        return WFSM_OK;
    step->message = "the step makes too much data";
    return wf_arena_error(&step->arena, step->error);
}

int32_t wf_step_weight(wf_step *step)
{
    if (!step->grown || wf_snapshot_weight(step->snapshot) <= WF_KEPT_WEIGHT)
        return WFSM_OK;
    step->message = "the context, and what is outstanding, become too large";
    return wf_fail(step->error, WFSM_LIMIT, "%s", step->message);
}

int32_t wf_raise(wf_step *step, const wf_event *event)
{
    wf_event *queue = wf_grow(step->allocator, step->queue, &step->queue_capacity,
                              step->queue_count + 1, sizeof *queue);
    if (!queue)
        return wf_no_memory(step->error);
    step->queue = queue;
    queue[step->queue_count++] = *event;
    return WFSM_OK;
}

/* Why stands in the record, for people; charts see the event only. */
static int32_t note_error(wf_step *step, const char *message)
{
    const char **errors = wf_grow(step->allocator, step->errors, &step->error_capacity,
                                  step->error_count + 1, sizeof *errors);
    if (!errors)
        return wf_no_memory(step->error);
    step->errors = errors;
    errors[step->error_count++] = message ? message : "cannot be evaluated";
    return WFSM_OK;
}

int32_t wf_raise_error(wf_step *step, const char *message)
{
    const wf_name *name = &step->machine->events.list[WF_EVENT_ERROR_EXECUTION];
    wf_event event = {WF_PLATFORM, WF_EVENT_ERROR_EXECUTION,
                      wf_string(name->text, name->length), wf_null(), wf_null()};
    int32_t status = note_error(step, message);
    return status == WFSM_OK ? wf_raise(step, &event) : status;
}

/* Makes an event the one that expressions see. Few of them look: its value is made when
 * one does. */
void wf_take_event(wf_step *step, const wf_event *event)
{
    if (event != &step->current)
        step->current = *event;
    step->event = wf_absent();
}

static wf_value event_value(wf_step *step)
{
    const wf_event *event = &step->current;
    wf_member *members = wf_arena_take(&step->arena, 4 * sizeof *members);
    if (!members)
        return wf_null();
    wf_member_set(&members[0], "type", 4, event->name);
    wf_member_set(&members[1], "data", 4, event->data);
    wf_member_set(&members[2], "id", 2, event->id);
    wf_member_set(&members[3], "kind", 4, wf_string_z(wf_event_kind_name(event->kind)));
    return wf_object(members, 4);
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
        step->event = event_value(step);
    return &step->event;
}

const wf_value *wf_step_instance_seen(wf_step *step)
{
    if (step->instance.type == WF_ABSENT)
        step->instance = instance_value(step);
    return &step->instance;
}

static int32_t note_taken(wf_step *step)
{
    uint32_t *taken = wf_grow(step->allocator, step->taken, &step->taken_capacity,
                              step->taken_count + step->enabled_count, sizeof *taken);
    if (!taken)
        return wf_no_memory(step->error);
    step->taken = taken;
    for (size_t i = 0; i < step->enabled_count; i++)
        taken[step->taken_count++] = step->enabled[i].transition;
    return WFSM_OK;
}

/* Takes what was selected, if anything. */
static int32_t take_selected(wf_step *step)
{
    if (step->enabled_count == 0)
        return WFSM_OK;
    int32_t status = note_taken(step);
    return status == WFSM_OK ? wf_microstep(step) : status;
}

/* Eventless transitions go before raised events. *quiet when there is neither. */
static int32_t one_round(wf_step *step, bool *quiet)
{
    int32_t status = wf_select_always(step);
    *quiet = false;
    if (status == WFSM_OK && step->enabled_count == 0) {
        if (step->queue_head == step->queue_count) {
            step->queue_head = step->queue_count = 0;
            *quiet = true;
            return WFSM_OK;
        }
        wf_event event = step->queue[step->queue_head++];
        wf_take_event(step, &event);
        status = wf_select(step, &event);
        if (step->enabled_count > 0 && step->machine->budget_count > 0)
            wf_budgets_heard(step, event.number);
    }
    return status == WFSM_OK ? take_selected(step) : status;
}

static int32_t make_invocations(wf_step *step)
{
    const wfsm_machine *machine = step->machine;
    int32_t status = WFSM_OK;
    for (uint32_t s = wf_set_next(step->to_invoke, machine->words, 0);
         s != WF_NONE && status == WFSM_OK;
         s = wf_set_next(step->to_invoke, machine->words, s + 1))
        status = wf_ledger_enter(step, s);
    wf_set_clear(step->to_invoke, machine->words);
    return status;
}

static int32_t until_quiet(wf_step *step)
{
    bool quiet = false;
    while (!quiet && !step->ended) {
        int32_t status = one_round(step, &quiet);
        if (status == WFSM_OK)
            status = wf_step_arena(step);
        if (status != WFSM_OK)
            return status;
    }
    return WFSM_OK;
}

/* Making an invocation can fail and so raise an event, and so can what it costs: then it goes
 * on. */
int32_t wf_macrostep(wf_step *step)
{
    int32_t status = take_selected(step);
    do {
        if (status == WFSM_OK)
            status = until_quiet(step);
        if (status == WFSM_OK && !step->ended)
            status = make_invocations(step);
        if (status == WFSM_OK && !step->ended && step->queue_count == 0)
            status = wf_budgets_raise(step);
    } while (status == WFSM_OK && !step->ended && step->queue_count > 0);
    if (status == WFSM_OK)
        status = step->ended ? wf_end(step) : wf_ledger_claim_new(step);
    return status == WFSM_OK ? wf_step_weight(step) : status;
}
