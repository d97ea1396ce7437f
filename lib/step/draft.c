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
    if (machine->budget_count > 0)
        step->saved_budgets = wf_new(step->allocator, machine->budget_count * sizeof(wf_spent));
    step->schema_error = wfsm_error_new(step->allocator);
    if ((step->saved_budgets != NULL) == (machine->budget_count > 0) && step->saved_active &&
        step->saved_histories && step->leaving && step->entering && step->by_default &&
        step->to_invoke && step->by_history && step->schema_error)
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
    void *blocks[] = {step->saved_active,
                      step->saved_histories,
                      step->leaving,
                      step->entering,
                      step->by_default,
                      step->to_invoke,
                      step->by_history,
                      step->undo,
                      step->marks,
                      step->fresh.list,
                      step->stale.list,
                      step->queue,
                      step->enabled,
                      step->guard_failed,
                      step->taken,
                      step->log,
                      step->saved_timers.list,
                      step->saved_ledger.list,
                      step->answers,
                      step->errors,
                      step->saved_budgets,
                      step->saved_repeats.list};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        wf_free(allocator, blocks[i]);
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
    step->consumed_timer = step->consumed_revision = step->consumed_ordinal = 0;
    step->consumed_name = wf_null();
    step->consumed_budget = step->ended_invoke = WF_NONE;
    step->report = (wf_report){NULL, NULL, 0};
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
    step->saved_all_timers = step->saved_all_ledger = step->grown = false;
    step->saved_all_repeats = false;
    if (machine->budget_count > 0)
        memcpy(step->saved_budgets, snapshot->extras->budgets,
               machine->budget_count * sizeof(wf_spent));
    step->saved_outbox = snapshot->extras->outbox.count;
    step->saved_slots = snapshot->slot_count;
    step->undo_count = step->fresh.count = step->stale.count = 0;
    step->saved_timer_number = snapshot->extras->timer_number;
    step->saved_effect_number = snapshot->extras->effect_number;
    step->saved_now = snapshot->now;
    step->saved_status = snapshot->status;
    step->saved_output = snapshot->extras->output;
    step->saved_output_block = snapshot->extras->output_block;
    step->saved_stopped = snapshot->extras->stopped;
    step->saved_limited = snapshot->extras->limited;
    step->saved_limits = snapshot->extras->limits;
    step->limits = wf_snapshot_limits(snapshot);
    step->work = step->limits.step_work;
    if (now > snapshot->now)
        snapshot->now = now;
    WF_INVARIANT(snapshot->now >= step->saved_now);
    step->open = true;
    step->instance = step->item = step->index = wf_absent();
    return WFSM_OK;
}

static void restore_extras(wf_step *step, wf_extras *extras)
{
    const wfsm_machine *machine = step->machine;
    if (step->saved_all_timers) {
        wf_timers swap = extras->timers;
        extras->timers = step->saved_timers;
        step->saved_timers = swap;
    }
    if (step->saved_all_ledger) {
        wf_ledger swap = extras->ledger;
        extras->ledger = step->saved_ledger;
        step->saved_ledger = swap;
    }
    if (step->saved_all_repeats) {
        wf_repeats swap = extras->repeats;
        extras->repeats = step->saved_repeats;
        step->saved_repeats = swap;
    }
    if (machine->budget_count > 0)
        memcpy(extras->budgets, step->saved_budgets, machine->budget_count * sizeof(wf_spent));
    step->saved_all_timers = step->saved_all_ledger = step->saved_all_repeats = false;
    extras->outbox.count = step->saved_outbox;
    extras->timer_number = step->saved_timer_number;
    extras->effect_number = step->saved_effect_number;
    extras->output = step->saved_output;
    extras->output_block = step->saved_output_block;
    extras->stopped = step->saved_stopped;
    wf_set_copy(extras->histories, step->saved_histories,
                (size_t)machine->history_count * machine->words);
}

/* Restores everything but the clock. */
static void take_back(wf_step *step)
{
    wf_snapshot *snapshot = step->snapshot;
    wf_set_copy(snapshot->active, step->saved_active, step->machine->words);
    wf_context_take_back(step);
    if (wf_snapshot_has_extras(snapshot))
        restore_extras(step, wf_own_extras(snapshot));
    for (size_t i = 0; i < step->fresh.count; i++)
        wf_free(step->allocator, step->fresh.list[i]);
    step->fresh.count = step->stale.count = 0;
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
    for (size_t i = 0; i < step->stale.count; i++)
        wf_free(step->allocator, step->stale.list[i]);
    WF_INVARIANT(step->queue_count == 0);
    WF_INVARIANT(step->arena.limit == 0); /* the fuel was closed: the record costs nothing */
    step->fresh.count = step->stale.count = 0;
    step->snapshot->revision++;
    step->open = false;
}

static int32_t add_block(wf_step *step, wf_blocks *blocks, void *block)
{
    if (!block)
        return WFSM_OK;
    void **list = wf_grow(step->allocator, blocks->list, &blocks->capacity, blocks->count + 1,
                          sizeof *list);
    if (!list)
        return wf_no_memory(step->error);
    blocks->list = list;
    list[blocks->count++] = block;
    return WFSM_OK;
}

int32_t wf_draft_keep(wf_step *step, const wf_value *value, wf_value *copy, void **block)
{
    int32_t status = wf_step_keeps(step, value);
    if (status != WFSM_OK)
        return status;
    if (!wf_value_copy(step->allocator, value, copy, block))
        return wf_no_memory(step->error);
    step->grown = true;
    status = add_block(step, &step->fresh, *block);
    if (status != WFSM_OK)
        wf_free(step->allocator, *block);
    return status;
}

int32_t wf_draft_drop(wf_step *step, void *block)
{
    return add_block(step, &step->stale, block);
}

int32_t wf_draft_timers(wf_step *step)
{
    wf_timers *saved = &step->saved_timers;
    if (step->saved_all_timers)
        return WFSM_OK;
    const wf_extras *extras = wf_snapshot_extras(step->snapshot);
    if (!extras)
        return wf_no_memory(step->error);
    const wf_timers *now = &extras->timers;
    wf_timer *list =
        wf_grow(step->allocator, saved->list, &saved->capacity, now->count + 1, sizeof *list);
    if (!list)
        return wf_no_memory(step->error);
    saved->list = list;
    saved->count = now->count;
    if (now->count > 0)
        memcpy(list, now->list, now->count * sizeof *list);
    step->saved_all_timers = true;
    return WFSM_OK;
}

int32_t wf_draft_ledger(wf_step *step)
{
    wf_ledger *saved = &step->saved_ledger;
    if (step->saved_all_ledger)
        return WFSM_OK;
    const wf_extras *extras = wf_snapshot_extras(step->snapshot);
    if (!extras)
        return wf_no_memory(step->error);
    const wf_ledger *now = &extras->ledger;
    wf_invocation *list =
        wf_grow(step->allocator, saved->list, &saved->capacity, now->count + 1, sizeof *list);
    if (!list)
        return wf_no_memory(step->error);
    saved->list = list;
    saved->count = now->count;
    if (now->count > 0)
        memcpy(list, now->list, now->count * sizeof *list);
    step->saved_all_ledger = true;
    return WFSM_OK;
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

int32_t wf_draft_repeats(wf_step *step)
{
    const wf_extras *extras = wf_snapshot_extras(step->snapshot);
    wf_repeats *saved = &step->saved_repeats;
    step->repeated = wf_absent();
    if (!extras)
        return wf_no_memory(step->error);
    if (step->saved_all_repeats)
        return WFSM_OK;
    wf_repeat *list = wf_grow(step->allocator, saved->list, &saved->capacity,
                              extras->repeats.count + 1, sizeof *list);
    if (!list)
        return wf_no_memory(step->error);
    saved->list = list;
    saved->count = extras->repeats.count;
    if (extras->repeats.count > 0)
        memcpy(list, extras->repeats.list, extras->repeats.count * sizeof *list);
    step->saved_all_repeats = true;
    return WFSM_OK;
}
