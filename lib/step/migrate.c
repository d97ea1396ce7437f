/* Migration: an instance continues under another document. Its states are mapped, and its
 * context, budgets, timers and invocations are carried over. No entry or exit action runs. */
#include "step/migrate.h"

#include <string.h>
#include "base/error.h"
#include "base/invariant.h"
#include "base/memory.h"

bool wf_migrate_ready(wf_snapshot *fresh, const wf_snapshot *old)
{
    const wf_list *outbox = &old->extras->outbox;
    wf_extras *extras = wf_snapshot_extras(fresh);
    if (!extras)
        return false;
    fresh->revision = old->revision;
    fresh->now = old->now;
    fresh->status = WFSM_RUNNING;
    extras->limits = old->extras->limits;
    extras->limited = old->extras->limited;
    extras->singles.timer_number = old->extras->singles.timer_number;
    extras->singles.effect_number = old->extras->singles.effect_number;
    extras->singles.descendants = old->extras->singles.descendants;
    if (!wf_snapshot_set_parent(fresh, &old->extras->singles.parent))
        return false;
    for (size_t i = 0; i < outbox->count; i++)
        if (!wf_list_add(fresh->allocator, wf_kind_of(WF_OUTBOX), &extras->outbox,
                         outbox->entries[i]))
            return false;
    return true;
}

/* ---- the entry of `migrate` that fits ---- */

static int32_t find_rule(wf_migrator *self)
{
    const wfsm_machine *machine = self->step->machine, *old = self->old->machine;
    wfsm_error *error = self->step->error;
    if (strcmp(machine->id.text, old->id.text) != 0)
        return wf_fail(error, WFSM_DENIED, "it is an instance of \"%.100s\"", old->id.text);
    if (strcmp(machine->fingerprint, old->fingerprint) == 0)
        return wf_fail(error, WFSM_DENIED, "it runs under this document already");
    self->rule = wf_migration_from(machine, old);
    if (self->rule)
        return WFSM_OK;
    return wf_fail(error, WFSM_DENIED,
                   "`migrate` of the new document has no entry for version \"%.100s\", "
                   "fingerprint %s",
                   old->version.text, old->fingerprint);
}

/* ---- states ---- */

static bool is_leaf(const wf_state *state)
{
    return state->type == WF_ATOMIC || state->type == WF_FINAL;
}

static int32_t map_leaves(const wf_migrator *self, uint32_t *targets, size_t *count)
{
    const wfsm_machine *old = self->old->machine;
    for (uint32_t s = wf_set_next(self->old->active, old->words, 0); s != WF_NONE;
         s = wf_set_next(self->old->active, old->words, s + 1)) {
        if (!is_leaf(&old->states[s]))
            continue;
        targets[*count] = wf_mapped(self, s);
        if (targets[(*count)++] == WF_NONE)
            return wf_fail(self->step->error, WFSM_DENIED,
                           "the new document has no state for \"%.200s\"",
                           old->states[s].path.text);
    }
    return WFSM_OK;
}

/* Two active states may be mapped to children of one compound state. Only one child can be
 * active. */
static int32_t check_alone(const wf_migrator *self, uint32_t state)
{
    const wfsm_machine *machine = self->step->machine;
    uint32_t first = WF_NONE;
    for (uint32_t child = state + 1; child < machine->states[state].end;
         child = machine->states[child].end) {
        if (!wf_set_has(self->step->entering, child))
            continue;
        if (first != WF_NONE)
            return wf_fail(self->step->error, WFSM_DENIED,
                           "\"%.100s\" and \"%.100s\" would be active together",
                           machine->states[first].path.text, machine->states[child].path.text);
        first = child;
    }
    return WFSM_OK;
}

static int32_t check_configuration(const wf_migrator *self)
{
    const wfsm_machine *machine = self->step->machine;
    int32_t status = WFSM_OK;
    for (uint32_t s = wf_set_next(self->step->entering, machine->words, 0);
         s != WF_NONE && status == WFSM_OK;
         s = wf_set_next(self->step->entering, machine->words, s + 1))
        if (machine->states[s].type == WF_COMPOUND)
            status = check_alone(self, s);
    return status;
}

static int32_t move_states(const wf_migrator *self)
{
    wf_step *step = self->step;
    const wfsm_machine *machine = step->machine;
    size_t count = 0;
    uint32_t *targets =
        wf_arena_take(&step->arena, self->old->machine->state_count * sizeof *targets);
    if (!targets)
        return wf_step_arena(step);
    wf_set_clear(step->entering, machine->words);
    wf_set_clear(step->by_default, machine->words);
    wf_set_clear(step->by_history, machine->history_count / 64 + 1);
    int32_t status = map_leaves(self, targets, &count);
    if (status != WFSM_OK)
        return status;
    status = wf_entry_set_of(step, targets, count);
    if (status == WFSM_OK)
        status = check_configuration(self);
    if (status != WFSM_OK)
        return status;
    WF_INVARIANT(wf_is_legal(machine, step->entering, 0));
    wf_set_copy(step->snapshot->active, step->entering, machine->words);
    if (wf_snapshot_complete(step->snapshot, 0))
        return wf_fail(step->error, WFSM_DENIED, "it would have ended under the new document");
    return WFSM_OK;
}

/* ---- histories ---- */

static bool stands(const wfsm_machine *machine, const wf_state *history, const uint64_t *set,
                   uint64_t *whole)
{
    if (history->type == WF_SHALLOW)
        return wf_children_fit(machine, set, history->parent);
    wf_set_clear(whole, machine->words);
    for (uint32_t leaf = wf_set_next(set, machine->words, 0); leaf != WF_NONE;
         leaf = wf_set_next(set, machine->words, leaf + 1)) {
        if (!is_leaf(&machine->states[leaf]))
            return false;
        for (uint32_t s = leaf; s != history->parent; s = machine->states[s].parent)
            wf_set_add(whole, s);
    }
    wf_set_add(whole, history->parent);
    return wf_is_legal(machine, whole, history->parent);
}

/* A history is carried over if it is possible in the new document. Otherwise it is cleared, and
 * its default applies. */
static void move_memory(const wf_migrator *self, const wf_state *before, const wf_state *after)
{
    wf_step *step = self->step;
    const wfsm_machine *machine = step->machine, *old = self->old->machine;
    uint64_t *set = step->snapshot->extras->histories + (size_t)after->history * machine->words;
    const uint64_t *from = self->old->extras->histories + (size_t)before->history * old->words;
    for (uint32_t s = wf_set_next(from, old->words, 0); s != WF_NONE;
         s = wf_set_next(from, old->words, s + 1)) {
        uint32_t to = wf_mapped(self, s);
        bool inside = to != WF_NONE && wf_is_descendant(machine, to, after->parent);
        if (!inside ||
            (after->type == WF_SHALLOW && machine->states[to].parent != after->parent)) {
            wf_set_clear(set, machine->words);
            return;
        }
        wf_set_add(set, to);
    }
    if (wf_set_next(set, machine->words, 0) != WF_NONE &&
        !stands(machine, after, set, step->leaving))
        wf_set_clear(set, machine->words);
}

static void move_histories(const wf_migrator *self)
{
    const wfsm_machine *machine = self->step->machine, *old = self->old->machine;
    for (uint32_t n = 0; n < machine->state_count; n++)
        for (uint32_t o = 0; machine->states[n].type >= WF_SHALLOW && o < old->state_count; o++)
            if (old->states[o].type == machine->states[n].type &&
                wf_mapped(self, old->states[o].parent) == machine->states[n].parent) {
                move_memory(self, &old->states[o], &machine->states[n]);
                break;
            }
}

/* ---- context ---- */

static int32_t check_context(const wf_migrator *self)
{
    wf_step *step = self->step;
    const wf_schema *schema = step->machine->context_schema;
    wf_value context = wf_snapshot_context(step->snapshot, &step->arena);
    if (context.type == WF_ABSENT)
        return wf_step_arena(step);
    int32_t status = !schema ? WFSM_OK : wf_schema_check(schema, &context, NULL);
    if (status != WFSM_SEMANTIC && status != WFSM_LIMIT)
        return status;
    return wf_fail(step->error, WFSM_DENIED, "its context would not fit schemas.context");
}

static int32_t move_context(const wf_migrator *self)
{
    const wf_value none = wf_null();
    wf_step *step = self->step;
    const wfsm_machine *machine = step->machine;
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < machine->keys.count && status == WFSM_OK; i++)
        if (machine->initial[i].type != WF_ABSENT)
            status = wf_draft_assign(step, i, &machine->initial[i]);
    if (status == WFSM_OK)
        status = wf_carry_context(step, self->old);
    wf_fuel_open(step, &none);
    if (status == WFSM_OK)
        status = wf_run_assign(step, self->rule->assignments);
    if (status == WFSM_OK)
        wf_fuel_close(step);
    if (status == WFSM_SEMANTIC)
        return wf_fail(step->error, WFSM_DENIED, "`assign` of `migrate`: %s", step->message);
    return status == WFSM_OK ? check_context(self) : status;
}

int32_t wf_step_migrate(wf_step *step, const wf_snapshot *old, int32_t *outcome)
{
    wf_migrator self = {step, old, NULL};
    int32_t status = find_rule(&self);
    *outcome = WFSM_TAKEN;
    if (status == WFSM_OK)
        status = move_states(&self);
    if (status != WFSM_OK)
        return status;
    move_histories(&self);
    status = move_context(&self);
    if (status == WFSM_OK)
        status = wf_migrate_budgets(&self);
    if (status == WFSM_OK)
        status = wf_migrate_timers(&self);
    if (status == WFSM_OK)
        status = wf_migrate_invocations(&self);
    if (status == WFSM_SEMANTIC)
        return wf_fail(step->error, WFSM_DENIED, "%s", step->message);
    if (status == WFSM_OK)
        status = wf_step_weight(step);
    return status == WFSM_OK ? wf_step_prepare(step) : status;
}
