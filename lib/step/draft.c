/* The draft: a step changes the snapshot in place. An undo log of slots, copies of what else is
 * about to change, and lists of blocks to free let it be kept or taken back whole. */
#include "step/step.h"

#include <string.h>
#include "base/error.h"
#include "base/invariant.h"
#include "base/memory.h"

bool wf_before_init(wf_before *before, const wfsm_allocator *allocator,
                    const wfsm_machine *machine)
{
    memset(before, 0, sizeof *before);
    before->active = wf_new(allocator, machine->words * sizeof(uint64_t));
    if (machine->history_count > 0)
        before->histories = wf_new(allocator, (size_t)machine->history_count * machine->words *
                                                  sizeof(uint64_t));
    return wf_budgets_make(allocator, machine, &before->lists[WF_BUDGETS]) && before->active &&
           (before->histories || machine->history_count == 0);
}

void wf_before_fini(const wfsm_allocator *allocator, wf_before *before)
{
    void *blocks[] = {before->active, before->histories, before->undo, before->fresh.list,
                      before->stale.list};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        wf_free(allocator, blocks[i]);
    for (int i = 0; i < WF_KINDS; i++)
        wf_free(allocator, before->lists[i].entries);
}

void wf_before_free(const wfsm_allocator *allocator, wf_before *before)
{
    if (!before)
        return;
    wf_before_fini(allocator, before);
    wf_free(allocator, before);
}

static uint64_t *new_set(const wf_step *step)
{
    return wf_new(step->allocator, step->machine->words * sizeof(uint64_t));
}

bool wf_step_init(wf_step *step, wf_snapshot *snapshot, const char *instance_id)
{
    const wfsm_machine *machine = snapshot->machine;
    memset(step, 0, sizeof *step);
    step->machine = machine;
    step->snapshot = snapshot;
    step->allocator = snapshot->allocator;
    step->instance_id = instance_id;
    wf_arena_init(&step->arena, step->allocator, 0);
    step->work = machine->limits.step_work;
    step->leaving = new_set(step);
    step->entering = new_set(step);
    step->by_default = new_set(step);
    step->to_invoke = new_set(step);
    step->entered = new_set(step);
    step->by_history =
        wf_new(step->allocator, (machine->history_count / 64 + 1) * sizeof(uint64_t));
    step->schema_error = wfsm_error_new(step->allocator);
    if (wf_before_init(&step->before, step->allocator, machine) && step->leaving &&
        step->entering && step->by_default && step->to_invoke && step->entered &&
        step->by_history && step->schema_error)
        return true;
    wf_step_fini(step);
    return false;
}

void wf_step_bind(wf_step *step, wf_snapshot *snapshot, const char *instance_id)
{
    step->snapshot = snapshot;
    step->instance_id = instance_id;
}

void wf_step_fini(wf_step *step)
{
    const wfsm_allocator *allocator = step->allocator;
    if (!allocator)
        return;
    if (step->open)
        wf_step_rollback(step);
    void *blocks[] = {step->leaving,    step->entering, step->by_default,   step->to_invoke,
                      step->by_history, step->marks,    step->queue,        step->enabled,
                      step->taken,      step->log,      step->guard_failed, step->answers,
                      step->errors,     step->entered};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        wf_free(allocator, blocks[i]);
    wf_before_fini(allocator, &step->before);
    wf_before_free(allocator, step->spare);
    wfsm_error_free(step->schema_error);
    wf_arena_fini(&step->arena);
    memset(step, 0, sizeof *step);
}

/* Clears the results of the last step. The memory is used again. */
static void clear_results(wf_step *step)
{
    wf_set_clear(step->to_invoke, step->machine->words);
    wf_set_clear(step->entered, step->machine->words);
    step->queue_head = step->queue_count = 0;
    step->enabled_count = 0;
    step->guard_failed_count = 0;
    step->selections = 0;
    step->text = 0;
    step->at = (wf_at){WF_AT_NOTHING, 0};
    step->ordinal = 0;
    step->ended = false;
    step->blocked = NULL;
    step->matched = false;
    step->taken_count = 0;
    step->log_count = 0;
    step->error_count = 0;
    step->event = wf_null();
    step->budgets = step->repeated = wf_absent();
    step->reported = false;
}

static void save(wf_step *step)
{
    const wf_snapshot *snapshot = step->snapshot;
    const wfsm_machine *machine = step->machine;
    wf_before *before = &step->before;
    wf_set_copy(before->active, snapshot->active, machine->words);
    if (machine->history_count > 0)
        wf_set_copy(before->histories, snapshot->extras->histories,
                    (size_t)machine->history_count * machine->words);
    before->slot_count = snapshot->slot_count;
    before->undo_count = 0;
    before->now = snapshot->now;
    before->status = snapshot->status;
    before->limited = snapshot->extras->limited;
    before->limits = snapshot->extras->limits;
    wf_entries_begin(step);
}

int32_t wf_step_begin(wf_step *step, int64_t now)
{
    wf_snapshot *snapshot = step->snapshot;
    WF_INVARIANT(!step->open);
    wf_arena_reset(&step->arena);
    step->arena.limit = 0; /* until wf_fuel_open() */
    clear_results(step);
    step->answer_count = 0;
    step->builds_on[0] = '\0';
    step->origin = step->input.name = wf_absent();
    step->consumed_timer = step->consumed_revision = step->consumed_ordinal = 0;
    step->consumed_name = wf_null();
    step->consumed_budget = step->ended_invoke = WF_NONE;
    step->report = (wf_report){0};
    step->unclaimed = false;
    step->ended_signature = NULL;
    step->failed_class = WF_CLASSES;
    step->failed_message = NULL;
    step->failure = WFSM_OK;
    step->message = NULL;
    step->grown = false;
    save(step);
    step->limits = wf_snapshot_limits(snapshot);
    step->work = step->limits.step_work;
    if (now > snapshot->now)
        snapshot->now = now;
    WF_INVARIANT(snapshot->now >= step->before.now);
    step->open = true;
    step->instance = step->item = step->index = wf_absent();
    return WFSM_OK;
}

static void swap_sets(uint64_t *a, uint64_t *b, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        uint64_t word = a[i];
        a[i] = b[i];
        b[i] = word;
    }
}

static void swap_limits(wf_extras *extras, wf_before *before)
{
    wf_limits limits = extras->limits;
    bool limited = extras->limited;
    extras->limits = before->limits;
    extras->limited = before->limited;
    before->limits = limits;
    before->limited = limited;
}

void wf_before_swap(wf_snapshot *snapshot, wf_before *before)
{
    const wfsm_machine *machine = snapshot->machine;
    int32_t status = snapshot->status;
    int64_t now = snapshot->now;
    swap_sets(snapshot->active, before->active, machine->words);
    wf_context_swap(snapshot, before);
    if (wf_snapshot_has_extras(snapshot)) {
        wf_extras *extras = wf_own_extras(snapshot);
        swap_sets(extras->histories, before->histories,
                  (size_t)machine->history_count * machine->words);
        wf_entries_swap(extras, before);
        swap_limits(extras, before);
    }
    snapshot->status = before->status;
    snapshot->now = before->now;
    before->status = status;
    before->now = now;
}

void wf_before_discard(wf_snapshot *snapshot, wf_before *before)
{
    wf_context_discard(snapshot, before);
    wf_entries_discard(snapshot, before);
}

void wf_step_rollback(wf_step *step)
{
    wf_before_swap(step->snapshot, &step->before);
    wf_before_discard(step->snapshot, &step->before);
    step->open = false;
}

/* The clock and the limits stay: they were set before the input. */
void wf_step_reset(wf_step *step)
{
    wf_snapshot *snapshot = step->snapshot;
    int64_t now = snapshot->now;
    wf_limits limits = snapshot->extras->limits;
    bool limited = snapshot->extras->limited;
    wf_before_swap(snapshot, &step->before);
    wf_before_discard(snapshot, &step->before);
    save(step);
    snapshot->now = now;
    if (limited) {
        wf_own_extras(snapshot)->limits = limits;
        wf_own_extras(snapshot)->limited = true;
    }
    clear_results(step);
}

void wf_step_commit(wf_step *step)
{
    WF_INVARIANT(step->open);
    bool settled = wf_context_is_settled(step);
    wf_context_keep(step->snapshot, &step->before);
    if (!settled)
        wf_snapshot_settle(step->snapshot);
    wf_entries_keep(step->snapshot, &step->before);
    WF_INVARIANT(step->queue_count == 0);
    WF_INVARIANT(step->arena.limit == 0); /* the fuel was closed: the record costs nothing */
    step->snapshot->revision++;
    step->open = false;
}

int32_t wf_draft_limits(wf_step *step, const wf_limits *given)
{
    if (!wf_snapshot_set_limits(step->snapshot, given))
        return wf_no_memory(step->error);
    step->limits = wf_snapshot_limits(step->snapshot);
    step->work = step->limits.step_work;
    return WFSM_OK;
}

bool wf_draft_changes_limits(const wf_step *step)
{
    return memcmp(&step->before.limits, &step->snapshot->extras->limits,
                  sizeof step->before.limits) != 0;
}
