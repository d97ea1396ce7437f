/* verify/input.c: runs one input, and observes what came of it. */
#include "verify/input.h"
#include "base/invariant.h"

static void choose_timer(wf_step *step, uint32_t place)
{
    wf_list *timers = &wf_own_extras(step->snapshot)->timers;
    for (size_t i = 0; i < timers->count; i++)
        wf_timer_at(timers, i)->due = i == place ? 0 : WF_FAR;
}

/* The budget runs out now, and nothing else is due. */
static void run_out(wf_step *step, uint32_t budget)
{
    wf_spent *spent = wf_spent_at(&step->snapshot->extras->budgets, budget);
    choose_timer(step, WF_NONE);
    spent->since = -spent->limit;
}

int32_t wf_input_run(wf_step *step, const wf_input *input, int32_t *outcome)
{
    bool refused = wf_event_reserved(input->name.type == WF_STRING ? input->name.as.text : "");
    const wf_event event = {refused ? WF_PLATFORM : WF_EXTERNAL, input->number, input->name,
                            input->data, wf_null()};
    bool fired = false;
    if (input->kind == WF_INPUT_EVENT && input->origin.type == WF_OBJECT)
        step->origin = input->origin;
    if (input->usage.type == WF_OBJECT)
        step->report.usage = &input->usage;
    switch (input->kind) {
    case WF_INPUT_START:
        return wf_step_start(step, &input->data, outcome);
    case WF_INPUT_TIMER:
        WF_INVARIANT(input->place < step->snapshot->extras->timers.count);
        choose_timer(step, input->place);
        return wf_step_due(step, &fired, outcome);
    case WF_INPUT_BUDGET:
        run_out(step, input->place);
        return wf_step_due(step, &fired, outcome);
    case WF_INPUT_RESULT:
        return wf_step_result(step, input->place, &input->data, outcome);
    case WF_INPUT_FAILURE:
        return wf_step_failed(step, input->place, input->failure, "", outcome);
    default:
        return wf_run_input(step, &event, outcome);
    }
}

static wf_value failure_data(wf_step *step, const wf_input *input)
{
    wf_member *members = wf_arena_take(&step->arena, 3 * sizeof *members);
    if (!members)
        return wf_null();
    wf_member_set(&members[0], "class", 5, wf_string_z(wf_class_name(input->failure)));
    wf_member_set(&members[1], "message", 7, wf_string_z(""));
    wf_member_set(&members[2], "attempts", 8, wf_number(0));
    return wf_object(members, 3);
}

/* The result of a set of items: those in the ledger before the step, and the last one. */
static wf_value result_data(wf_step *step, const wf_input *input)
{
    const wf_list before = wf_draft_before(step, WF_LEDGER);
    const wf_invocation *self = wf_invocation_at(&before, input->place);
    if (self->set == 0)
        return input->data;
    size_t first = input->place - (self->ordinal - self->set);
    wf_value *items = wf_arena_take(&step->arena, self->of * sizeof *items);
    for (uint32_t i = 0; i < self->of && items; i++) {
        const wf_invocation *item = wf_invocation_at(&before, first + i);
        items[i] = first + i == input->place      ? input->data
                   : item->status == WF_ITEM_DONE ? item->result
                                                  : wf_null();
        wf_member *member = wf_arena_take(&step->arena, sizeof *member);
        if (self->need == 0 && member) {
            bool failed = item->status == WF_ITEM_FAILED;
            wf_member_set(member, failed ? "error" : "output", failed ? 5 : 6,
                          failed ? item->result : items[i]);
            items[i] = wf_object(member, 1);
        }
    }
    return items ? wf_array(items, self->of) : wf_null();
}

int32_t wf_input_observe(wf_explorer *explorer, wf_step *step, const wf_input *input,
                         int32_t outcome, uint8_t *memory)
{
    static const int kinds[] = {WF_EXTERNAL, WF_TIMER,    WF_PLATFORM, WF_PLATFORM,
                                WF_PLATFORM, WF_EXTERNAL, WF_EXTERNAL, WF_EXTERNAL};
    const wf_snapshot *snapshot = step->snapshot;
    bool taken = input->kind != WF_INPUT_START && step->taken_count > 0 &&
                 (outcome == WFSM_TAKEN || outcome == WFSM_ENDED);
    wf_value event = wf_null();
    wf_observed seen = {.active = snapshot->active,
                        .slots = snapshot->slots,
                        .keys = wf_snapshot_keys(snapshot),
                        .slot_count = (uint32_t)snapshot->slot_count,
                        .arena = &step->arena};
    if (explorer->machine->property_count == 0)
        return WFSM_OK;
    if (taken) {
        wf_value data = input->kind == WF_INPUT_FAILURE  ? failure_data(step, input)
                        : input->kind == WF_INPUT_RESULT ? result_data(step, input)
                                                         : input->data;
        event =
            wf_observed_event(&step->arena, input->name, data, wf_null(),
                              input->kind == WF_INPUT_EVENT ? wf_origin_seen(step) : wf_null(),
                              kinds[input->kind]);
        seen.event = &event;
    }
    return wf_monitor_observe(explorer->machine, &seen, memory, explorer->verdicts, NULL);
}
