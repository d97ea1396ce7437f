/* verify/explorer.c: prepares the exploration of a machine. */
#include "verify/hiding.h"
#include "verify/prepare.h"
#include "verify/selection.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/invariant.h"
#include "logic/json.h"

/* ---- budgets ---- */

static bool find_used(wf_explorer *explorer)
{
    const wfsm_machine *machine = explorer->machine;
    explorer->used_asked = wf_arena_zero(&explorer->arena, (machine->budget_count + 1u) *
                                                               sizeof *explorer->used_asked);
    for (uint32_t i = 0; explorer->used_asked && i < machine->budget_count; i++) {
        const wf_name *name = &machine->events.list[machine->budgets[i].event];
        const wf_cone *told = wf_cones_of_event(&explorer->cones, name->text, name->length);
        explorer->used_asked[i] = told ? wf_cone_member(told, "used", 4) : NULL;
    }
    return explorer->used_asked != NULL;
}

uint32_t wf_explorer_budgets_ahead(const wf_explorer *explorer, const wf_list *budgets)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < explorer->machine->budget_count && !explorer->resets_time; i++)
        count += explorer->machine->budgets[i].counts == WF_COUNT_TIME &&
                 !wf_spent_at(budgets, i)->raised;
    return count;
}

static bool has_time_ahead(const wf_explorer *explorer)
{
    bool any = false;
    for (uint32_t i = 0; i < explorer->machine->budget_count; i++)
        any |= explorer->machine->budgets[i].counts == WF_COUNT_TIME;
    return any && !explorer->resets_time;
}

/* ---- all of it ---- */

static bool begin_symbolic(wf_explorer *explorer)
{
    if (!explorer->symbolic)
        return true;
    if (explorer->restores)
        wf_symbolic_give_up(explorer->symbolic, "going back to a checkpoint", NULL);
    wf_symbolic_evaluator(explorer->symbolic);
    explorer->step.evaluator = &explorer->symbolic->evaluator;
    if (!wf_symbolic_init(explorer->symbolic, explorer) || !wf_symbolic_sources(explorer))
        return false;
    explorer->symbolic->gap = explorer->symbolic->unproved;
    return wf_hiding_begin(explorer);
}

static bool note_tried(wf_explorer *explorer)
{
    wf_note_tried(explorer);
    return true;
}

static int32_t read_inputs(wf_explorer *explorer, const wfsm_verify_options *options)
{
    static const wf_value none = {.type = WF_NULL};
    wf_value list = wf_array(&none, 1);
    int32_t status = WFSM_OK;
    if (options->inputs)
        status = wf_json_parse(&explorer->arena, options->inputs, options->inputs_length, &list,
                               explorer->error);
    if (status != WFSM_OK)
        return status;
    bool fine = list.type == WF_ARRAY && list.length > 0;
    for (uint32_t i = 0; fine && options->inputs && i < list.length; i++)
        fine = list.as.items[i].type == WF_OBJECT;
    if (!fine)
        return wf_fail(explorer->error, WFSM_SEMANTIC,
                       "the inputs of the start must be a list of JSON objects");
    explorer->inputs = list.as.items;
    explorer->input_count = list.length;
    return WFSM_OK;
}

static bool begin_checkpoint(wf_explorer *explorer)
{
    wf_snapshot *snapshot = &explorer->checkpoint.snapshot;
    return !explorer->restores ||
           (wf_snapshot_init(snapshot, explorer->machine, explorer->allocator) &&
            wf_snapshot_extras(snapshot));
}

static bool prepare(wf_explorer *explorer, double bound)
{
    const wfsm_machine *machine = explorer->machine;
    if (!wf_intern_init(&explorer->intern, explorer->allocator) ||
        !wf_snapshot_init(&explorer->snapshot, explorer->machine, explorer->allocator) ||
        !wf_snapshot_extras(&explorer->snapshot) || !begin_checkpoint(explorer) ||
        !wf_step_init(&explorer->step, &explorer->snapshot, "sim") ||
        !wf_cones_find(&explorer->cones, machine, explorer->inputs, explorer->input_count,
                       &explorer->arena))
        return false;
    explorer->state_bytes = (machine->state_count + 7) / 8;
    WF_INVARIANT(explorer->state_bytes * 8u >= machine->state_count);
    explorer->memory_size = wf_monitor_size(machine);
    explorer->memory = wf_arena_zero(&explorer->arena, explorer->memory_size + 1);
    explorer->memory_next = wf_arena_zero(&explorer->arena, explorer->memory_size + 1);
    explorer->verdicts = wf_arena_zero(&explorer->arena, machine->property_count + 1u);
    explorer->triggered = wf_arena_zero(&explorer->arena, machine->property_count + 1u);
    explorer->late = wf_arena_zero(&explorer->arena, machine->property_count + 1u);
    explorer->key = wf_arena_zero(&explorer->arena, WF_KEY_BYTES);
    if (!explorer->memory || !explorer->memory_next || !explorer->verdicts ||
        !explorer->triggered || !explorer->late || !explorer->key || !wf_find_tracked(explorer))
        return false;
    explorer->resets_time = explorer->cones.resets_time;
    explorer->claims = wf_claims_count(machine);
    explorer->limits = machine->has_limits && !explorer->restores &&
                       !(explorer->times.punctual && explorer->resets_time);
    explorer->ends = wf_ends_are_kept(explorer);
    explorer->carries = explorer->restores && has_time_ahead(explorer);
    wf_find_bounds(explorer, bound);
    return wf_find_outside(explorer) && wf_find_results(explorer) &&
           wf_find_messages(explorer) && find_used(explorer) && wf_find_decisions(explorer) &&
           wf_find_patches(explorer) && wf_find_untried(explorer) &&
           wf_selection_watch(explorer) &&
           wf_coverage_init(&explorer->coverage, machine, &explorer->arena) &&
           note_tried(explorer) && begin_symbolic(explorer) && !explorer->arena.failed &&
           !explorer->cones.failed;
}

int32_t wf_explorer_init(wf_explorer *explorer, wfsm_machine *machine,
                         const wfsm_verify_options *options, wf_symbolic *symbolic,
                         wfsm_error *error)
{
    memset(explorer, 0, sizeof *explorer);
    explorer->machine = machine;
    explorer->symbolic = symbolic;
    explorer->open = options->open != 0;
    explorer->restores =
        options->restores != 0 && (machine->restore_any || machine->restore_from.count > 0);
    explorer->times.punctual = options->punctual != 0;
    explorer->allocator = &machine->allocator;
    explorer->error = error;
    wf_arena_init(&explorer->arena, explorer->allocator, 0);
    wf_arena_init(&explorer->scratch, explorer->allocator, 0);
    int32_t status = read_inputs(explorer, options);
    if (status != WFSM_OK)
        return status;
    return prepare(explorer, (double)options->bound) ? WFSM_OK : wf_no_memory(error);
}

static void forget(wf_explorer *explorer)
{
    memset(explorer->verdicts, 0, explorer->machine->property_count);
    memset(explorer->triggered, 0, explorer->machine->property_count);
    explorer->representative_count = 0;
    explorer->voted_count = 0;
    explorer->grain = 0;
    explorer->beyond = NULL;
    explorer->many_timers = explorer->many_choices = explorer->undecided.is = false;
}

bool wf_explorer_again(wf_explorer *explorer)
{
    forget(explorer);
    if (!wf_find_tracked(explorer))
        return false;
    wf_intern_fini(&explorer->intern);
    if (!wf_intern_init(&explorer->intern, explorer->allocator))
        return false;
    if (explorer->symbolic)
        wf_symbolic_again(explorer->symbolic);
    return wf_hiding_begin(explorer) && !explorer->arena.failed;
}

/* The entries of the lists belong to the pools, and the values of the slots to the intern table or to the
 * machine. */
static void end_snapshot(const wf_explorer *explorer, wf_snapshot *snapshot, wf_list *pools)
{
    for (int k = 0; k < WF_KINDS; k++)
        wf_list_free(explorer->allocator, wf_kind_of(k), &pools[k]);
    wf_extras *extras = snapshot->machine ? wf_snapshot_extras(snapshot) : NULL;
    if (extras)
        extras->timers.count = extras->ledger.count = extras->repeats.count = 0;
    for (uint32_t i = 0; i < snapshot->slot_count; i++)
        snapshot->slots[i] = wf_absent();
    wf_snapshot_fini(snapshot);
}

void wf_explorer_fini(wf_explorer *explorer)
{
    if (!explorer->allocator)
        return;
    wf_step_fini(&explorer->step);
    end_snapshot(explorer, &explorer->snapshot, explorer->pools);
    end_snapshot(explorer, &explorer->checkpoint.snapshot, explorer->checkpoint.pools);
    wf_intern_fini(&explorer->intern);
    if (explorer->symbolic)
        wf_symbolic_fini(explorer->symbolic);
    wf_free(explorer->allocator, explorer->representatives);
    wf_free(explorer->allocator, explorer->outside);
    wf_free(explorer->allocator, explorer->voted);
    wf_arena_fini(&explorer->arena);
    wf_arena_fini(&explorer->scratch);
    memset(explorer, 0, sizeof *explorer);
}
