/* The draft: a step changes the snapshot in place. An undo log of slots, copies of what else is
 * about to change, and lists of blocks to free let it be kept or taken back whole. */
#include "step/step.h"

#include <string.h>
#include "base/error.h"
#include "base/invariant.h"
#include "base/memory.h"

static uint64_t *new_set(const wf_step *step)
{
    return wf_new(step->allocator, step->machine->words * sizeof(uint64_t));
}

bool wf_step_init(wf_step *step, wf_snapshot *snapshot, const char *instance_id)
{
    const wfsm_machine *machine = snapshot->machine;
    size_t words = machine->words;
    memset(step, 0, sizeof *step);
    step->machine = machine;
    step->snapshot = snapshot;
    step->allocator = snapshot->allocator;
    step->instance_id = instance_id;
    wf_arena_init(&step->arena, step->allocator, 0);
    step->work = machine->limits.step_work;
    step->saved_active = new_set(step);
    step->saved_histories =
        wf_new(step->allocator, machine->history_count * words * sizeof(uint64_t));
    step->leaving = new_set(step);
    step->entering = new_set(step);
    step->by_default = new_set(step);
    step->to_invoke = new_set(step);
    step->by_history =
        wf_new(step->allocator, (machine->history_count / 64 + 1) * sizeof(uint64_t));
    step->schema_error = wfsm_error_new(step->allocator);
    if (wf_budgets_make(step->allocator, machine, &step->saved_lists[WF_BUDGETS]) &&
        step->saved_active && step->saved_histories && step->leaving && step->entering &&
        step->by_default && step->to_invoke && step->by_history && step->schema_error)
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
    void *blocks[] = {
        step->saved_active, step->saved_histories, step->leaving,    step->entering,
        step->by_default,   step->to_invoke,       step->by_history, step->undo,
        step->marks,        step->fresh.list,      step->stale.list, step->queue,
        step->enabled,      step->guard_failed,    step->taken,      step->log,
        step->answers,      step->errors};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        wf_free(allocator, blocks[i]);
    for (int i = 0; i < WF_KINDS; i++)
        wf_free(allocator, step->saved_lists[i].entries);
    wfsm_error_free(step->schema_error);
    wf_arena_fini(&step->arena);
    memset(step, 0, sizeof *step);
}

/* Clears the results of the last step. The memory is used again. */
static void clear_results(wf_step *step)
{
    wf_set_clear(step->to_invoke, step->machine->words);
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

int32_t wf_step_begin(wf_step *step, int64_t now)
{
    wf_snapshot *snapshot = step->snapshot;
    const wfsm_machine *machine = step->machine;
    WF_INVARIANT(!step->open);
    wf_arena_reset(&step->arena);
    step->arena.limit = 0; /* until wf_fuel_open() */
    clear_results(step);
    step->answer_count = 0;
    step->builds_on[0] = '\0';
    step->origin = wf_absent();
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
    wf_set_copy(step->saved_active, snapshot->active, machine->words);
    if (machine->history_count > 0)
        wf_set_copy(step->saved_histories, snapshot->extras->histories,
                    (size_t)machine->history_count * machine->words);
    step->grown = false;
    step->saved_slots = snapshot->slot_count;
    step->undo_count = 0;
    step->saved_now = snapshot->now;
    step->saved_status = snapshot->status;
    step->saved_limited = snapshot->extras->limited;
    step->saved_limits = snapshot->extras->limits;
    step->limits = wf_snapshot_limits(snapshot);
    step->work = step->limits.step_work;
    wf_entries_begin(step);
    if (now > snapshot->now)
        snapshot->now = now;
    WF_INVARIANT(snapshot->now >= step->saved_now);
    step->open = true;
    step->instance = step->item = step->index = wf_absent();
    return WFSM_OK;
}

/* Restores everything but the clock. */
static void take_back(wf_step *step)
{
    wf_snapshot *snapshot = step->snapshot;
    wf_set_copy(snapshot->active, step->saved_active, step->machine->words);
    wf_context_take_back(step);
    if (wf_snapshot_has_extras(snapshot)) {
        wf_set_copy(wf_own_extras(snapshot)->histories, step->saved_histories,
                    (size_t)step->machine->history_count * step->machine->words);
        wf_entries_undo(step, wf_own_extras(snapshot));
    }
    snapshot->status = step->saved_status;
}

static void restore_limits(wf_step *step)
{
    if (!wf_draft_changes_limits(step))
        return;
    wf_own_extras(step->snapshot)->limited = step->saved_limited;
    wf_own_extras(step->snapshot)->limits = step->saved_limits;
}

void wf_step_rollback(wf_step *step)
{
    take_back(step);
    restore_limits(step);
    step->snapshot->now = step->saved_now;
    step->open = false;
}

void wf_step_reset(wf_step *step)
{
    take_back(step);
    clear_results(step);
}

void wf_step_commit(wf_step *step)
{
    WF_INVARIANT(step->open);
    wf_context_keep(step);
    wf_entries_keep(step);
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
    return memcmp(&step->saved_limits, &step->snapshot->extras->limits,
                  sizeof step->saved_limits) != 0;
}
