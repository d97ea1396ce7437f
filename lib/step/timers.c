/* Timers: delayed raises and `after`. Deadlines are absolute. */
#include "step/step.h"

#include <string.h>
#include "base/error.h"
#include "base/invariant.h"
#include "base/memory.h"

int32_t wf_timer_put(wf_step *step, const wf_timer *timer)
{
    const wf_list *timers = &step->snapshot->extras->timers;
    WF_INVARIANT(timers->count == 0 ||
                 wf_timer_at(timers, timers->count - 1)->number < timer->number);
    return wf_draft_add(step, WF_TIMERS, timer);
}

static int32_t add_timer(wf_step *step, const wf_value *raised, uint32_t state, int64_t delay)
{
    wf_snapshot *snapshot = step->snapshot;
    const wf_timer made = {.number = snapshot->extras->singles.timer_number + 1,
                           .due = wf_time_after(snapshot->now, delay),
                           .state = state,
                           .raised = *raised};
    int32_t status = wf_timer_put(step, &made);
    if (status == WFSM_OK)
        wf_own_extras(snapshot)->singles.timer_number++;
    return status;
}

/* Its entry in the list, and its text in the record. */
enum { TIMER_BYTES = 2 * sizeof(wf_timer) + 100 };

static int32_t count_timer(wf_step *step, const wf_value *raised)
{
    int32_t status = wf_fuel_bytes(step, TIMER_BYTES);
    return status == WFSM_OK ? wf_fuel_keep(step, raised) : status;
}

int32_t wf_timer_raise(wf_step *step, const wf_value *event, const wf_value *data,
                       const wf_value *id, int64_t delay)
{
    wf_member *members = wf_arena_take(&step->arena, 3 * sizeof *members);
    if (!members)
        return wf_step_arena(step);
    wf_member_set(&members[0], "event", 5, *event);
    wf_member_set(&members[1], "data", 4, *data);
    wf_member_set(&members[2], "id", 2, *id);
    wf_value raised = wf_object(members, 3);
    int32_t status = count_timer(step, &raised);
    if (status != WFSM_OK)
        return status;
    return add_timer(step, &raised, WF_NONE, delay);
}

int32_t wf_timer_raised_after(wf_step *step, uint32_t after, wf_value *raised)
{
    const wfsm_machine *machine = step->machine;
    const wf_name *name = &machine->events.list[machine->afters[after].event];
    wf_member *members = wf_arena_take(&step->arena, sizeof *members);
    if (!members)
        return wf_step_arena(step);
    wf_member_set(members, "event", 5, wf_string(name->text, name->length));
    *raised = wf_object(members, 1);
    return WFSM_OK;
}

int32_t wf_timer_arm(wf_step *step, uint32_t state, uint32_t after)
{
    wf_value raised;
    int32_t status = wf_timer_raised_after(step, after, &raised);
    if (status != WFSM_OK)
        return status;
    return add_timer(step, &raised, state, step->machine->afters[after].delay);
}

int32_t wf_timer_after(wf_step *step, uint32_t state)
{
    wf_span after = step->machine->states[state].after;
    int32_t status = WFSM_OK;
    for (uint32_t i = after.first; i < after.first + after.count && status == WFSM_OK; i++) {
        status =
            wf_fuel_bytes(step, TIMER_BYTES + 6 * step->machine->states[state].path.length);
        if (status == WFSM_OK)
            status = wf_timer_arm(step, state, i);
    }
    return status;
}

int32_t wf_timer_cancel(wf_step *step, const wf_value *id)
{
    const wf_list *timers = &step->snapshot->extras->timers;
    int32_t status = wf_fuel_work(step, timers->count / 2 * (1 + wf_value_weight(id) / 256));
    for (size_t i = timers->count; i-- > 0 && status == WFSM_OK;) {
        const wf_value *own = wf_value_get_z(&wf_timer_at(timers, i)->raised, "id");
        if (own && own->type != WF_NULL && wf_value_equal(own, id))
            status = wf_draft_remove(step, WF_TIMERS, i);
    }
    return status;
}

int32_t wf_timer_leave(wf_step *step, uint32_t state)
{
    const wf_list *timers = &step->snapshot->extras->timers;
    int32_t status = wf_fuel_work(step, timers->count / 16);
    for (size_t i = timers->count; i-- > 0 && status == WFSM_OK;)
        if (wf_timer_at(timers, i)->state == state)
            status = wf_draft_remove(step, WF_TIMERS, i);
    return status;
}
