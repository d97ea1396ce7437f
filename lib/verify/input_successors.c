/* verify/input_successors.c: every successor that one input has. The host's answers are
 * enumerated: the input runs once for each combination of them. */
#include "base/error.h"
#include "verify/hiding.h"
#include "verify/successors.h"
#include "base/invariant.h"

enum { ANSWERS_MOST = 1 << 20, HIDDEN_ANSWERS_MOST = 1 << 12 };

/* ---- time ---- */

/* The index of a budget among those that precede the timers. */
static uint32_t place_of_budget(const wf_explorer *explorer, uint32_t budget)
{
    const wf_list before = wf_draft_before(&explorer->step, WF_BUDGETS);
    uint32_t place = 0;
    for (uint32_t i = 0; i < budget; i++)
        place += explorer->machine->budgets[i].counts == WF_COUNT_TIME &&
                 !wf_spent_at(&before, i)->raised;
    return place;
}

static void let_pass(const wf_explorer *explorer, const wf_input *input, uint32_t ahead,
                     wf_timer_bounds *times)
{
    if (input->kind == WF_INPUT_TIMER)
        wf_timer_bounds_fire(times, ahead + input->place, ahead);
    else if (input->kind == WF_INPUT_BUDGET && ahead > 0)
        wf_timer_bounds_fire(times, place_of_budget(explorer, input->place), ahead);
    else
        (void)wf_timer_bounds_other(times);
}

/* The number of the last timer before those that the bounds have. The way back to a checkpoint has set them
 * again. */
static uint64_t number_before(const wf_explorer *explorer, const wf_input *input)
{
    return input->kind == WF_INPUT_RESTORE ? explorer->step.before.singles.timer_number : 0;
}

/* The bounds have `before` timers, with the numbers that follow `from`. */
static void remove_timers(const wf_list *timers, uint64_t from, uint32_t before, uint32_t ahead,
                          wf_timer_bounds *times)
{
    size_t left = 0;
    WF_INVARIANT(ahead + before <= times->count);
    while (left < timers->count && wf_timer_at(timers, left)->number <= from + before)
        left++;
    for (uint32_t i = before; i-- > 0;) {
        if (left > 0 && wf_timer_at(timers, left - 1)->number == from + i + 1)
            left--;
        else
            wf_timer_bounds_remove(times, ahead + i);
    }
}

static bool add_delay(wf_explorer *explorer, wf_timer_bounds *times, int64_t delay)
{
    const wf_delay_bounds bounds = wf_symbolic_delay(explorer->symbolic, delay);
    int64_t divisor = bounds.least == bounds.most ? bounds.least : 1;
    explorer->grain = wf_common_divisor(explorer->grain, divisor);
    return wf_timer_bounds_add_between(times, bounds.least, bounds.most);
}

static bool add_timers(wf_explorer *explorer, const wf_list *timers, uint64_t before,
                       wf_timer_bounds *times)
{
    for (size_t i = 0; i < timers->count; i++)
        if (wf_timer_at(timers, i)->number > before &&
            !add_delay(explorer, times, wf_timer_at(timers, i)->due))
            return false;
    return true;
}

static void remove_budgets(const wf_explorer *explorer, wf_timer_bounds *times)
{
    const wf_list *now = &explorer->snapshot.extras->budgets,
                  before = wf_draft_before(&explorer->step, WF_BUDGETS);
    for (uint32_t i = explorer->machine->budget_count; i-- > 0;)
        if (explorer->machine->budgets[i].counts == WF_COUNT_TIME &&
            wf_spent_at(now, i)->raised && !wf_spent_at(&before, i)->raised)
            wf_timer_bounds_remove(times, place_of_budget(explorer, i));
}

static bool add_budgets(wf_explorer *explorer, wf_timer_bounds *times)
{
    const wf_list *now = &explorer->snapshot.extras->budgets;
    for (uint32_t i = 0; i < explorer->machine->budget_count; i++)
        if (explorer->machine->budgets[i].counts == WF_COUNT_TIME &&
            !wf_spent_at(now, i)->raised &&
            !add_delay(explorer, times, wf_spent_at(now, i)->limit))
            return false;
    return true;
}

/* How many budgets of time were in the bounds before the step. */
static uint32_t budgets_before(const wf_explorer *explorer, const wf_input *input)
{
    const wf_list before = wf_draft_before(&explorer->step, WF_BUDGETS);
    return input->kind == WF_INPUT_START ? 0 : wf_explorer_budgets_ahead(explorer, &before);
}

/* Most steps of most documents. */
static bool is_timeless(const wf_explorer *explorer, const wf_input *input)
{
    return explorer->times.count == 0 && explorer->snapshot.extras->timers.count == 0 &&
           !explorer->limits && !explorer->ends && input->kind != WF_INPUT_START &&
           input->kind != WF_INPUT_RESTORE;
}

/* The bounds at the time of the step. */
static void times_at(wf_explorer *explorer, const wf_input *input, wf_timer_bounds *times)
{
    const bool restore = input->kind == WF_INPUT_RESTORE;
    *times = restore ? explorer->checkpoint.times : explorer->times;
    /* A claim and a way back take no time: time that passes before it may as well pass after it, or has passed in
     * the bounds. */
    if (restore || input->kind == WF_INPUT_CLAIM) {
        memset(explorer->late, 0, explorer->machine->property_count);
        return;
    }
    if (times->count > 0)
        let_pass(explorer, input, budgets_before(explorer, input), times);
    wf_limits_decide(explorer, times);
}

/* The bounds after the step: of the timers that are left, and of the new ones. */
static bool times_after(wf_explorer *explorer, const wf_input *input, wf_timer_bounds *times)
{
    const wf_list *timers = &explorer->snapshot.extras->timers;
    bool start = input->kind == WF_INPUT_START, budgets = !explorer->resets_time;
    uint32_t ahead = budgets_before(explorer, input);
    uint32_t before = times->count - times->limits - ahead;
    uint64_t from = number_before(explorer, input);
    remove_timers(timers, from, before, ahead, times);
    if (budgets && !start)
        remove_budgets(explorer, times);
    if ((budgets && start && !add_budgets(explorer, times)) ||
        !add_timers(explorer, timers, from + before, times) ||
        !wf_limits_follow(explorer, times) || !wf_ends_follow(explorer, start, times))
        return false;
    wf_timer_bounds_settle(times);
    wf_timer_bounds_pass(times);
    return true;
}

/* ---- successors ---- */

static int32_t look(wf_explorer *explorer, wf_successor *successor)
{
    wf_timer_bounds times;
    bool timeless = is_timeless(explorer, &successor->input);
    wf_timer_bounds_clear(&times);
    if (!timeless)
        times_at(explorer, &successor->input, &times);
    if (explorer->memory_size > 0)
        memcpy(explorer->memory_next, explorer->memory, explorer->memory_size);
    int32_t status = wf_input_observe(explorer, &explorer->step, &successor->input,
                                      successor->outcome, explorer->memory_next);
    if (status != WFSM_OK)
        return wf_no_memory(explorer->error);
    if (!timeless && !times_after(explorer, &successor->input, &times)) {
        explorer->many_timers = true;
        successor->changed = false;
        return WFSM_OK;
    }
    return wf_state_key_write(explorer, &explorer->snapshot, explorer->memory_next, &times);
}

/* The next combination of answers, counted up like digits; false after the last. */
static bool next_answers(wf_choices *choices)
{
    while (choices->count > 0) {
        uint32_t last = choices->count - 1;
        if (++choices->answer[last] < choices->most[last]) {
            choices->fixed = choices->count;
            return true;
        }
        choices->count--;
    }
    return false;
}

static int32_t run(wf_explorer *explorer, wf_successor *successor)
{
    if (successor->input.kind == WF_INPUT_RESTORE)
        return wf_step_restore(&explorer->step, &explorer->checkpoint.snapshot,
                               &successor->outcome);
    return wf_input_run(&explorer->step, &successor->input, &successor->outcome);
}

static int32_t try_once(wf_explorer *explorer, wf_successor *successor, wf_successor_sink *sink,
                        void *user)
{
    explorer->choices.count = explorer->diagnostic_count = 0;
    explorer->asking = &explorer->step;
    if (explorer->symbolic)
        wf_symbolic_begin(explorer->symbolic);
    if (explorer->symbolic && wf_input_is_decision(&explorer->snapshot, &successor->input))
        wf_symbolic_assume_votes(
            explorer->symbolic,
            wf_invocation_at(&explorer->snapshot.extras->ledger, successor->input.place),
            &successor->input.data);
    wf_hiding_choose(explorer);
    wf_step_begin(&explorer->step, 0);
    successor->status = run(explorer, successor);
    wf_hiding_chosen(explorer, successor->first);
    int32_t status =
        successor->status == WFSM_NO_MEMORY ? wf_no_memory(explorer->error) : WFSM_OK;
    successor->changed =
        successor->status == WFSM_OK && wf_input_changes(&successor->input, successor->outcome);
    if (status == WFSM_OK && successor->changed)
        status = look(explorer, successor);
    if (explorer->symbolic &&
        (explorer->step.arena.failed || wf_symbolic_failed(explorer->symbolic)))
        status = wf_no_memory(explorer->error);
    successor->certain = !explorer->symbolic || !explorer->symbolic->splits;
    if (status == WFSM_OK)
        status = sink(user, explorer, successor);
    successor->first = false;
    wf_step_rollback(&explorer->step);
    return status;
}

/* So many answers, one after the other, are tried of one step. Where values are hidden, each question may have
 * two, and a step that asks in a circle would never end. */
static uint32_t most_answers(const wf_explorer *explorer)
{
    return explorer->symbolic && explorer->symbolic->hiding ? HIDDEN_ANSWERS_MOST
                                                            : ANSWERS_MOST;
}

int32_t wf_successors_of_input(wf_explorer *explorer, const wf_input *input,
                               wf_successor_sink *sink, void *user)
{
    wf_successor successor = {.input = *input, .first = true};
    const uint32_t most = most_answers(explorer);
    uint32_t tried = 0;
    bool more = true;
    int32_t status = WFSM_OK;
    explorer->step.host = wf_choosing_host(explorer);
    explorer->choices.fixed = 0;
    while (status == WFSM_OK && more) {
        explorer->many_choices |= ++tried == most;
        status = try_once(explorer, &successor, sink, user);
        more = next_answers(&explorer->choices) && tried < most;
    }
    return status;
}

int32_t wf_successors_at_start(wf_explorer *explorer, uint32_t number, const wf_value *data,
                               wf_successor_sink *sink, void *user)
{
    const wf_input input = {.kind = WF_INPUT_START, .place = number, .data = *data};
    wf_snapshot *snapshot = &explorer->snapshot;
    wf_extras *extras = wf_own_extras(snapshot);
    size_t words = explorer->machine->words;
    wf_set_clear(snapshot->active, words);
    memset(extras->histories, 0, explorer->machine->history_count * words * sizeof(uint64_t));
    for (size_t i = 0; i < snapshot->slot_count; i++)
        snapshot->slots[i] = wf_absent();
    extras->timers.count = extras->ledger.count = extras->repeats.count = 0;
    for (uint32_t i = 0; i < extras->budgets.count; i++)
        *wf_spent_at(&extras->budgets, i) = (wf_spent){.budget = i};
    extras->singles.timer_number = 0;
    snapshot->status = 0;
    wf_timer_bounds_clear(&explorer->times);
    explorer->kept = explorer->kept_next = 0;
    if (explorer->symbolic)
        explorer->symbolic->kept = 0;
    memset(explorer->memory, 0, explorer->memory_size + 1);
    int32_t status = wf_successors_of_input(explorer, &input, sink, user);
    for (uint32_t i = 0; i < explorer->machine->keys.count; i++)
        snapshot->slots[i] = explorer->machine->initial[i];
    return status;
}
