/* verify/input.c: runs one input, and observes what came of it. */
#include "verify/input.h"
#include "verify/hiding.h"
#include "base/invariant.h"

static void choose_timer(wf_step *step, uint32_t place)
{
    wf_list *timers = &wf_own_extras(step->snapshot)->timers;
    for (size_t i = 0; i < timers->count; i++)
        wf_timer_at(timers, i)->due = i == place ? 0 : WF_FAR;
}

/* The budget runs out now, and nothing else is due. At the times of a real run it has run out already. */
static void run_out(wf_step *step, uint32_t budget)
{
    wf_spent *spent = wf_spent_at(&step->snapshot->extras->budgets, budget);
    choose_timer(step, WF_NONE);
    if (wf_time_after(spent->since, spent->limit) > step->snapshot->now)
        spent->since = step->snapshot->now - spent->limit;
}

/* A claim comes after the pause before a retry. The end of the attempt by its time limit is another input. */
static int32_t claim(wf_step *step, uint32_t place, int32_t *outcome)
{
    wf_invocation_at(&wf_own_extras(step->snapshot)->ledger, place)->due = 0;
    int32_t status = wf_step_claim(step, place, "verify", outcome);
    if (status == WFSM_OK && *outcome == WFSM_TAKEN)
        wf_invocation_at(&wf_own_extras(step->snapshot)->ledger, place)->due = WFSM_NEVER;
    return status;
}

const char *wf_input_message(const wf_input *input)
{
    return input->data.type == WF_STRING ? input->data.as.text : "";
}

static wf_value id_of(const wf_input *input)
{
    return input->id.type == WF_ABSENT ? wf_null() : input->id;
}

int32_t wf_input_run(wf_step *step, const wf_input *input, int32_t *outcome)
{
    bool refused = wf_event_reserved(input->name.type == WF_STRING ? input->name.as.text : "");
    const wf_event event = {refused ? WF_PLATFORM : WF_EXTERNAL, input->number, input->name,
                            input->data, id_of(input)};
    bool fired = false;
    if (input->kind == WF_INPUT_EVENT && input->origin.type == WF_OBJECT)
        step->origin = input->origin;
    if (input->usage.type == WF_OBJECT)
        step->report.usage = &input->usage;
    if (input->signature.type == WF_STRING)
        step->report.signature = input->signature.as.text;
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
        return wf_step_failed(step, input->place, input->failure, wf_input_message(input),
                              outcome);
    case WF_INPUT_CLAIM:
        return claim(step, input->place, outcome);
    default:
        return wf_run_input(step, &event, outcome);
    }
}

bool wf_is_heard(const wf_external_event *outside, const wf_snapshot *snapshot)
{
    for (uint32_t w = 0; w < snapshot->machine->words; w++)
        if (outside->handlers[w] & snapshot->active[w])
            return true;
    return false;
}

bool wf_asks_person(const wf_snapshot *snapshot, size_t place)
{
    uint32_t agent = wf_invocation_at(&snapshot->extras->ledger, place)->agent;
    return wf_is_person(&snapshot->machine->agents.list[agent]);
}

bool wf_input_is_decision(const wf_snapshot *snapshot, const wf_input *input)
{
    return input->kind == WF_INPUT_RESULT && wf_asks_person(snapshot, input->place);
}

bool wf_input_has_work(const wf_input *input)
{
    return input->kind == WF_INPUT_RESULT || input->kind == WF_INPUT_FAILURE ||
           input->kind == WF_INPUT_CLAIM;
}

bool wf_input_has_place(const wf_input *input, const wf_snapshot *snapshot)
{
    if (input->kind == WF_INPUT_TIMER)
        return input->place < snapshot->extras->timers.count;
    return !wf_input_has_work(input) || input->place < snapshot->extras->ledger.count;
}

bool wf_input_changes(const wf_input *input, int32_t outcome)
{
    if (input->kind == WF_INPUT_CLAIM)
        return outcome == WFSM_TAKEN;
    return input->kind != WF_INPUT_EVENT || outcome == WFSM_TAKEN || outcome == WFSM_FAILED ||
           outcome == WFSM_ENDED;
}

/* What the draft has left and entered again; NULL when out of memory. */
static const uint64_t *reentered_of(wf_step *step)
{
    uint32_t words = step->machine->words;
    uint64_t *set = wf_arena_take(&step->arena, words * sizeof *set);
    for (uint32_t w = 0; set && w < words; w++)
        set[w] = step->entered[w] & step->before.active[w] & step->snapshot->active[w];
    return set;
}

int32_t wf_input_observe(wf_explorer *explorer, wf_step *step, const wf_input *input,
                         int32_t outcome, uint8_t *memory)
{
    const wf_snapshot *snapshot = step->snapshot;
    wf_value told;
    wf_observed seen = {.active = snapshot->active,
                        .slots = snapshot->slots,
                        .keys = wf_snapshot_keys(snapshot),
                        .slot_count = (uint32_t)snapshot->slot_count,
                        .arena = &step->arena,
                        .evaluator = step->evaluator,
                        .late = explorer->late,
                        .asked = explorer->symbolic && explorer->symbolic->hiding
                                     ? explorer->symbolic->hiding->asked
                                     : NULL,
                        .triggered = explorer->triggered};
    if (explorer->machine->property_count == 0)
        return WFSM_OK;
    if (input->kind == WF_INPUT_CLAIM && step->taken_count == 0) {
        wf_monitor_pass(explorer->machine, explorer->late, memory, explorer->verdicts);
        return WFSM_OK;
    }
    seen.reentered = reentered_of(step);
    if (!seen.reentered)
        return WFSM_NO_MEMORY;
    told = wf_step_reacted(step, outcome);
    if (told.type == WF_OBJECT)
        seen.event = &told;
    return wf_monitor_observe(explorer->machine, &seen, memory, explorer->verdicts, NULL);
}
