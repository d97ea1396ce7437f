/* One microstep: exit states, run the actions of the transitions, enter states. It is appendix
 * D's microstep, exitStates and enterStates. */
#include "step/step.h"

#include <string.h>
#include "base/error.h"
#include "base/invariant.h"

static void clear_set(const wf_step *step, uint64_t *set)
{
    wf_set_clear(set, step->machine->words);
}

/* ---- exit ---- */

static void collect_exits(wf_step *step)
{
    const wfsm_machine *machine = step->machine;
    clear_set(step, step->leaving);
    for (size_t i = 0; i < step->enabled_count; i++) {
        uint32_t domain = step->enabled[i].domain;
        if (domain == WF_NONE)
            continue;
        uint32_t s = wf_set_next(step->snapshot->active, machine->words, domain + 1);
        for (; s < machine->states[domain].end;
             s = wf_set_next(step->snapshot->active, machine->words, s + 1))
            wf_set_add(step->leaving, s);
    }
}

static bool is_remembered(const wf_state *history, const wf_state *state, uint32_t parent)
{
    if (history->type == WF_SHALLOW)
        return state->parent == parent;
    return state->type == WF_ATOMIC || state->type == WF_FINAL;
}

static int32_t record_history(wf_step *step, uint32_t parent, uint32_t history)
{
    const wfsm_machine *machine = step->machine;
    const wf_state *self = &machine->states[history];
    uint64_t *set = step->snapshot->extras->histories + (size_t)self->history * machine->words;
    size_t work = 1 + machine->words / 8, bytes = 0;
    clear_set(step, set);
    uint32_t s = wf_set_next(step->snapshot->active, machine->words, parent + 1);
    for (; s < machine->states[parent].end;
         s = wf_set_next(step->snapshot->active, machine->words, s + 1)) {
        work++;
        if (!is_remembered(self, &machine->states[s], parent))
            continue;
        wf_set_add(set, s);
        bytes += 6 * machine->states[s].path.length; /* in the record */
    }
    int32_t status = wf_fuel_work(step, work);
    return status == WFSM_OK ? wf_fuel_bytes(step, bytes) : status;
}

/* Called before any state is exited, so that histories hold the whole configuration. */
static int32_t record_histories(wf_step *step)
{
    const wfsm_machine *machine = step->machine;
    int32_t status = WFSM_OK;
    if (machine->history_count == 0)
        return WFSM_OK;
    for (uint32_t s = wf_set_next(step->leaving, machine->words, 0); s != WF_NONE;
         s = wf_set_next(step->leaving, machine->words, s + 1)) {
        wf_span histories = machine->states[s].histories;
        uint32_t end = histories.first + histories.count;
        for (uint32_t i = histories.first; i < end && status == WFSM_OK; i++)
            status = record_history(step, s, machine->lists[i]);
    }
    return status;
}

static int32_t exit_state(wf_step *step, uint32_t state)
{
    WF_INVARIANT(wf_set_has(step->snapshot->active, state));
    wf_fuel_at(step, WF_AT_STATE, state);
    int32_t status = wf_fuel_work(step, 1);
    if (status == WFSM_OK)
        status = wf_run_blocks(step, step->machine->states[state].exit);
    if (status == WFSM_OK && step->snapshot->extras->timers.count > 0)
        status = wf_timer_leave(step, state);
    if (status == WFSM_OK && step->snapshot->extras->ledger.count > 0)
        status = wf_ledger_leave(step, state);
    wf_set_remove(step->snapshot->active, state);
    wf_set_remove(step->to_invoke, state);
    return status;
}

static int32_t exit_chain(wf_step *step, uint32_t domain)
{
    int32_t status = WFSM_OK;
    uint32_t s = wf_set_last(step->snapshot->active, step->machine->words);
    for (; s != domain && status == WFSM_OK; s = step->machine->states[s].parent)
        status = exit_state(step, s);
    return status;
}

/* Innermost first. Descendants have greater numbers than their ancestors. */
static int32_t exit_all(wf_step *step)
{
    int32_t status = WFSM_OK;
    for (uint32_t w = step->machine->words; w-- > 0;)
        while (step->leaving[w] != 0 && status == WFSM_OK) {
            uint32_t bit = 63 - (uint32_t)__builtin_clzll(step->leaving[w]);
            step->leaving[w] &= ~((uint64_t)1 << bit);
            status = exit_state(step, w * 64 + bit);
        }
    return status;
}

/* ---- entry ---- */

/* A parallel state is complete if all its regions are, which takes a look at each. */
static bool completes(wf_step *step, uint32_t state, int32_t *status)
{
    const wf_state *self = &step->machine->states[state];
    *status = wf_fuel_work(step, 1 + (self->end - state) / 32);
    return *status == WFSM_OK && wf_snapshot_complete(step->snapshot, state);
}

/* Raises the done event of each ancestor that this final state has completed, the inner before
 * the outer. */
static int32_t complete_ancestors(wf_step *step, uint32_t final)
{
    const wfsm_machine *machine = step->machine;
    const wf_state *self = &machine->states[final];
    wf_value data = wf_null();
    int32_t status = WFSM_OK;
    WF_INVARIANT(self->type == WF_FINAL);
    if (self->output)
        status = wf_step_eval(step, self->output, &data);
    if (status == WFSM_OK && data.depth > WF_KEPT_DEPTH) {
        step->message = "the output is nested too deeply to be kept";
        status = WFSM_SEMANTIC;
    }
    if (status == WFSM_SEMANTIC) {
        data = wf_null();
        status = wf_raise_error(step, step->message);
    }
    for (uint32_t s = self->parent; status == WFSM_OK && completes(step, s, &status);
         s = machine->states[s].parent) {
        if (s == 0) {
            status = wf_fuel_keep(step, &data);
            if (status == WFSM_OK)
                status = wf_draft_output(step, &data);
            step->ended = status == WFSM_OK;
            return status;
        }
        status = wf_raise_platform(step, machine->states[s].done_event, &data);
        data = wf_null();
    }
    return status;
}

static int32_t run_initial(wf_step *step, const wf_state *state)
{
    return wf_run_blocks(step, step->machine->transitions[state->initial].blocks);
}

static int32_t run_history_defaults(wf_step *step, const wf_state *state)
{
    const wfsm_machine *machine = step->machine;
    wf_span histories = state->histories;
    int32_t status = WFSM_OK;
    for (uint32_t i = histories.first; i < histories.first + histories.count; i++) {
        const wf_state *history = &machine->states[machine->lists[i]];
        if (wf_set_has(step->by_history, history->history) && status == WFSM_OK)
            status = run_initial(step, history);
    }
    return status;
}

static int32_t enter_state(wf_step *step, uint32_t state, bool by_default)
{
    const wf_state *self = &step->machine->states[state];
    WF_INVARIANT(!wf_set_has(step->snapshot->active, state));
    wf_set_add(step->snapshot->active, state);
    wf_set_add(step->entered, state);
    if (self->invokes.count > 0)
        wf_set_add(step->to_invoke, state);
    wf_fuel_at(step, WF_AT_STATE, state);
    int32_t status = wf_fuel_work(step, 1);
    if (status == WFSM_OK && step->machine->budget_count > 0)
        status = wf_budgets_entered(step, state);
    if (status == WFSM_OK)
        status = wf_run_blocks(step, self->entry);
    wf_fuel_at(step, WF_AT_STATE, state);
    if (status == WFSM_OK && self->after.count > 0)
        status = wf_timer_after(step, state);
    if (status == WFSM_OK && self->type == WF_COMPOUND && by_default)
        status = run_initial(step, self);
    if (status == WFSM_OK)
        status = run_history_defaults(step, self);
    if (status == WFSM_OK && self->type == WF_FINAL)
        status = complete_ancestors(step, state);
    return status;
}

/* Outermost first, in document order. */
int32_t wf_enter_states(wf_step *step)
{
    int32_t status = WFSM_OK;
    uint32_t words = step->machine->words;
    for (uint32_t s = wf_set_next(step->entering, words, 0); s != WF_NONE && status == WFSM_OK;
         s = wf_set_next(step->entering, words, s + 1))
        status = enter_state(step, s, wf_set_has(step->by_default, s));
    return status;
}

/* Enters the states that machine/entry_paths.c has found at compile time. */
static int32_t enter_path(wf_step *step, const wf_transition *transition)
{
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < transition->path_count && status == WFSM_OK; i++)
        status = enter_state(step, transition->path[i], i >= transition->through);
    return status;
}

static void clear_entry_sets(wf_step *step)
{
    clear_set(step, step->entering);
    clear_set(step, step->by_default);
}

static int32_t exit_states(wf_step *step)
{
    const wfsm_machine *machine = step->machine;
    if (!machine->has_regions && machine->history_count == 0)
        return step->enabled[0].domain == WF_NONE ? WFSM_OK
                                                  : exit_chain(step, step->enabled[0].domain);
    int32_t status = wf_fuel_work(step, machine->words / 4);
    collect_exits(step);
    if (status == WFSM_OK)
        status = record_histories(step);
    return status == WFSM_OK ? exit_all(step) : status;
}

int32_t wf_microstep(wf_step *step)
{
    WF_INVARIANT(step->enabled_count > 0);
    int32_t status = exit_states(step);
    for (size_t i = 0; i < step->enabled_count && status == WFSM_OK; i++)
        status =
            wf_run_blocks(step, step->machine->transitions[step->enabled[i].transition].blocks);
    if (status != WFSM_OK)
        return status;
    const wf_transition *first = &step->machine->transitions[step->enabled[0].transition];
    wf_set_clear(step->by_history, step->machine->history_count / 64 + 1);
    if (step->enabled_count == 1 && first->path)
        return enter_path(step, first);
    clear_entry_sets(step);
    status = wf_fuel_work(step, step->machine->words / 4);
    for (size_t i = 0; i < step->enabled_count && status == WFSM_OK; i++)
        if (step->enabled[i].domain != WF_NONE)
            status = wf_entry_set(step, step->enabled[i].transition, step->enabled[i].domain);
    return status == WFSM_OK ? wf_enter_states(step) : status;
}

int32_t wf_step_ended(wf_step *step, uint8_t progress)
{
    wf_extras *extras = wf_snapshot_extras(step->snapshot);
    if (!extras)
        return wf_no_memory(step->error);
    extras->singles.progress = progress;
    step->snapshot->status = WFSM_DONE;
    return WFSM_OK;
}

/* Ends the instance. Exit actions run, innermost first. Queued events and timers are dropped.
 * The configuration stays as it was, for queries. */
int32_t wf_end(wf_step *step)
{
    wf_snapshot *snapshot = step->snapshot;
    size_t bytes = step->machine->words * sizeof(uint64_t);
    uint64_t *kept = wf_arena_take(&step->arena, bytes);
    if (!kept)
        return wf_step_arena(step);
    memcpy(kept, snapshot->active, bytes);
    memcpy(step->leaving, snapshot->active, bytes);
    int32_t status = exit_all(step);
    memcpy(snapshot->active, kept, bytes);
    step->queue_head = step->queue_count = 0;
    while (status == WFSM_OK && snapshot->extras->timers.count > 0)
        status = wf_draft_remove(step, WF_TIMERS, snapshot->extras->timers.count - 1);
    return status == WFSM_OK ? wf_step_ended(step, WF_IS_DONE) : status;
}
